/** What the program itself holds: after its start, after many calls, after many changes of files. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { alone } from "./figures.mjs";
import { residentMb } from "./process.mjs";
import { openProxy } from "./proxy.mjs";
import { scripted, span } from "./scripted.mjs";

export const title = "Memory of the program itself";

const most = { text: "≤ 90 MB", met: ({ value }) => value <= 90 };
/** Little more than when the program had done its first calls: by then V8 has its room to work in, and the rest would be a leak. */
const flatAfter = (settled) => ({
  text: `≤ 90 MB, ≤ 1.1 × ${settled.toFixed(1)}`,
  met: ({ value }) => value <= 90 && value <= 1.1 * settled,
});

export async function run({ calls = 10_000, changes = 1_000 }) {
  const lines = Array.from({ length: 400 }, (_, line) => `name${line} = target`);
  const files = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`f${n}.fake`, lines.join("\n")]));
  const { folder, bundle } = scripted({
    files,
    capabilities: {
      ...{ hoverProvider: true, definitionProvider: true, referencesProvider: true },
      ...{ documentSymbolProvider: true },
    },
    replies: (root) => ({
      "textDocument/hover": { contents: "words ".repeat(50) },
      "textDocument/definition": [{ uri: `${root}/f1.fake`, range: span(3) }],
      "textDocument/references": Array.from({ length: 100 }, (_, n) => ({
        uri: `${root}/f${n % 20}.fake`,
        range: span(n),
      })),
      "textDocument/documentSymbol": lines.map((_, n) => ({
        ...{ name: `name${n}`, kind: 13 },
        ...{ range: span(n), selectionRange: span(n) },
      })),
    }),
  });
  const proxy = await openProxy(["--bundle", bundle, "--workspace", folder]);
  const tools = ["get_hover", "find_definition", "find_references", "get_document_symbols"];
  const ask = (n) => {
    const name = tools[n % tools.length];
    const place = name === "get_document_symbols" ? {} : { line: (n % 399) + 1, character: 1 };
    return proxy.call(name, { file_path: `f${n % 20}.fake`, ...place });
  };
  const rows = [alone("after the start", residentMb(proxy.pid), "MB", most)];
  const tenth = calls / 10;
  for (let n = 0; n < tenth; n++) await ask(n);
  const settled = residentMb(proxy.pid);
  const flat = flatAfter(settled);
  rows.push(alone(`after ${tenth} mixed calls`, settled, "MB", most));
  for (let n = tenth; n < calls; n++) await ask(n);
  rows.push(alone(`after ${calls} mixed calls`, residentMb(proxy.pid), "MB", flat));
  for (let n = 0; n < changes; n++) {
    writeFileSync(join(folder, `f${n % 20}.fake`), `${lines.join("\n")}\nchange ${n}\n`);
    await ask(n);
  }
  rows.push(alone(`after ${changes} changes of files`, residentMb(proxy.pid), "MB", flat));
  await proxy.close();
  return rows;
}
