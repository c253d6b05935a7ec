/** `verify`: tests one server of the catalogue through the tools on a sample project of its language. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { statOf } from "../../base/file-stamp.js";
import { escapeLine } from "../../base/hidden-characters.js";
import type { JsonObject } from "../../base/json.js";
import { programOf } from "../../config/catalogue/preset-index.js";
import { cleanedEnvironment } from "../../lsp/process/environment.js";
import { searchProgram } from "../../lsp/process/search.js";
import type { ServerStatus } from "../../lsp/types.js";
import { loadBundle } from "../../runtime/bundle/load.js";
import { openRuntime } from "../../runtime/runtime.js";
import { type Command, exitCodes, failure, Input, type Io, printJson, UsageError } from "../command.js";
import { compile } from "../compile.js";
import { guardedFolders } from "../files/link-guard.js";
import { mayOverwrite, writeUserFile } from "../files/user-file.js";
import { configFlags, logFlags, option, toggle } from "../flags.js";
import { installCommand } from "../install/ways.js";
import { openLog } from "../log/log.js";
import {
  openCatalogue,
  presetNamed,
  resolvePreset,
  serverPrograms,
  untrustedWorkspaceFolders,
} from "../presets.js";
import { programFolders } from "../program-folders.js";
import { version } from "../shipped.js";
import { table } from "../terminal/layout.js";
import type { Styled } from "../terminal/output.js";
import { withProgress } from "../terminal/prompt.js";
import { type ProbeResult, runProbes, withoutMissingFeatures } from "../verify/probes.js";
import { type Sample, sampleFor, writeSample } from "../verify/sample.js";
import { openTranscript } from "../verify/transcript.js";
import { workspaceOf } from "../workspace.js";

export const verify: Command = {
  name: "verify",
  summary: "Tests a server through the tools on a sample of its language; prints the results.",
  usage: "SERVER [--record FILE]",
  description:
    "Starts the server on a small project of its own language, compares its answers with the right ones, and prints version,\n" +
    "features and times. Exits with 1 when the server does not start or an answer is wrong.",
  flags: {
    "trust-workspace": toggle("Also searches the workspace's node_modules/.bin for the server."),
    workspace: configFlags.workspace,
    modules: option("DIR", "A node_modules folder for the sample, with the server or modules that it loads."),
    command: option("NAME", "Another name of the program, such as clangd-19."),
    record: option("FILE", "Saves a transcript of the session."),
    force: toggle("Replaces an existing transcript."),
    json: toggle("Prints the results as JSON."),
    ...logFlags,
  },
  words: { min: 1, max: 1 },
  completes: "servers",
  examples: [
    "lsp-proxy verify typescript",
    "lsp-proxy verify vscode-json-language-server --modules ./node_modules",
  ],
  async run(input, io) {
    const [word = ""] = input.words;
    const catalogue = openCatalogue();
    const all = catalogue.facts();
    const { id } = presetNamed(word, all) ?? resolvePreset(word, all, () => "missing");
    const preset = catalogue.preset(id)?.config;
    const sample = preset && sampleFor(preset);
    if (preset === undefined || sample === undefined)
      return failure(
        io,
        `there is no sample project for \`${id}\`, so nothing was tried; \`lsp-proxy doctor\` tries it on your own files`,
      );
    const record = input.text("record");
    if (record !== undefined && !mayOverwrite(resolve(io.cwd, record), input, io)) return exitCodes.no;
    const command = input.text("command") ?? programOf(preset) ?? "";
    const found = searchProgram(command, {
      binFolders: binFoldersOf(input, io),
      minVersion: preset.probe?.at_least,
      path: io.env.PATH,
      avoid: untrustedWorkspaceFolders(input, io),
      ...programFolders(io),
    });
    const isStarted = preset.transport === undefined;
    if (isStarted && found === undefined)
      return failure(io, `\`${command}\` is not installed: ${installCommand(preset)}`);
    const server: Server = {
      id: preset.id,
      kind: preset.id,
      // The path that was found: a program of that name in an untrusted folder must not be started.
      ...(isStarted ? { command: found ?? command } : {}),
      ...sample.server,
    };
    const top = realpathSync.native(mkdtempSync(join(tmpdir(), "lsp-proxy-verify-")));
    try {
      const folder = join(top, "work");
      writeSample(sample, folder, modulesOf(input, io));
      const work = () => trial(server, sample, folder, input, io);
      const card = await withProgress(io, `trying ${preset.id}`, work);
      if (input.isOn("json")) printJson(io, card);
      else io.stdout.writeText(cardText(card, io.stdout.columns));
      return card.ok ? exitCodes.ok : exitCodes.no;
    } finally {
      rmSync(top, { recursive: true, force: true });
    }
  },
};

type Server = JsonObject & { id: string; kind: string; command?: string };

interface Card {
  server: string;
  sample: string;
  ok: boolean;
  version: string | null;
  encoding: string | null;
  features: string[];
  /** From the start of the program to the first answer that is right or cannot be checked. */
  firstAnswerMs: number | null;
  probes: ProbeResult[];
  lastError: string | null;
}

