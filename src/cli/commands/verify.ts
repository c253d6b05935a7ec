/** `verify`: drives one server of the catalogue through the tools on a sample of its language. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { JsonObject } from "../../base/json.js";
import { envOutside } from "../../lsp/process/environment.js";
import { findCommand } from "../../lsp/process/program.js";
import type { ServerStatus } from "../../lsp/types.js";
import { loadBundle } from "../../runtime/bundle/load.js";
import { openRuntime } from "../../runtime/runtime.js";
import { type Command, exitCodes, type Input, isOn, type Surroundings, textFlag } from "../command.js";
import { compile, workspaceOf } from "../compile.js";
import { mayWrite, writeUserFile } from "../files/user-file.js";
import { configFlags } from "../flags.js";
import { logFlags, openLog } from "../log/log.js";
import { meantPreset, openCatalogue, presetNamed, strangersOf } from "../presets.js";
import { version } from "../shipped.js";
import { withProgress } from "../terminal/progress.js";
import { table } from "../terminal/table.js";
import { installLine } from "../trial/install-line.js";
import { asOffered, type ProbeResult, runProbes } from "../trial/probes.js";
import { openTranscript } from "../trial/record.js";
import { type Sample, sampleFor, stackServers, writeSample } from "../trial/sample.js";

export const verify: Command = {
  name: "verify",
  summary: "Drives a server through the tools on a sample of its language; prints what it can.",
  usage: "SERVER [--record FILE]",
  description:
    "Starts the server on a small project of its own language, asks for a definition, references, hover, symbols and\n" +
    "diagnostics, compares the places with those that are right, and prints a card: version, features, times. Exits with 1\n" +
    "when it does not start or an answer is wrong.",
  flags: {
    "trust-workspace": {
      type: "boolean",
      description: "Also looks for the server in the workspace's node_modules/.bin.",
    },
    workspace: configFlags.workspace as Command["flags"][string],
    modules: {
      type: "string",
      value: "DIR",
      description:
        "A node_modules folder for the sample: its programs are found, and what the server loads from it.",
    },
    command: {
      type: "string",
      value: "NAME",
      description: "Another name for the program, such as clangd-19.",
    },
    record: { type: "string", value: "FILE", description: "Saves a transcript of the session." },
    force: { type: "boolean", description: "Replaces the transcript when there is one." },
    json: { type: "boolean", description: "Prints the card as JSON." },
    ...logFlags,
  },
  words: { min: 1, max: 1 },
  examples: [
    "lsp-proxy verify pyright",
    "lsp-proxy verify astro-ls --modules ./node_modules",
    "lsp-proxy verify gopls --record gopls.jsonl",
  ],
  async run(input, io) {
    const [word = ""] = input.words;
    const catalogue = openCatalogue();
    const facts =
      presetNamed(word, catalogue.facts()) ?? meantPreset(word, catalogue.facts(), () => "missing", "verify");
    const preset = catalogue.preset(facts.id)?.config;
    const sample = preset && sampleFor(preset);
    if (preset === undefined || sample === undefined) {
      io.stderr.write(
        `lsp-proxy: there is no sample project for \`${facts.id}\`, so nothing was tried; \`lsp-proxy doctor\` tries it on your own files\n`,
      );
      return exitCodes.no;
    }
    const record = textFlag(input, "record");
    if (record !== undefined && !mayWrite(resolve(io.cwd, record), input, io)) return exitCodes.no;
    const card = await inSample(sample, input, io, async (folder, binFolders) => {
      const command = textFlag(input, "command") ?? [preset.command ?? []].flat()[0] ?? "";
      const found = findCommand(command, binFolders, io.env.PATH, strangersOf(input, io));
      if (preset.transport === undefined && found === undefined)
        return { missing: `\`${command}\` is not installed: ${installLine(preset)}` };
      const server: JsonObject & { id: string; kind: string } = {
        id: preset.id,
        kind: preset.id,
        // As it was found: what a stranger's folder has under that name does not count.
        ...(preset.transport === undefined ? { command: found ?? command } : {}),
        ...sample.server,
      };
      return withProgress(io, `trying ${preset.id}`, () =>
        tried(server, folder, binFolders, sample, input, io),
      );
    });
    if ("missing" in card) {
      io.stderr.write(`lsp-proxy: ${card.missing}\n`);
      return exitCodes.no;
    }
    io.stdout.write(isOn(input, "json") ? `${JSON.stringify(card, null, 2)}\n` : cardText(card));
    return card.ok ? exitCodes.ok : exitCodes.no;
  },
};

/** What was seen of a server. */
export interface Card {
  server: string;
  sample: string;
  ok: boolean;
  version: string | null;
  encoding: string | null;
  features: string[];
  /** From the start of the program to the first right answer, or to the first answer where none can be checked. */
  firstAnswerMs: number | null;
  probes: ProbeResult[];
  lastError: string | null;
}

