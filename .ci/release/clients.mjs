/**
 * What installs the proxy in a client: a bundle for Claude Desktop, a plugin for Claude Code, an extension for Gemini CLI. Each
 * contains the program, is checked by the client's own tool, and is started as its manifest says.
 */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, sep } from "node:path";
import { tryServer } from "./session.mjs";
import { fetchTool, inFolder, mustRun } from "./tools.mjs";

export async function clientFolders(release) {
  await claudeDesktop(release);
  await claudeCode(release);
  await gemini(release);
}

async function claudeDesktop({ root, out, report, facts, write, unpacked }) {
  const part = "Claude Desktop bundle";
  const folder = copyOf(unpacked, join(out, "claude-desktop"));
  const bundle = join(out, `${facts.name}-${facts.version}.mcpb`);
  const mcpb = (...words) => mustRun(fetchTool("mcpb").bin("mcpb"), words);
  write("claude-desktop", folder);
  const isPacked = await report.check(part, "mcpb accepts the manifest and packs it", () => {
    mcpb("validate", join(folder, "manifest.json"));
    mcpb("pack", folder, bundle);
  });
  if (!isPacked) return;
  await report.check(part, "mcpb unpacks the same files; they start and answer", () =>
    inFolder(async (copy) => {
      mcpb("unpack", bundle, copy);
      mustRun("diff", ["-r", folder, copy]);
      const { mcp_config: entry } = readJson(join(copy, "manifest.json")).server;
      const variables = (project) => ({ "${__dirname}": copy, "${user_config.workspace}": project });
      return await tryServer(root, (project) => filled(entry, variables(project)));
    }),
  );
}

async function claudeCode({ root, out, report, facts, write, unpacked }) {
  const part = "Claude Code plugin";
  const folder = copyOf(unpacked, join(out, "claude-code"));
  write("claude-code", folder);
  const skill = join(folder, "skills", facts.name);
  mkdirSync(skill, { recursive: true });
  writeFileSync(join(skill, "SKILL.md"), await instructions(facts));
  await report.check(part, "`claude plugin validate --strict` accepts it", () =>
    inFolder((home) => {
      const env = { PATH: process.env.PATH, HOME: home, CLAUDE_CONFIG_DIR: home, DISABLE_AUTOUPDATER: "1" };
      mustRun(fetchTool("claude").bin("claude"), ["plugin", "validate", "--strict", folder], { env });
    }),
  );
  await report.check(part, "starts and answers", () => {
    const entry = readJson(join(folder, ".mcp.json")).mcpServers[facts.name];
    return tryServer(root, () => filled(entry, { "${CLAUDE_PLUGIN_ROOT}": folder }));
  });
  archive(folder, join(out, `${facts.name}-${facts.version}-claude-code.tar.gz`));
}

async function gemini({ root, out, report, facts, write, unpacked }) {
  const part = "Gemini CLI extension";
  const folder = copyOf(unpacked, join(out, "gemini"));
  write("gemini", folder);
  writeFileSync(join(folder, "GEMINI.md"), await instructions(facts, "--snippet"));
  await report.check(part, "`gemini extensions validate` accepts it", () =>
    inFolder((home) => {
      const env = { PATH: process.env.PATH, HOME: home, GEMINI_CLI_HOME: home };
      mustRun(fetchTool("gemini").bin("gemini"), ["extensions", "validate", folder], { env, cwd: home });
    }),
  );
  await report.check(part, "starts and answers", () => {
    const entry = readJson(join(folder, "gemini-extension.json")).mcpServers[facts.name];
    return tryServer(root, () => filled(entry, { "${extensionPath}": folder, "${/}": sep }));
  });
  archive(folder, join(out, `${facts.name}-${facts.version}-gemini.tar.gz`));
}

/** What an agent is told about the tools, without the languages of a project. */
function instructions({ program }, ...flags) {
  return inFolder((home) => {
    const project = join(home, "project");
    mkdirSync(project);
    const env = { PATH: process.env.PATH, HOME: home };
    return mustRun(process.execPath, [program, "skill", "print", ...flags], { cwd: project, env });
  });
}

/** A copy of the package's content, to which a manifest is added. */
function copyOf(unpacked, folder) {
  cpSync(unpacked, folder, { recursive: true });
  return folder;
}

/** An archive of a folder's content: the same bytes for the same files. */
function archive(folder, file) {
  const same = ["--sort=name", "--mtime=1985-10-26 08:15:00Z", "--owner=0", "--group=0", "--numeric-owner"];
  mustRun("tar", [...same, "--use-compress-program=gzip -n", "-cf", file, "-C", folder, "."]);
}

/** An entry with the client's variables replaced, as the client does it. */
function filled({ command, args, env }, variables) {
  const fill = (text) =>
    Object.entries(variables).reduce((done, [name, value]) => done.replaceAll(name, value), text);
  return { command: fill(command), args: args.map(fill), env };
}

function readJson(file) {
  return JSON.parse(readFileSync(file, "utf8"));
}
