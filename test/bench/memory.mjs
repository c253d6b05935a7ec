/** What the program itself holds: after its start, after many calls, after many changes of files. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { alone } from "./figures.mjs";
import { placesIn } from "./places.mjs";
import { residentMb } from "./process.mjs";
import { openProxy, ourCalls } from "./proxy.mjs";
import { RawServer } from "./raw.mjs";
import { scripted, span } from "./scripted.mjs";

export const title = "Memory of the program itself";

const most = { text: "≤ 150 MB", met: ({ value }) => value <= 150 };
/** Little more than in the first half of the calls. Between two garbage collections memory rises, so the most counts. */
const flatAfter = (settled) => ({
  text: `≤ 150 MB, ≤ 1.1 × ${settled.toFixed(1)}`,
  met: ({ value }) => value <= 150 && value <= 1.1 * settled,
});

/** Calls about a copy of a project, and how long it is left alone after them. */
const ofProject = { calls: 3_000, idleMs: 30_000 };

export async function run({ workspaces, ...counts }) {
  const rows = await ofScript(counts);
  for (const workspace of workspaces) if (workspace.isCopy) rows.push(...(await onProject(workspace)));
  return rows;
}

/** A real server's answers about real files: texts and listings that are kept, and more code that is compiled. */
async function onProject({ name, folder, bundle, files, server }) {
  const raw = await new RawServer(server, folder).open();
  const places = await placesIn(raw, { folder, server }, files.slice(0, 200));
  await raw.close();
  const proxy = await openProxy(["--bundle", bundle, "--workspace", folder]);
  const { diagnostics: _, ...calls } = ourCalls(proxy);
  const asks = Object.values(calls);
  // Neighbours are of one file: a step that no count of places is likely to divide goes through all of them.
  for (let n = 0; n < ofProject.calls; n++)
    await asks[n % asks.length](places[(Math.floor(n / asks.length) * 7919) % places.length]);
  const busy = residentMb(proxy.pid);
  await wait(ofProject.idleMs);
  const idle = residentMb(proxy.pid);
  await proxy.close();
  return [
    alone(`${name}: after ${ofProject.calls} mixed calls`, busy, "MB", most),
    alone(`${name}: ${ofProject.idleMs / 1000} s later`, idle, "MB", most),
  ];
}

async function ofScript({ calls = 10_000, changes = 1_000 }) {
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
  /** The most memory while calls `from` to `to` are made. */
  const mostDuring = async (from, to, before = () => undefined) => {
    let highest = 0;
    for (let n = from; n < to; n++) {
      before(n);
      await ask(n);
      if (n % 50 === 0 || n === to - 1) highest = Math.max(highest, residentMb(proxy.pid));
    }
    return highest;
  };
  const half = calls / 2;
  const settled = await mostDuring(0, half);
  const flat = flatAfter(settled);
  rows.push(alone(`most in ${half} mixed calls`, settled, "MB", most));
  rows.push(alone(`most in the next ${half}`, await mostDuring(half, calls), "MB", flat));
  const change = (n) => writeFileSync(join(folder, `f${n % 20}.fake`), `${lines.join("\n")}\nchange ${n}\n`);
  rows.push(alone(`most in ${changes} changes of files`, await mostDuring(0, changes, change), "MB", flat));
  await proxy.close();
  return rows;
}