/** Works in a folder of its own with the sample in it. */
async function inSample<T>(
  sample: Sample,
  input: Input,
  io: Surroundings,
  work: (folder: string, binFolders: string[]) => Promise<T>,
): Promise<T> {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-verify-")));
  const folder = join(top, "work");
  const named = textFlag(input, "modules");
  const modules = named === undefined ? undefined : realpathSync(resolve(io.cwd, named));
  const local = join(workspaceOf(input, io), "node_modules", ".bin");
  try {
    writeSample(sample, folder, modules);
    const own = modules === undefined ? [] : [join(modules, ".bin")];
    return await work(folder, [...own, ...(isOn(input, "trust-workspace") ? [local] : [])]);
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
}

async function tried(
  server: { id: string; kind: string; command?: string } & JsonObject,
  folder: string,
  binFolders: string[],
  sample: Sample,
  input: Input,
  io: Surroundings,
): Promise<Card> {
  const servers = sample.stack === null ? [server] : stackServers(sample.stack);
  const config: JsonObject = { mcp: { context: "full" }, servers, allow: { commands: commandsOf(servers) } };
  const { bundle, plan } = await compile({ flags: { workspace: folder }, words: [], config }, io);
  const record = textFlag(input, "record");
  const transcript = record === undefined ? undefined : openTranscript(folder, plan.servers);
  const runtime = await openRuntime(await loadBundle({ bundle }, {}), {
    ...{ base: folder, env: ownEnv(input, io), log: openLog(input, io), trace: transcript?.trace },
    // The sample is ours: its servers are tried as in a workspace that is trusted.
    trusted: [folder],
    binFolders: [...binFolders, join(folder, "node_modules", ".bin")],
    ...{ avoid: [], version: version(), stateFolder: join(dirname(folder), "state") },
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
  if (record !== undefined && transcript) writeUserFile(resolve(io.cwd, record), transcript.text());
  return cardOf(server.id, sample, asOffered(probes, status?.features ?? []), status);
}

/** The environment without what it names of the workspace that we were called in, unless that is trusted. */
function ownEnv(input: Input, io: Surroundings): Surroundings["env"] {
  return envOutside(io.env, strangersOf(input, io), io.cwd).env;
}

/** The programs that servers start, by their own word or their preset's. */
function commandsOf(servers: readonly JsonObject[]): string[] {
  const catalogue = openCatalogue();
  return servers.flatMap(({ command, kind }) => {
    const words = command ?? catalogue.preset(String(kind))?.config.command ?? [];
    return [words].flat().map(String).slice(0, 1);
  });
}

function cardOf(
  server: string,
  sample: Sample,
  probes: ProbeResult[],
  status: ServerStatus | undefined,
): Card {
  const good = (result: ProbeResult) => result.outcome === "right" || result.outcome === "answered";
  const first = probes.findIndex(good);
  const waited = probes.slice(0, first + 1).reduce((sum, { ms }) => sum + ms, 0);
  const isBad = ({ probe, outcome }: ProbeResult) =>
    outcome === "wrong" ||
    outcome === "refused" ||
    (probe === "definition" && outcome === "empty" && sample.expect !== null);
  return {
    ...{ server, sample: sample.name, ok: first >= 0 && !probes.some(isBad) },
    version: status?.version ?? null,
    encoding: status?.encoding ?? null,
    features: status?.features ?? [],
    firstAnswerMs: first < 0 ? null : waited,
    probes,
    lastError: status?.lastError ?? null,
  };
}

function cardText(card: Card): string {
  const rows = card.probes.map(({ probe, outcome, ms, note }) => [
    probe,
    outcome,
    ms === 0 ? "" : `${ms} ms`,
    note,
  ]);
  return [
    `${card.server}  ${card.version ?? "version unknown"}  (sample ${card.sample})\n`,
    `first answer after ${card.firstAnswerMs ?? "–"} ms, ${card.encoding ?? "no encoding"}\n`,
    `features: ${card.features.join(", ") || "none"}\n`,
    card.lastError === null ? "" : `last error: ${card.lastError}\n`,
    "\n",
    table(["probe", "outcome", "time", ""], rows),
  ].join("");
}
