/**
 * From nothing to the first right and complete answer: the server alone, asked as soon as it says that it is ready (early
 * questions would only hold it up) and until it is complete, and through the program.
 */
import { join } from "node:path";
import { alone, compared, interleave } from "./figures.mjs";
import { mostUsed, referencesParams } from "./places.mjs";
import { openProxy } from "./proxy.mjs";
import { RawServer } from "./raw.mjs";
import { generatedPython } from "./workspace.mjs";

export const title = "Cold: the first complete answer, against the language server itself";

const rounds = 5;
const patienceMs = 60_000;
const near = { text: "≤ 1.05 ×", met: ({ ratio }) => ratio <= 1.05 };
const none = { text: "0", met: ({ value }) => value === 0 };

export async function run({ workspaces }) {
  const rows = [];
  for (const workspace of [...workspaces, generatedPython()])
    for (const row of await measure(workspace)) rows.push({ ...row, what: `${workspace.name}: ${row.what}` });
  return rows;
}

async function measure(workspace) {
  const { folder, server } = workspace;
  const probe = await new RawServer(server, folder).open();
  const { place, complete } = await mostUsed(probe, workspace);
  await probe.close();
  const fromStart = [];
  const wrong = [];
  const samples = await interleave(
    {
      raw: () => rawCold(workspace, place, complete),
      async ours() {
        const { spent, sinceStart, answer } = await ourCold(workspace, place);
        fromStart.push(sinceStart);
        if (answer.total !== complete || answer.readiness === "indexing") wrong.push(reasonOf(answer));
        return spent;
      },
    },
    { rounds, warmup: 0 },
  );
  return [
    compared(`${complete} references, from the call`, samples.ours, samples.raw, near),
    compared("from the start of the program", fromStart, samples.raw),
    alone(["answers that were not complete", ...wrong].join("; "), wrong.length, `of ${rounds}`, none),
  ];
}

function reasonOf({ total, readiness, error }) {
  return error === undefined ? `${total}, ${readiness}` : error.code;
}

/** The server alone, from its start until it has told everything. */
async function rawCold({ folder, server }, place, complete) {
  const started = performance.now();
  const raw = await new RawServer(server, folder).open();
  await raw.didOpen(join(folder, place.path), server.languageId);
  await raw.ready;
  let found = [];
  while (found.length < complete) {
    if (performance.now() - started > patienceMs)
      throw new Error(`${found.length} of ${complete} references`);
    found = (await raw.request("textDocument/references", referencesParams(place))) ?? [];
  }
  const spent = performance.now() - started;
  await raw.close();
  return spent;
}

/** The first call of a session: the program has been started, and starts the server for it. */
async function ourCold({ folder, bundle }, place) {
  const proxy = await openProxy(["--bundle", bundle, "--workspace", folder]);
  const asked = performance.now();
  const args = { file_path: place.path, line: place.line + 1, character: place.character + 1 };
  const { structuredContent: answer } = await proxy.call("find_references", args);
  const [spent, sinceStart] = [performance.now() - asked, performance.now() - proxy.started];
  await proxy.close();
  return { spent, sinceStart, answer };
}
