/** `doctor`: looks at everything between an agent and its language servers, and says what to do about what is wrong. */
import { existsSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { TOOLS_FILE, type ToolEntry } from "../../abi/bundle.js";
import { ConfigError } from "../../base/problem.js";
import { checkBundle } from "../../emit/check.js";
import { type Command, exitCodes, type Input, isOn, type Surroundings, textFlag } from "../command.js";
import { type Compiled, compile, workspaceOf } from "../compile.js";
import { clientFiles } from "../files/client-files.js";
import { configFlags } from "../flags.js";
import { logFlags } from "../log/log.js";
import { version } from "../shipped.js";
import { type Finding, findingLines, type Tell } from "../terminal/findings.js";
import { some } from "../terminal/table.js";
import { tellServers } from "../trial/doctor-servers.js";
import type { Examination } from "../trial/examine.js";
import { weigh } from "./tools.js";

/** What `tools/list` may weigh before a model's context feels it. */
const TOOLS_BUDGET = 8_192;

export const doctor: Command = {
  name: "doctor",
  summary: "Looks at config, trust, servers, tools and clients; every finding with its fix.",
  usage: "[--config FILE] [--json]",
  description:
    "Reads the config, looks whether it is trusted and whether its bundle is up to date, starts each server that has a file\n" +
    "in the workspace and asks it something, weighs the tool list, and looks for the proxy in clients' configs. Exits with\n" +
    "1 when there is a problem, with 3 when it is in the config.",
  flags: {
    ...configFlags,
    bundle: {
      type: "string",
      short: "b",
      value: "DIR",
      description: "The bundle to compare with the config; .lspi/bundle when absent and there.",
    },
    "no-start": { type: "boolean", description: "Starts no server." },
    json: { type: "boolean", description: "Prints the findings as JSON." },
    ...logFlags,
  },
  words: { min: 0, max: 0 },
  examples: ["lsp-proxy doctor", "lsp-proxy doctor --json", "lsp-proxy doctor --config lspi.toml --no-start"],
  async run(input, io) {
    const findings: Finding[] = [];
    const servers: Examination[] = [];
    const tell = (finding: Finding) => {
      findings.push(finding);
      if (!isOn(input, "json")) io.stdout.write(findingLines(finding, io));
    };
    tell({ area: "program", state: "ok", text: `lsp-proxy ${version()} on Node ${process.versions.node}` });
    const compiled = await readConfig(input, io, tell);
    if (compiled) {
      tellTrust(compiled, input, io, tell);
      tellBundle(compiled, input, io, tell);
      servers.push(...(await tellServers(compiled, input, io, tell)));
      tellTools(compiled, tell);
    }
    tellClients(input, io, tell);
    const problems = findings.filter(({ state }) => state === "problem").length;
    if (isOn(input, "json"))
      io.stdout.write(`${JSON.stringify({ ok: problems === 0, findings, servers }, null, 2)}\n`);
    else
      io.stdout.write(
        problems === 0 ? "\nno problems\n" : `\n${problems} problem${problems === 1 ? "" : "s"}\n`,
      );
    if (compiled === undefined) return exitCodes.problems;
    return problems === 0 ? exitCodes.ok : exitCodes.no;
  },
};

async function readConfig(input: Input, io: Surroundings, tell: Tell): Promise<Compiled | undefined> {
  try {
    const compiled = await compile(input, io);
    const { loaded, plan, warnings } = compiled;
    const name = loaded.main.file ?? "the embedded default: no config was found";
    tell({
      area: "config",
      state: "ok",
      text: `${name} (${plan.servers.length} server${plan.servers.length === 1 ? "" : "s"})`,
    });
    for (const { message, fix } of warnings) tell({ area: "config", state: "warning", text: message, fix });
    return compiled;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const { code, message, fix, place } of error.problems) {
      const at = place ? `${relative(io.cwd, place.file) || place.file}:${place.line}: ` : "";
      tell({
        area: code === "config/untrusted" ? "trust" : "config",
        state: "problem",
        text: `${at}${message}`,
        fix,
      });
    }
    return undefined;
  }
}

function tellTrust({ loaded, binFolders }: Compiled, input: Input, io: Surroundings, tell: Tell): void {
  const { kind } = loaded.main;
  if (kind === "named")
    tell({ area: "trust", state: "ok", text: "the config was named, which is trusting it" });
  if (kind === "discovered") tell({ area: "trust", state: "ok", text: "the config may do what it asks for" });
  const local = join(workspaceOf(input, io), "node_modules", ".bin");
  if (!binFolders.includes(local) && existsSync(local))
    tell({
      area: "trust",
      state: "note",
      text: "servers in the workspace's node_modules/.bin are not looked at",
      fix: "`lsp-proxy trust` trusts the workspace, `--trust-workspace` for one run.",
    });
}

function tellBundle({ bundle, loaded }: Compiled, input: Input, io: Surroundings, tell: Tell): void {
  const named = textFlag(input, "bundle");
  const folder = named === undefined ? join(loaded.folder, ".lspi", "bundle") : resolve(io.cwd, named);
  if (named === undefined && !existsSync(folder)) return;
  const differences = checkBundle(bundle, folder);
  if (differences.length === 0) tell({ area: "bundle", state: "ok", text: `${folder} is up to date` });
  else
    tell({
      area: "bundle",
      state: "problem",
      text: `${folder} is not what the config means: ${some(
        differences.map(({ message }) => message),
        3,
      )}`,
      fix: `\`lsp-proxy generate --out ${folder}\` writes it anew.`,
    });
}

function tellTools({ bundle, plan }: Compiled, tell: Tell): void {
  const list = bundle.files.find(({ path }) => path === TOOLS_FILE)?.text ?? "[]";
  const entries = JSON.parse(list) as ToolEntry[];
  const bytes = entries.reduce((sum, entry) => sum + weigh(entry, plan.dialect.outputSchemas), 0);
  const text = `${entries.length} tools weigh ${bytes} bytes in a model's context`;
  if (bytes <= TOOLS_BUDGET) tell({ area: "tools", state: "ok", text });
  else
    tell({
      area: "tools",
      state: "note",
      text,
      fix: "`mcp.tools.allow` lists only those that you want; `lsp-proxy tools` tells what each weighs.",
    });
}

function tellClients(input: Input, io: Surroundings, tell: Tell): void {
  const files = clientFiles(workspaceOf(input, io), io);
  const naming = files.filter(({ names }) => names);
  for (const { client, file, id, absent } of naming)
    tell(
      absent.length === 0
        ? { area: "clients", state: "ok", text: `${client} knows it: ${file}` }
        : {
            ...{ area: "clients", state: "problem" },
            text: `${client} would start what is not there: ${some(absent, 3)} (${file})`,
            fix: `\`lsp-proxy client ${id} --write\` writes the entry anew, or correct it by hand.`,
          },
    );
  if (naming.length === 0)
    tell({
      area: "clients",
      state: "note",
      text:
        files.length > 0
          ? `not known to ${some([...new Set(files.map(({ client }) => client))], 5)}`
          : "no client's config was found",
      fix: "`lsp-proxy client` lists the clients; `lsp-proxy client NAME --write` sets one up.",
    });
}
