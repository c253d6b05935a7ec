/** An MCP session with a server that is started as a manifest says, for a new user with one trusted TypeScript project. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { mustRun } from "./tools.mjs";

/** Starts the server in the project, and asks it a question that only a language server can answer. Returns what it did. */
export async function tryServer(root, manifestOf) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-release-")));
  const [home, project] = [join(folder, "home"), join(folder, "project")];
  for (const path of [home, join(project, "src")]) mkdirSync(path, { recursive: true });
  writeFileSync(join(project, "tsconfig.json"), '{ "include": ["src"] }\n');
  writeFileSync(
    join(project, "src", "greet.ts"),
    "export function greet(): string {\n  return 'hello';\n}\n",
  );
  writeFileSync(join(project, "src", "use.ts"), 'import { greet } from "./greet.js";\ngreet();\n');
  const { command, args, env: own = {} } = manifestOf(project);
  const path = [join(root, "node_modules", ".bin"), process.env.PATH].join(delimiter);
  const env = { ...own, HOME: home, PATH: path };
  const program = args[0];
  const lspProxy = (...words) => mustRun(process.execPath, [program, ...words], { cwd: project, env });
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
    rmSync(folder, { recursive: true, force: true });
  }
}
