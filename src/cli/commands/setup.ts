/**
 * `setup`: detects the languages, asks for trust, installs missing servers, writes the entries of clients, and sends a
 * request to each server.
 */
import { basename } from "node:path";
import { Writable } from "node:stream";
import { ConfigError } from "../../base/problem.js";
import type { ClientFacts } from "../../config/catalogue/clients.js";
import { neededProposals, outsideStacks, type Proposal } from "../../config/catalogue/detect.js";
import type { PresetFacts } from "../../config/catalogue/preset-index.js";
import { clientFiles, findClient, isClientInstalled, knownClients } from "../clients/client-files.js";
import { type Command, type ExitCode, exitCodes, type Input, type Io, Stopped } from "../command.js";
import { workspaceFolder } from "../compile.js";
import { detectServers } from "../detect-servers.js";
import type { Finding, Report } from "../doctor-servers.js";
import { type Found, languagesText, membersOf } from "../files/config-text.js";
import { configFlags, option, toggle } from "../flags.js";
import { installCommand, systemOf, waysFor } from "../install/ways.js";
import { findInstalled, openCatalogue, presetNamed } from "../presets.js";
import { answerStep, compiledOr } from "../setup-answers.js";
import { Output } from "../terminal/output.js";
import { askUntil, confirm, isInteractive, parseSelection } from "../terminal/prompt.js";
import { some } from "../terminal/text.js";
import {
  askForTrust,
  grantLines,
  inspectTrust,
  recordTrust,
  type WorkspaceTrust,
} from "../trust-workspace.js";
import { writeClient } from "./client.js";
import { printFinding } from "./doctor.js";
import { named } from "./init.js";
import { installOne } from "./install.js";

const EACH_ALONE =
  "each step alone: `lsp-proxy servers`, `lsp-proxy trust`, `lsp-proxy install`, `lsp-proxy client NAME --write`, `lsp-proxy doctor`";

const RUN_WITH_YES =
  "There is no terminal to ask on: run with --yes, which installs it and trusts the workspace.";

export const setup: Command = {
  name: "setup",
  summary: "Sets up a workspace: language servers, trust and MCP clients; then tests each server.",
  usage: "[--client NAME] [--only NAME] [--yes]",
  description:
    "Detects the languages of the workspace, asks for trust, installs the missing servers, writes the entries of MCP\n" +
    "clients, and sends a real request to each server. It can be run again: steps that are done are not repeated. Exits\n" +
    "with 0 only when every language with a server has answered.",
  flags: {
    workspace: configFlags.workspace,
    client: {
      ...option("NAME", "The MCP client to set up; may be repeated."),
      absent: "asks, or the only one found",
      multiple: true,
    },
    only: {
      ...option("NAME", "Installs only for this language or server; may be repeated."),
      multiple: true,
    },
    yes: toggle("Asks nothing: trusts the workspace, and runs commands that change the system.", "y"),
  },
  examples: ["lsp-proxy setup", "lsp-proxy setup --yes --client codex"],
  async run(input, io) {
    try {
      return await setUp(input, io);
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
      throw new Stopped("stopped. What is done is kept; `lsp-proxy setup` goes on from there");
    }
  },
};

async function setUp(input: Input, io: Io): Promise<ExitCode> {
  const workspace = workspaceFolder(input, io);
  const clients = input.texts("client").map(findClient);
  const findings: Finding[] = [];
  const report: Report = (area, state, text, fix) => {
    const finding = { area, state, text, ...(fix === undefined ? {} : { fix }) };
    findings.push(finding);
    printFinding(finding, io);
  };
  const found = await detectServers(workspace, openCatalogue(), input, io);
  const wanted = wantedOf(found, input);
  reportLanguages(found, wanted, report);
  await trustStep(workspace, wanted, found, input, io, report);
  await installStep(wanted, found, input, io, report);
  await clientStep(clients, workspace, input, io, report);
  const answers = await answerStep(wanted, found, input, io, report);
  const isDone = answers > 0 && findings.every(({ state }) => state !== "problem");
  io.stdout.write(
    `\n${isDone ? "ready" : "not ready: do what is shown above, then run it again"}; ${EACH_ALONE}\n`,
  );
  return isDone ? exitCodes.ok : exitCodes.no;
}

