/**
 * The packages that install the proxy in a client: a bundle for Claude Desktop, a plugin for Claude Code, an extension for Gemini CLI. Each
 * contains the program, is checked by the client's own tool, and is started as its manifest says.
 */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, sep } from "node:path";
import { tryServer } from "./session.mjs";
import { fetchTool, inFolder, mustRun, ran } from "./tools.mjs";

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
  const claude = ({ home, project }, ...words) => {
    const settings = { CLAUDE_CONFIG_DIR: join(home, "claude"), DISABLE_AUTOUPDATER: "1" };
    const env = { PATH: process.env.PATH, HOME: home, ...settings };
    return mustRun(fetchTool("claude").bin("claude"), words, { cwd: project, env });
  };
  await report.check(part, "`claude plugin validate --strict` accepts it, and Claude Code connects", () =>
    asNewUser(facts, (user) => {
      claude(user, "plugin", "validate", "--strict", folder);
      return connected(facts, claude(user, "--plugin-dir", folder, "mcp", "list"));
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
  const geminiCli = ({ home, project }, ...words) => {
    const settings = { GEMINI_CLI_HOME: home, GEMINI_CLI_TRUST_WORKSPACE: "true" };
    const env = { PATH: process.env.PATH, HOME: home, ...settings };
    const { stdout, stderr } = ran(fetchTool("gemini").bin("gemini"), words, { cwd: project, env });
    return stdout + stderr;
  };
  await report.check(part, "`gemini extensions validate` accepts it, and Gemini CLI connects", () =>
    asNewUser(facts, (user) => {
      geminiCli(user, "extensions", "validate", folder);
      geminiCli(user, "extensions", "install", folder, "--consent");
      return connected(facts, geminiCli(user, "mcp", "list"));
    }),
  );
  await report.check(part, "starts and answers", () => {
    const entry = readJson(join(folder, "gemini-extension.json")).mcpServers[facts.name];
    return tryServer(root, () => filled(entry, { "${extensionPath}": folder, "${/}": sep }));
  });
  archive(folder, join(out, `${facts.name}-${facts.version}-gemini.tar.gz`));
}

/** The instructions for an agent, without the languages of a project. */
function instructions(facts, ...flags) {
  return asNewUser(facts, ({ home, project }) => {
    const env = { PATH: process.env.PATH, HOME: home };
    return mustRun(process.execPath, [facts.program, "skill", "print", ...flags], { cwd: project, env });
  });
}

/** Acts with an empty home and an empty project. The hub that a client started ends with it. */
function asNewUser({ program }, act) {
  return inFolder(async (home) => {
    const project = join(home, "project");
    mkdirSync(project);
    try {
      return await act({ home, project });
    } finally {
      const env = { PATH: process.env.PATH, HOME: home };
      mustRun(process.execPath, [program, "hub", "stop", "--all"], { cwd: project, env });
    }
  });
}

/** The line of a client's list that says that it reached the server. */
function connected({ name }, list) {
  const line = list.split("\n").find((text) => text.includes(name) && /Connected$/.test(text.trim()));
  if (line === undefined) throw new Error(`it does not connect: ${list.trim()}`);
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
