/**
 * Other bridges that are on npm, fetched into a folder of their own: the same questions to the same language server, how long
 * they take, and whether the answers are right. Needs npm's registry; only run when it is named.
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
  execFileSync("npm", ["install", "--silent", "--prefix", modules, "cclsp", "@mizchi/lsmcp"], {
    stdio: "inherit",
  });
  const rows = [];
  for (const bridge of bridges(folder, bundle, modules)) rows.push(...(await measured(bridge, folder)));
  return rows;
}

/** How each is started, and how it is asked for the references of a function of a module. */
function bridges(folder, bundle, modules) {
  const config = join(modules, "cclsp.json");
  const command = [join(repository, "node_modules", ".bin", server.command), ...server.args];
  const { options } = server;
  const one = { extensions: ["ts"], command, rootDir: folder, initializationOptions: options };
  writeFileSync(config, JSON.stringify({ servers: [one] }));
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
      name: "@mizchi/lsmcp",
      words: [script("@mizchi/lsmcp", "dist/lsmcp.js"), "--bin", command.join(" "), "--files", "**/*.ts"],
      tool: "lsp_find_references",
      args: (n) => ({ root: folder, relativePath: path(n), line: 12, symbolName: `compute${n}` }),
    },
  ];
}

async function measured({ name, words, env, tool, args }, folder) {
  const client = new StdioClient(process.execPath, words, {
    cwd: folder,
    env: { ...environment(), ...env },
  });
  try {
    const { tools } = await withTime(client.open());
    if (!tools.some((entry) => entry.name === tool)) {
      const names = tools.map((entry) => entry.name).join(", ");
      return [alone(`${name}: has no ${tool} (${names})`, 0, "tools")];
    }
    const samples = [];
    let right = 0;
    let first;
    for (let n = 0; n < rounds; n++) {
      let answer;
      const spent = await timed(async () => {
        answer = await withTime(client.call(tool, args(n)));
      });
      if (isRight(answer, n)) right++;
      if (n === 0) first = spent;
      else samples.push(spent);
    }
    return [
      alone(`${name}: first call`, first, "ms"),
      alone(`${name}: further calls, p50`, quantile(samples, 0.5), "ms"),
      alone(`${name}: right answers`, right, `of ${rounds}`),
    ];
  } catch (error) {
    return [alone(`${name}: ${error instanceof Error ? error.message : error}`, 0, "answers")];
  } finally {
    client.child.kill("SIGTERM");
    await client.close();
  }
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
