/**
 * What installs the proxy in a client: a bundle for Claude Desktop, a plugin for Claude Code, an extension for Gemini CLI. Each contains the
 * program, is checked by the client's own tool, and is started as its manifest says.
 */
import { createHash } from "node:crypto";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import { tryServer } from "./session.mjs";
import { fetchTool, mustRun } from "./tools.mjs";

export async function clientFolders(release) {
  await claudeDesktop(release);
  await claudeCode(release);
  await gemini(release);
}

async function claudeDesktop({ root, out, report, facts, write, unpacked }) {
  const part = "Claude Desktop bundle";
  const folder = copyOf(unpacked, join(out, "claude-desktop"));
  const bundle = join(out, `${facts.name}-${facts.version}.mcpb`);
  write("claude-desktop", folder);
  const isPacked = await report.check(
    part,
    "mcpb accepts the manifest and packs it, twice with the same bytes",
    () => {
      const mcpb = fetchTool("mcpb").bin("mcpb");
      mustRun(mcpb, ["validate", join(folder, "manifest.json")]);
      sameTimes(folder);
      const [first, second] = [bundle, `${bundle}.again`].map((file) => {
        mustRun(mcpb, ["pack", folder, file]);
        return createHash("sha256").update(readFileSync(file)).digest("hex");
      });
      rmSync(`${bundle}.again`);
      if (first !== second) throw new Error("the bytes differ");
      return `sha256 ${first}`;
    },
  );
  if (!isPacked) return;
  await report.check(part, "starts from the unpacked bundle and answers", async () => {
    const copy = mkdtempSync(join(tmpdir(), "lsp-proxy-mcpb-"));
    try {
      mustRun(fetchTool("mcpb").bin("mcpb"), ["unpack", bundle, copy]);
      const { mcp_config: config } = JSON.parse(readFileSync(join(copy, "manifest.json"), "utf8")).server;
      return await tryServer(root, (project) =>
        filled(config, { "${__dirname}": copy, "${user_config.workspace}": project }),
      );
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  });
}

async function claudeCode({ root, out, report, facts, write, unpacked }) {
  const part = "Claude Code plugin";
  const folder = copyOf(unpacked, join(out, "claude-code"));
  write("claude-code", folder);
  const skill = join(folder, "skills", facts.name);
  mkdirSync(skill, { recursive: true });
  writeFileSync(join(skill, "SKILL.md"), instructions(facts, root));
  await report.check(part, "`claude plugin validate --strict` accepts it", () =>
    inOwnHome((home) => {
      const env = { PATH: process.env.PATH, HOME: home, CLAUDE_CONFIG_DIR: home, DISABLE_AUTOUPDATER: "1" };
      mustRun(fetchTool("claude").bin("claude"), ["plugin", "validate", "--strict", folder], { env });
    }),
  );
  await report.check(part, "starts and answers", () => {
    const entry = JSON.parse(readFileSync(join(folder, ".mcp.json"), "utf8")).mcpServers[facts.name];
    return tryServer(root, () => filled(entry, { "${CLAUDE_PLUGIN_ROOT}": folder }));
  });
}

async function gemini({ root, out, report, facts, write, unpacked }) {
  const part = "Gemini CLI extension";
  const folder = copyOf(unpacked, join(out, "gemini"));
  write("gemini", folder);
  writeFileSync(join(folder, "GEMINI.md"), instructions(facts, root, "--snippet"));
  await report.check(part, "`gemini extensions validate` accepts it", () =>
    inOwnHome((home) => {
      const env = { PATH: process.env.PATH, HOME: home, GEMINI_CLI_HOME: home };
      mustRun(fetchTool("gemini").bin("gemini"), ["extensions", "validate", folder], { env, cwd: home });
    }),
  );
  await report.check(part, "starts and answers", () => {
    const entry = JSON.parse(readFileSync(join(folder, "gemini-extension.json"), "utf8")).mcpServers[
      facts.name
    ];
    return tryServer(root, () => filled(entry, { "${extensionPath}": folder, "${/}": sep }));
  });
}

/** What an agent is told about the tools, without the languages of a project. */
function instructions({ program }, root, ...flags) {
  return mustRun(process.execPath, [program, "skill", "print", ...flags], {
    cwd: join(root, "configs", "profiles"),
  });
}

/** A copy of the package's content, to which a manifest is added. */
function copyOf(unpacked, folder) {
  cpSync(unpacked, folder, { recursive: true, preserveTimestamps: true });
  return folder;
}

/** An entry with the client's variables replaced, as the client does it. */
function filled({ command, args, env }, variables) {
  const fill = (text) =>
    Object.entries(variables).reduce((done, [name, value]) => done.replaceAll(name, value), text);
  return { command: fill(command), args: args.map(fill), env };
}

/** Gives all files one time, which archives contain. It is that of the files in an npm package. */
function sameTimes(folder) {
  const time = new Date("1985-10-26T08:15:00Z");
  for (const name of readdirSync(folder, { recursive: true })) utimesSync(join(folder, name), time, time);
}

function inOwnHome(act) {
  const home = mkdtempSync(join(tmpdir(), "lsp-proxy-home-"));
  try {
    return act(home);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
