/** The steps of a new user with one TypeScript project: installs and sets up, or starts the server as a manifest says. */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { mustRun } from "./tools.mjs";

/** Acts for a new user: an empty home, a TypeScript project, and the servers of this repository on PATH. */
async function withProject(root, act) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-release-")));
  const [home, project] = [join(folder, "home"), join(folder, "project")];
  for (const path of [home, join(project, "src")]) mkdirSync(path, { recursive: true });
  writeFileSync(join(project, "tsconfig.json"), '{ "include": ["src"] }\n');
  writeFileSync(
    join(project, "src", "greet.ts"),
    "export function greet(): string {\n  return 'hello';\n}\n",
  );
  writeFileSync(join(project, "src", "use.ts"), 'import { greet } from "./greet.js";\ngreet();\n');
  const path = [join(root, "node_modules", ".bin"), process.env.PATH].join(delimiter);
  try {
    return await act({ project, home, env: { HOME: home, PATH: path } });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Installs the package as the README says, sets up the project in one command, and asks the doctor. Returns what it said last. */
export function trySetup(root, tarball) {
  return withProject(root, ({ project, home, env }) => {
    const prefix = join(home, ".npm-global");
    const words = [
      "install",
      "--global",
      "--prefix",
      prefix,
      "--offline",
      "--no-audit",
      "--no-fund",
      tarball,
    ];
    mustRun("npm", words);
    const lspProxy = (...words) => mustRun(join(prefix, "bin", "lsp-proxy"), words, { cwd: project, env });
    lspProxy("setup", "--yes", "--client", "codex");
    const entry = readFileSync(join(home, ".codex", "config.toml"), "utf8");
    if (!entry.includes("[mcp_servers.lsp-proxy]")) throw new Error(`the entry of Codex is ${entry}`);
    return lspProxy("doctor").trim().split("\n").at(-1);
  });
}

/** Starts the server in the project, and asks it a question that only a language server can answer. Returns what it did. */
export function tryServer(root, manifestOf) {
  return withProject(root, async ({ project, env: user }) => {
    const { command, args, env: own = {} } = manifestOf(project);
    const env = { ...own, ...user };
    const lspProxy = (...words) => mustRun(process.execPath, [args[0], ...words], { cwd: project, env });
    try {
      lspProxy("trust", "--yes");
      const client = new Client({ name: "release", version: "0" });
      await client.connect(new StdioClientTransport({ command, args, env, cwd: project, stderr: "ignore" }));
      const { tools } = await client.listTools();
      const answer = await client.callTool(
        { name: "find_references", arguments: { file_path: "src/greet.ts", symbol_name: "greet" } },
        undefined,
        { timeout: 120_000 },
      );
      await client.close();
      const text = JSON.stringify(answer.content);
      if (answer.isError || !text.includes("src/use.ts")) throw new Error(`find_references answered ${text}`);
      return `${tools.length} tools, references found`;
    } finally {
      lspProxy("hub", "stop", "--all");
    }
  });
}