/** The proposals to set up: those that the workspace needs, or those that `--only` names. */
function wantedOf(found: Found, input: Input): readonly Proposal[] {
  const only = input.texts("only").flatMap((name) => named(name, found));
  if (only.length === 0) return neededProposals(found.proposals, found.languages);
  return found.proposals.filter((proposal) => only.includes(proposal));
}

function reportLanguages(found: Found, wanted: readonly Proposal[], report: Report): void {
  const counts = (proposals: readonly Proposal[]) =>
    some(
      proposals.map((proposal) => `${languagesText(found.languages(proposal))} ${proposal.files}`),
      8,
    );
  const others = found.proposals.filter(
    (proposal) => !wanted.includes(proposal) && found.presence(proposal) !== "installed",
  );
  if (wanted.length > 0) {
    report("languages", "ok", `files by language: ${counts(wanted)}`);
    const fix = "`lsp-proxy install LANGUAGE` installs the server of one.";
    if (others.length > 0) report("languages", "note", `without a server: ${counts(others)}`, fix);
  } else
    report(
      "languages",
      "problem",
      "no file for a server of the catalogue",
      "`lsp-proxy servers` lists them.",
    );
}

async function trustStep(
  workspace: string,
  wanted: readonly Proposal[],
  found: Found,
  input: Input,
  io: Io,
  report: Report,
): Promise<void> {
  const state = inspectTrust(workspace, io);
  // Where there is nothing to start, trust would only count for what is put there later.
  if (wanted.length === 0 && state.found === undefined) return;
  if (!state.isTrusted && input.isOn("yes")) {
    for (const line of grantLines(state)) io.stderr.writeLine(line);
    await recordTrust(state, io);
  }
  const isTrusted = state.isTrusted || input.isOn("yes") || (await askForTrust(state, io));
  if (isTrusted) report("trust", "ok", `${workspace} is trusted`);
  else {
    const fix = "`lsp-proxy trust` trusts it; then run `lsp-proxy setup` again.";
    report("trust", "warning", `${workspace} is not trusted: ${withoutTrust(state, wanted, found)}`, fix);
  }
}

/** What does not work without trust. */
function withoutTrust(state: WorkspaceTrust, wanted: readonly Proposal[], { presence }: Found): string {
  if (state.found !== undefined) return `what its ${basename(state.found.file)} starts or allows is not used`;
  const isHeld = (proposal: Proposal) => presence(proposal) === "untrusted";
  const waiting = wanted.flatMap((proposal) =>
    membersOf(proposal).filter(({ harmless }) => harmless !== true || isHeld(proposal)),
  );
  if (waiting.length === 0) return "its own packages, plugins and programs are not used";
  return `${ids(waiting)} may run its code, and will not start`;
}

/** Installs the servers that the config has, or without a config those that the languages need. */
async function installStep(
  wanted: readonly Proposal[],
  found: Found,
  input: Input,
  io: Io,
  report: Report,
): Promise<void> {
  const configured = await configuredServers(input, io);
  const presets = [...new Set(configured ?? outsideStacks(wanted, found.scan).flatMap(membersOf))];
  const presence = await findInstalled(presets, input, io);
  const present = presets.filter((preset) => !["missing", "incomplete"].includes(presence(preset)));
  const usable = present.filter((preset) => presence(preset) !== "untrusted");
  if (usable.length > 0) report("install", "ok", `already installed: ${ids(usable)}`);
  // The answer of each says what trust it lacks.
  const held = present.filter((preset) => presence(preset) === "untrusted");
  const copies =
    "`lsp-proxy trust` lets them be used; `lsp-proxy install NAME` installs one that needs no trust.";
  if (held.length > 0)
    report("install", "note", `only in the workspace, which is not trusted: ${ids(held)}`, copies);
  const missing = presets.filter((preset) => !present.includes(preset));
  const system = systemOf(io.env.PATH);
  const isPossible = ({ install }: PresetFacts) =>
    waysFor(install ?? {}, system).some(({ kind }) => kind !== "see");
  const possible = missing.filter(isPossible);
  const canAsk = isInteractive(io);
  const isAllowed =
    possible.length > 0 &&
    (input.isOn("yes") || (canAsk && (await confirm(io, `Install ${ids(possible)}?`, "yes"))));
  // The language with the most files is never left without a server.
  const main = found.proposals.slice(0, 1).flatMap(membersOf);
  for (const preset of missing) {
    // The installation itself prints what it does, which is not part of the short report.
    const isThere =
      isAllowed &&
      possible.includes(preset) &&
      (await installOne(preset, input, { ...io, stdout: io.stderr }));
    const isMain = configured !== undefined || main.includes(preset);
    if (isThere) report("install", "ok", `${preset.id} is installed`);
    else if (!isAllowed && !canAsk && possible.includes(preset))
      report("install", "problem", `${preset.id} is not installed: nobody can be asked`, RUN_WITH_YES);
    else if (possible.includes(preset) || isMain)
      report("install", "problem", `${preset.id} is not installed`, `\`${installCommand(preset)}\``);
    else
      report(
        "install",
        "note",
        `${preset.id} cannot be installed here`,
        `\`${installCommand(preset)}\` says why.`,
      );
  }
}

