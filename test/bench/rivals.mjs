/**
 * Other bridges that are on npm, fetched into a folder of their own: the same questions to the same language server, how long
 * they take, and whether the answers are right. One that needs a newer Node than this one runs on that, fetched as well;
 * the language server runs on this Node for all. Needs npm's registry; only run when it is named.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { alone, quantile, timed } from "./figures.mjs";
import { placesIn, referencesParams } from "./places.mjs";
import { environment, program, repository, StdioClient } from "./proxy.mjs";
import { RawServer } from "./raw.mjs";
import { generated, scratch, server } from "./workspace.mjs";

export const title = "Other bridges: time and correctness";

const count = 60;
const rounds = 20;
/** As many as there are bridges: each is once the first. */
const coldRounds = 3;
/** By number, so that a later run compares the same: npm itself would take an older one that this Node can run. */
const versions = { cclsp: "0.7.0", "@mizchi/lsmcp": "0.10.0", node: "22.23.3" };

export async function run() {
  const workspace = generated(count);
  const modules = scratch("rivals");
  const wanted = Object.entries(versions).map(([name, version]) => `${name}@${version}`);
  execFileSync("npm", ["install", "--silent", "--prefix", modules, ...wanted], { stdio: "inherit" });
  const truth = await rawAnswers(workspace);
  const all = bridges(workspace, modules).map((bridge) => ({
    ...bridge,
    ...{ folder: workspace.folder, truth, fromStart: [], fromCall: [], samples: [], asked: 0, right: 0 },
  }));
  for (let round = 0; round < coldRounds; round++)
    for (const one of turned(all, round)) await cold(one).finally(() => close(one));
  try {
    for (const one of all) await open(one);
    // The first calls are no sample. Turn by turn, each after each: whatever else the machine does, a server's checks after
    // an answer too, falls on all.
    for (let n = 0; n <= rounds; n++)
      for (const one of turned(all, n)) {
        const spent = await ask(one, n);
        if (n > 0) one.samples.push(spent);
      }
  } finally {
    for (const one of all) await close(one);
  }
  return all.flatMap(rowsOf);
}

const turned = (list, by) => list.map((_, index) => list[(index + by) % list.length]);

/** What the server itself has to say to each of the questions. */
async function rawAnswers({ folder }) {
  const raw = await new RawServer(server, folder).open();
  const answers = [];
  for (let n = 0; n <= rounds; n++) {
    const places = await placesIn(raw, { folder, server }, [pathOf(n)]);
    const place = places.find(({ name }) => name === `compute${n}`);
    const found = await raw.request("textDocument/references", referencesParams(place));
    answers.push(
      found.map(({ uri, range: { start } }) =>
        [fileURLToPath(uri), start.line + 1, start.character + 1].join(":"),
      ),
    );
  }
  await raw.close();
  return answers.map((places) => places.sort());
}

const pathOf = (n) => `src/module${n}.ts`;

/** How each is started, and how it is asked for the references of a function of a module. */
function bridges({ folder, bundle }, modules) {
  const [config, theirs] = ["cclsp.json", "lsmcp.json"].map((name) => join(modules, name));
  const command = [join(repository, "node_modules", ".bin", server.command), ...server.args];
  const { options } = server;
  const one = { extensions: ["ts"], command, rootDir: folder, initializationOptions: options };
  writeFileSync(config, JSON.stringify({ servers: [one] }));
  const [bin, ...args] = command;
  const preset = { presetId: "bench", name: "bench", baseLanguage: "typescript", bin, args };
  writeFileSync(theirs, JSON.stringify({ ...preset, files: ["**/*.ts"], initializationOptions: options }));
  const script = (name, file) => join(modules, "node_modules", name, file);
  return [
    {
      name: `lsp-proxy ${JSON.parse(readFileSync(join(repository, "package.json"), "utf8")).version}`,
      words: [program, "serve", "--bundle", bundle, "--workspace", folder],
      tool: "find_references",
      args: (n) => ({ file_path: pathOf(n), symbol_name: `compute${n}` }),
    },
    {
      name: `cclsp ${versions.cclsp}`,
      words: [script("cclsp", "dist/index.js")],
      env: { CCLSP_CONFIG_PATH: config },
      tool: "find_references",
      args: (n) => ({ file_path: join(folder, pathOf(n)), symbol_name: `compute${n}` }),
    },
    {
      name: `@mizchi/lsmcp ${versions["@mizchi/lsmcp"]} (on Node ${versions.node}, which it needs)`,
      node: script("node", "bin/node"),
      words: [script("@mizchi/lsmcp", "dist/lsmcp.js"), "--config", theirs],
      tool: "lsp_find_references",
      args: (n) => ({ root: folder, relativePath: pathOf(n), line: 12, symbolName: `compute${n}` }),
    },
  ];
}

async function open(one) {
  const { node = process.execPath, words, env, folder, tool } = one;
  one.client = new StdioClient(node, words, { cwd: folder, env: { ...environment(), ...env } });
  await unlessFailed(one, async () => {
    const { tools } = await withTime(one.client.open());
    if (!tools.some((entry) => entry.name === tool)) throw new Error(`has no ${tool}`);
  });
}

async function close({ client }) {
  client?.child.kill("SIGTERM");
  await client?.close();
}

/** The first answer; some start their server with themselves and others with the first call, so both times are told. */
async function cold(one) {
  await open(one);
  const spent = await ask(one, 0);
  one.fromCall.push(spent);
  one.fromStart.push(performance.now() - one.client.started);
}

async function ask(one, n) {
  let spent;
  await unlessFailed(one, async () => {
    let answer;
    spent = await timed(async () => {
      answer = await withTime(one.client.call(one.tool, one.args(n)));
    });
    one.asked++;
    if (isDeepStrictEqual(placesOf(answer, one.folder), one.truth[n])) one.right++;
  });
  return spent;
}

/** A proxy that has failed once is not asked again. */
async function unlessFailed(one, action) {
  if (one.failure !== undefined) return;
  try {
    await action();
  } catch (error) {
    one.failure = error instanceof Error ? error.message : String(error);
  }
}

function rowsOf({ name, samples, asked, right, fromStart, fromCall, failure }) {
  if (failure !== undefined) return [alone(`${name}: ${failure}`, right, "right answers")];
  return [
    alone(`${name}: first answer, from the start of the program`, quantile(fromStart, 0.5), "ms"),
    alone(`${name}: first answer, from the call`, quantile(fromCall, 0.5), "ms"),
    alone(`${name}: further calls, p50`, quantile(samples, 0.5), "ms"),
    alone(`${name}: right answers`, right, `of ${asked}`),
  ];
}

/**
 * The places that an answer names, each as often as it does: ours as items, the others' as lines of a text with nothing but
 * file, line and column, which all count from one.
 */
function placesOf({ structuredContent, content }, folder) {
  const told = structuredContent?.locations?.map(({ path, line, character }) => [path, line, character]);
  const text = content.map((part) => part.text).join("\n");
  const lines = [...text.matchAll(/^(\S+\.ts):(\d+):(\d+)$/gm)].map(([, ...place]) => place);
  return (told ?? lines).map(([path, ...at]) => [resolve(folder, path), ...at].join(":")).sort();
}

function withTime(promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error("no answer within 60 s")), 60_000);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
