/**
 * Other bridges that are on npm, fetched into a folder of their own: the same questions to the same language server, how long
 * they take, and whether the answers are right. One that needs a newer Node than this one runs on that, fetched as well;
 * the language server runs on this Node for all. Needs npm's registry; only run when it is named.
 */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { alone, quantile, timed } from "./figures.mjs";
import { environment, program, repository, StdioClient } from "./proxy.mjs";
import { generated, scratch, server } from "./workspace.mjs";

export const title = "Other bridges: time and correctness";

const count = 60;
const rounds = 20;

export async function run() {
  const { folder, bundle } = generated(count);
  const modules = scratch("rivals");
  // The last version by its number: npm would take an older one that this Node can run.
  const wanted = ["cclsp", "@mizchi/lsmcp@0.10", "node@22"];
  execFileSync("npm", ["install", "--silent", "--prefix", modules, ...wanted], { stdio: "inherit" });
  const opened = [];
  try {
    for (const bridge of bridges(folder, bundle, modules)) opened.push(await first(bridge, folder));
    // Turn by turn, each after each: whatever else the machine does, a server's checks after an answer too, falls on all.
    for (let n = 1; n < rounds; n++)
      for (let turn = 0; turn < opened.length; turn++) await further(opened[(n + turn) % opened.length], n);
  } finally {
    for (const { client } of opened) {
      client.child.kill("SIGTERM");
      await client.close();
    }
  }
  return opened.flatMap(rowsOf);
}

/** How each is started, and how it is asked for the references of a function of a module. */
function bridges(folder, bundle, modules) {
  const [config, theirs] = ["cclsp.json", "lsmcp.json"].map((name) => join(modules, name));
  const command = [join(repository, "node_modules", ".bin", server.command), ...server.args];
  const { options } = server;
  const one = { extensions: ["ts"], command, rootDir: folder, initializationOptions: options };
  writeFileSync(config, JSON.stringify({ servers: [one] }));
  const [bin, ...args] = command;
  const preset = { presetId: "bench", name: "bench", baseLanguage: "typescript", bin, args };
  writeFileSync(theirs, JSON.stringify({ ...preset, files: ["**/*.ts"], initializationOptions: options }));
  const script = (name, file) => join(modules, "node_modules", name, file);
  const path = (n) => `src/module${n}.ts`;
  return [
    {
      name: "lsp-proxy",
      words: [program, "serve", "--bundle", bundle, "--workspace", folder],
      tool: "find_references",
      args: (n) => ({ file_path: path(n), symbol_name: `compute${n}` }),
    },
    {
      name: "cclsp",
      words: [script("cclsp", "dist/index.js")],
      env: { CCLSP_CONFIG_PATH: config },
      tool: "find_references",
      args: (n) => ({ file_path: join(folder, path(n)), symbol_name: `compute${n}` }),
    },
    {
      name: "@mizchi/lsmcp (on Node 22, which it needs)",
      node: script("node", "bin/node"),
      words: [script("@mizchi/lsmcp", "dist/lsmcp.js"), "--config", theirs],
      tool: "lsp_find_references",
      args: (n) => ({ root: folder, relativePath: path(n), line: 12, symbolName: `compute${n}` }),
    },
  ];
}

/** Starts a bridge and asks it once; some start their server at once, so the time counts from the start of the program. */
async function first({ name, node = process.execPath, words, env, tool, args }, folder) {
  const client = new StdioClient(node, words, { cwd: folder, env: { ...environment(), ...env } });
  const one = { name, client, tool, args, samples: [], right: 0, firstMs: undefined, failure: undefined };
  await unlessFailed(one, async () => {
    const { tools } = await withTime(client.open());
    if (!tools.some((entry) => entry.name === tool)) throw new Error(`has no ${tool}`);
    if (isRight(await withTime(client.call(tool, args(0))), 0)) one.right++;
    one.firstMs = performance.now() - client.started;
  });
  return one;
}

async function further(one, n) {
  if (one.failure !== undefined) return;
  await unlessFailed(one, async () => {
    let answer;
    const spent = await timed(async () => {
      answer = await withTime(one.client.call(one.tool, one.args(n)));
    });
    one.samples.push(spent);
    if (isRight(answer, n)) one.right++;
  });
}

async function unlessFailed(one, action) {
  try {
    await action();
  } catch (error) {
    one.failure = error instanceof Error ? error.message : String(error);
  }
}

function rowsOf({ name, samples, right, firstMs, failure }) {
  if (failure !== undefined) return [alone(`${name}: ${failure}`, right, "right answers")];
  return [
    alone(`${name}: first answer, from the start of the program`, firstMs, "ms"),
    alone(`${name}: further calls, p50`, quantile(samples, 0.5), "ms"),
    alone(`${name}: right answers`, right, `of ${rounds}`),
  ];
}

/** Whether the answer names every module with a place: the declaration's own and the three that use it. */
function isRight(answer, n) {
  const text = JSON.stringify(answer);
  const modules = [n, ...[1, 2, 3].map((step) => (n - step + count) % count)];
  return modules.every((other) => text.includes(`module${other}.ts`));
}

function withTime(promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error("no answer within 60 s")), 60_000);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