function ids(presets: readonly PresetFacts[]): string {
  return presets.map(({ id }) => id).join(", ");
}

/** The servers that the workspace's config lists and that are in the catalogue; undefined where none may be used. */
async function configuredServers(input: Input, io: Io): Promise<PresetFacts[] | undefined> {
  const compiled = await compiledOr(input, io, () => {});
  if (compiled === undefined || compiled.isScanned) return undefined;
  const facts = openCatalogue().facts();
  const { servers = [] } = compiled.loaded.config;
  return servers.flatMap(({ kind }) => presetNamed(kind ?? "", facts) ?? []);
}

async function clientStep(
  named: readonly ClientFacts[],
  workspace: string,
  input: Input,
  io: Io,
  report: Report,
): Promise<void> {
  const chosen = named.length > 0 ? named : await chooseClients(workspace, input, io);
  const fix = "`lsp-proxy client` lists the clients; `lsp-proxy client NAME --write` sets one up.";
  if (chosen.length === 0) {
    const done = clientFiles(workspace, io).filter(({ names }) => names);
    if (done.length === 0) report("client", "note", "no client was set up", fix);
    else report("client", "ok", `already set up: ${done.map(({ client }) => client).join(", ")}`, fix);
  }
  for (const facts of chosen) {
    const lines: string[] = [];
    const stream = new Writable({
      write(chunk, _encoding, done) {
        lines.push(String(chunk).trim());
        done();
      },
    });
    try {
      const why = await writeClient(facts, workspace, { ...io, stdout: new Output(stream, io.env) });
      if (why === undefined) report("client", "ok", `${facts.title}: ${lines.join(", ")}`);
      else report("client", "problem", `${facts.title}: ${why}`, `\`lsp-proxy client ${facts.id} --write\``);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      for (const problem of error.problems)
        report("client", "problem", `${facts.title}: ${problem.message}`, problem.fix);
    }
  }
}

/** The clients to set up: on a terminal those that the user picks; with --yes the only one that is found. */
async function chooseClients(workspace: string, input: Input, io: Io): Promise<readonly ClientFacts[]> {
  const here = knownClients().filter((client) => isClientInstalled(client, workspace, io));
  if (input.isOn("yes")) return here.length === 1 ? here : [];
  if (here.length === 0 || !isInteractive(io)) return [];
  for (const [index, { title }] of here.entries()) io.stderr.writeLine(`${index + 1}  ${title}`);
  const question = "Which clients to set up? Numbers (1 3-5), none, or Enter for all: ";
  const picked = await askUntil(io, question, (answer) => {
    if (answer === "") return here;
    const selection = parseSelection(answer, here.length);
    if ("picked" in selection) return here.filter((_, index) => selection.picked.has(index + 1));
    io.stderr.writeLine(`\`${selection.unknown}\` is not a number from 1 to ${here.length}`);
    return undefined;
  });
  return picked ?? [];
}
