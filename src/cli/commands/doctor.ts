/** `doctor`: checks config, trust, bundle, servers, tools and clients, and says how to fix each problem. */
import { existsSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { toolSizes } from "../../abi/tool-sizes.js";
import { escapeLine } from "../../base/hidden-characters.js";
import { homeOf } from "../../base/home.js";
import { ConfigError, type Problem } from "../../base/problem.js";
import { plural } from "../../base/words.js";
import { checkBundle } from "../../emit/check.js";
import { scanWorkspace } from "../../workspace/scan.js";
import { walkedDisk } from "../../workspace/walk.js";
import { clientFiles } from "../clients/client-files.js";
import { type Command, exitCodes, type Input, type Io, printJson } from "../command.js";
import { type Compiled, compile } from "../compile.js";
import { checkLanguages } from "../doctor-languages.js";
import { checkServers, type Finding, type Report } from "../doctor-servers.js";
import { configFlags, logFlags, option, toggle, withDefault } from "../flags.js";
import type { Trial } from "../server-trials.js";
import { version } from "../shipped.js";
import type { Printed } from "../terminal/output.js";
import { MOST_SHOWN } from "../terminal/report.js";
import { some } from "../terminal/text.js";
import { workspaceOf } from "../workspace.js";
import { toolsIn } from "./tools.js";

/** A larger `tools/list` takes a noticeable part of a model's context. */
const TOOLS_BUDGET = 8_192;

export const doctor: Command = {
  name: "doctor",
  summary: "Checks config, trust, servers, tools and clients; shows the fix of every problem.",
  usage: "[--config FILE] [--json]",
  description:
    "Checks the config, its trust and its bundle, starts each server that has a file in the workspace, measures the tool list,\n" +
    "and searches the configs of clients. Exits with 1 when there is a problem, with 3 when it is in the config.",
  flags: {
    ...configFlags,
    bundle: withDefault(
      option("DIR", "The bundle to compare with the config.", "b"),
      ".lspi/bundle, if it exists",
    ),
    "no-start": toggle("Starts no server."),
    json: toggle("Prints the findings as JSON."),
    ...logFlags,
  },
  examples: ["lsp-proxy doctor", "lsp-proxy doctor --json", "lsp-proxy doctor --config lspi.toml --no-start"],
  async run(input, io) {
    const findings: Finding[] = [];
    const servers: Trial[] = [];
    const json = input.isOn("json");
    const report: Report = (area, state, text, fix) => {
      const finding = { area, state, text, ...(fix === undefined ? {} : { fix }) };
      findings.push(finding);
      if (!json) printFinding(finding, io);
    };
    report("program", "ok", `lsp-proxy ${version()} on Node ${process.versions.node}`);
    const compiled = await checkConfig(input, io, report);
    if (compiled) {
      checkTrust(compiled, input, io, report);
      checkBundleFolder(compiled, input, io, report);
      await checkIgnoreFiles(compiled, io, report);
      servers.push(...(await checkServers(compiled, input, io, report)));
      await checkLanguages(compiled, input, io, report);
      checkTools(compiled, report);
    }
    checkClients(input, io, report);
    const problems = findings.filter(({ state }) => state === "problem").length;
    if (json) printJson(io, { ok: problems === 0, findings, servers });
    else io.stdout.write(`\n${problems === 0 ? "no problems" : plural(problems, "problem")}\n`);
    if (compiled === undefined) return exitCodes.problems;
    return problems === 0 ? exitCodes.ok : exitCodes.no;
  },
};

const marks = { ok: "✓", note: "·", warning: "!", problem: "✗" } as const;
const colors = { ok: "32", note: "2", warning: "33", problem: "31" } as const;

export function printFinding(finding: Finding, io: Io): void {
  for (const [line, hang] of findingLines(finding)) io.stdout.writeText(line, hang);
}

/** A finding in one line, with its fix below it; each with the indentation of what does not fit into the line. */
function findingLines({ area, state, text, fix }: Finding): [Printed, hang: number][] {
  const mark = { style: colors[state], text: marks[state] };
  const lines: [Printed, hang: number][] = [[[mark, ` ${area.padEnd(10)} ${escapeLine(text)}\n`], 13]];
  if (fix !== undefined) lines.push([`${" ".repeat(13)}→ ${escapeLine(fix)}\n`, 15]);
  return lines;
}

function stateOf(severity: Problem["severity"]): "problem" | "warning" {
  return severity === "error" ? "problem" : "warning";
}

async function checkConfig(input: Input, io: Io, report: Report): Promise<Compiled | undefined> {
  try {
    const compiled = await compile(input, io);
    const { loaded, plan, warnings } = compiled;
    const name = loaded.main.file ?? "the embedded default: no config was found";
    report("config", "ok", `${name} (${plural(plan.servers.length, "server")})`);
    for (const { message, fix } of warnings) report("config", "warning", message, fix);
    return compiled;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const { problems } = error;
    for (const { code, severity, message, fix, place } of problems.slice(0, MOST_SHOWN)) {
      const at = place ? `${relative(io.cwd, place.file) || place.file}:${place.line}: ` : "";
      report(code === "config/untrusted" ? "trust" : "config", stateOf(severity), `${at}${message}`, fix);
    }
    const more = problems.length - MOST_SHOWN;
    if (more > 0) report("config", "problem", `and ${more} more`);
    return undefined;
  }
}

const TRUST_FIX = "`lsp-proxy trust` trusts the workspace, `--trust-workspace` for one run.";

function checkTrust({ loaded, binFolders }: Compiled, input: Input, io: Io, report: Report): void {
  const { kind } = loaded.main;
  const trusted = `the config is trusted${kind === "named" ? " because it was named" : ""}`;
  const text = loaded.isTrusted ? trusted : "the config needs no trust: it adds no program and no permission";
  if (kind !== "embedded") report("trust", "ok", text);
  const local = join(workspaceOf(input, io), "node_modules", ".bin");
  if (!binFolders.includes(local) && existsSync(local))
    report("trust", "note", "servers in the workspace's node_modules/.bin are not used", TRUST_FIX);
}

function checkBundleFolder({ bundle, loaded }: Compiled, input: Input, io: Io, report: Report): void {
  const named = input.text("bundle");
  const folder = named === undefined ? join(loaded.folder, ".lspi", "bundle") : resolve(io.cwd, named);
  if (named === undefined && !existsSync(folder)) return;
  const differences = checkBundle(bundle, folder).map(({ message }) => message);
  const text = `${folder} differs from the config: ${some(differences, 3)}`;
  if (differences.length === 0) report("bundle", "ok", `${folder} is up to date`);
  else report("bundle", "problem", text, `\`lsp-proxy generate --out ${folder}\` writes it again.`);
}

/** Reports the parts of `.gitignore` files that are not used. */
async function checkIgnoreFiles({ loaded, plan }: Compiled, io: Io, report: Report): Promise<void> {
  const person = { env: io.env, home: homeOf(io.env) };
  for (const root of plan.workspace.roots) {
    const { notes } = await scanWorkspace(resolve(loaded.base, root), walkedDisk, person);
    const fix = "Shorten the file, or remove it: files that it names are watched like all others.";
    for (const note of notes) report("workspace", "warning", note, fix);
  }
}

function checkTools({ bundle, plan }: Compiled, report: Report): void {
  const sizes = toolSizes(toolsIn(bundle), plan);
  const bytes = sizes.reduce((sum, tool) => sum + tool.bytes, 0);
  const text = `${sizes.length} tools take ${bytes} bytes of a model's context`;
  const fix = "`mcp.tools.allow` limits the list; `lsp-proxy tools` shows the size of each.";
  if (bytes <= TOOLS_BUDGET) report("tools", "ok", text);
  else report("tools", "note", text, fix);
}

function checkClients(input: Input, io: Io, report: Report): void {
  const workspace = workspaceOf(input, io);
  const files = clientFiles(workspace, io);
  for (const { client, file, names, problem } of files) {
    if (problem === undefined) continue;
    const at = problem.place === undefined ? "" : `:${problem.place.line}:${problem.place.column}`;
    report(
      "clients",
      names ? "problem" : "warning",
      `${client}: ${file}${at}: ${problem.message}`,
      problem.fix,
    );
  }
  const readable = files.filter(({ problem }) => problem === undefined);
  const naming = readable.filter(({ names }) => names);
  for (const { client, file, id, absent, targets, servesWorkspace } of naming) {
    const text = `${client} would start what does not exist: ${some(absent, 3)} (${file})`;
    const fix = `\`lsp-proxy client ${id} --write\` writes the entry again, or correct it by hand.`;
    const purpose = targets.length === 0 ? "" : `, for ${some([...new Set(targets)], 3)}`;
    const entry = `${client} has lsp-proxy in ${file}${purpose}`;
    const isForHere = targets.length === 0 || servesWorkspace;
    if (absent.length > 0) report("clients", "problem", text, fix);
    else if (isForHere) report("clients", "ok", entry);
    else report("clients", "warning", `${entry}, not for ${workspace}`, fix);
  }
  if (files.some(({ names }) => names)) return;
  const titles = [...new Set(readable.map(({ client }) => client))];
  const text = titles.length > 0 ? `not set up in ${some(titles, 5)}` : "no config of a client was found";
  const fix = "`lsp-proxy client` lists the clients; `lsp-proxy client NAME --write` sets one up.";
  report("clients", "note", text, fix);
}