function modulesOf(input: Input, io: Io): string | undefined {
  const named = input.text("modules");
  if (named === undefined) return undefined;
  const folder = resolve(io.cwd, named);
  if (statOf(folder)?.isDirectory() !== true)
    throw new UsageError(`--modules takes a folder; \`${named}\` is none`);
  return realpathSync.native(folder);
}

/** The folders that are searched for the server before PATH. */
function binFoldersOf(input: Input, io: Io): string[] {
  const modules = modulesOf(input, io);
  const local = join(workspaceOf(input, io), "node_modules", ".bin");
  return [...(modules ? [join(modules, ".bin")] : []), ...(input.isOn("trust-workspace") ? [local] : [])];
}

async function trial(server: Server, sample: Sample, folder: string, input: Input, io: Io): Promise<Card> {
  const catalogue = openCatalogue();
  const servers =
    sample.stack === null ? [server] : catalogue.stack(sample.stack).map((member) => member.server);
  const commands = serverPrograms(servers, catalogue);
  const config: JsonObject = { mcp: { context: "full" }, servers, allow: { commands } };
  const { bundle, plan } = await compile(new Input({ workspace: folder }, [], config), io);
  const record = input.text("record");
  const transcript = record === undefined ? undefined : openTranscript(folder, plan.servers);
  const runtime = await openRuntime(await loadBundle({ bundle }, {}), {
    base: folder,
    // Variables that name folders of an untrusted workspace are not passed on.
    env: cleanedEnvironment(io.env, untrustedWorkspaceFolders(input, io), io.cwd).env,
    log: openLog(input, io, "off"),
    trace: transcript?.trace,
    // The sample is part of this package, and so it is trusted.
    trusted: [folder],
    binFolders: [...binFoldersOf(input, io), join(folder, "node_modules", ".bin")],
    avoid: [],
    version: version(),
    stateFolder: join(dirname(folder), "state"),
    ownFiles: [],
  });
  let probes: ProbeResult[];
  let status: ServerStatus | undefined;
  try {
    probes = await runProbes(runtime.openSession(), plan, sample, AbortSignal.timeout(300_000));
    const own = plan.servers.find(({ id, command }) => id === server.id || command[0] === server.command);
    status = runtime.pool.status().find(({ id }) => id === own?.id);
  } finally {
    await runtime.close();
  }
  if (record !== undefined && transcript)
    writeUserFile(resolve(io.cwd, record), transcript.text(), guardedFolders(input, io));
  return cardOf(server.id, sample, withoutMissingFeatures(probes, status?.features ?? []), status);
}

function cardOf(server: string, sample: Sample, probes: ProbeResult[], status?: ServerStatus): Card {
  const good = (result: ProbeResult) => result.outcome === "right" || result.outcome === "answered";
  const first = probes.findIndex(good);
  const waited = probes.slice(0, first + 1).reduce((sum, { ms }) => sum + ms, 0);
  const isBad = ({ probe, outcome }: ProbeResult) =>
    outcome === "wrong" ||
    outcome === "refused" ||
    (probe === "definition" && outcome === "empty" && sample.expect !== null);
  const ok = first >= 0 && !probes.some(isBad);
  const { version = null, encoding = null, features = [], lastError = null } = status ?? {};
  const firstAnswerMs = first < 0 ? null : waited;
  return { server, sample: sample.name, ok, version, encoding, features, firstAnswerMs, probes, lastError };
}

function cardText(card: Card, width: number | undefined): (string | Styled)[] {
  const timeOf = (ms: number) => (ms === 0 ? "" : `${ms} ms`);
  const rows = card.probes.map(({ probe, outcome, ms, note }) => [probe, outcome, timeOf(ms), note]);
  return [
    `${card.server}  ${escapeLine(card.version ?? "version unknown")}  (sample ${card.sample})\n`,
    `first answer after ${card.firstAnswerMs ?? "–"} ms, ${card.encoding ?? "no encoding"}\n`,
    `features: ${card.features.join(", ") || "none"}\n`,
    card.lastError === null ? "" : `last error: ${escapeLine(card.lastError)}\n`,
    "\n",
    ...table(["probe", "outcome", "time", ""], rows, width),
  ];
}
