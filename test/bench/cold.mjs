/** From nothing to the first right and complete answer: the server alone, asked until it is complete, and through the program. */
import { join } from "node:path";
import { alone, compared, interleave } from "./figures.mjs";
import { openProxy } from "./proxy.mjs";
import { RawServer } from "./raw.mjs";
import { generated, server } from "./workspace.mjs";

export const title = "Cold: the first complete answer, against the language server itself";

/** A declaration, and an import and a use in each of three modules. */
const complete = 7;
const line = 10;
const near = { text: "≤ 1.05 ×", met: ({ ratio }) => ratio <= 1.05 };

export async function run() {
  const { folder, bundle } = generated();
  const path = "src/module0.ts";
  const place = { line: line - 1, character: "export function ".length };
  let wrong = 0;
  const samples = await interleave(
    {
      async raw() {
        const started = performance.now();
        const raw = await new RawServer(server, folder).open();
        const uri = await raw.didOpen(join(folder, path), server.languageId);
        const params = { textDocument: { uri }, position: place, context: { includeDeclaration: true } };
        let found = [];
        while (found.length < complete) found = (await raw.request("textDocument/references", params)) ?? [];
        const spent = performance.now() - started;
        await raw.close();
        return spent;
      },
      async ours() {
        const proxy = await openProxy(["--bundle", bundle, "--workspace", folder]);
        const started = performance.now();
        const args = { file_path: path, line: place.line + 1, character: place.character + 1 };
        const { structuredContent: answer } = await proxy.call("find_references", args);
        const spent = performance.now() - started;
        if (answer.total !== complete || answer.readiness !== "ready") wrong++;
        await proxy.close();
        return spent;
      },
    },
    { rounds: 5, warmup: 0 },
  );
  const none = { text: "0", met: ({ value }) => value === 0 };
  return [
    compared("references", samples.ours, samples.raw, near),
    alone("answers that were not complete and ready", wrong, "of 5", none),
  ];
}
