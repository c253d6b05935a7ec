/** `hub`: lists or stops hubs. The internal `hub run` is the hub process itself. */
import { realPath } from "../../base/disk.js";
import { withTimeout } from "../../base/timing.js";
import { plural } from "../../base/words.js";
import { exchange, HubSilent } from "../../hub/ask-hub.js";
import { HubUnavailable } from "../../hub/hub-folder.js";
import {
  type Command,
  type ExitCode,
  exitCodes,
  failure,
  type Input,
  type Io,
  printJson,
  UsageError,
} from "../command.js";
import { option, toggle, withDefault } from "../flags.js";
import { differences, type HubList, listHubs } from "../hub/list-hubs.js";
import { workspaceOf } from "../workspace.js";

/** How long a hub may take to end: its running calls, then its servers. */
const STOP_MS = 60_000;

export const hub: Command = {
  name: "hub",
  summary: "Lists or stops the background processes of `serve --shared`.",
  usage: "[stop [--all]] [--json]",
  description:
    "Lists the hubs of this user with their workspace, sessions, language servers, memory and age. `hub stop` stops the hub\n" +
    "of the workspace, `hub stop --all` all hubs: running calls are answered first, and all language servers are stopped.\n" +
    "Sessions stay connected; the next call of a session starts a hub again, if the config has no problems.",
  flags: {
    workspace: withDefault(
      option("DIR", "The workspace whose hub is stopped.", "w"),
      "that of the current folder",
    ),
    all: toggle("With `stop`: stops all hubs of this user."),
    json: toggle("Prints the list as JSON."),
  },
  words: { min: 0, max: 2 },
  completes: ["stop"],
  examples: ["lsp-proxy hub", "lsp-proxy hub stop", "lsp-proxy hub stop --all"],
  async run(input, io) {
    const [word, launch] = input.words;
    if (word === "run" && launch !== undefined) {
      const { runHub } = await import("../hub/run-hub.js");
      return (await runHub(launch, io)) ? exitCodes.ok : exitCodes.no;
    }
    if (word !== undefined && (word !== "stop" || launch !== undefined))
      throw new UsageError(`\`hub ${input.words.join(" ")}\` is unknown; there is \`hub\` and \`hub stop\``);
    try {
      const hubs = await listHubs(io);
      return word === "stop" ? await stop(hubs, input, io) : list(hubs, input, io);
    } catch (error) {
      if (error instanceof HubUnavailable) return failure(io, error.message);
      throw error;
    }
  },
};

function list({ hubs, silent }: HubList, input: Input, io: Io): ExitCode {
  if (input.isOn("json")) {
    const shown = hubs.map(({ path, bundle, start, uptimeMs, memoryMb, ...rest }) => ({
      ...rest,
      uptime_ms: uptimeMs,
      memory_mb: memoryMb,
    }));
    printJson(io, { hubs: shown, silent });
    return exitCodes.ok;
  }
  for (const path of silent) io.stdout.writeLine(new HubSilent(path).message);
  if (hubs.length + silent.length === 0)
    io.stdout.writeLine("no hub runs; `lsp-proxy serve --shared` starts one");
  for (const hub of hubs) {
    io.stdout.writeLine(hub.roots.join(", "));
    const servers = hub.servers.length === 0 ? "no server" : hub.servers.join(", ");
    const facts = [plural(hub.sessions, "session"), servers, `${hub.memoryMb} MB`, ageText(hub.uptimeMs)];
    io.stdout.writeLine(`  ${facts.join(" · ")} · pid ${hub.pid} · ${hub.version}`);
    const differing = differences(hub, hubs);
    if (differing.length > 0)
      io.stdout.writeLine(`  another hub of this folder has a different ${differing.join(", ")}`);
  }
  return exitCodes.ok;
}

function ageText(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return `${Math.round(ms / 1000)} s`;
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Stops hubs and waits until they have ended. */
async function stop({ hubs, silent }: HubList, input: Input, io: Io): Promise<ExitCode> {
  const here = realPath(workspaceOf(input, io));
  const isHere = (folder: string) => realPath(folder) === here;
  const chosen = hubs.filter(
    ({ workspace, roots }) => input.isOn("all") || isHere(workspace) || roots.some(isHere),
  );
  const [unknown] = input.isOn("all") || chosen.length === 0 ? silent : [];
  if (chosen.length === 0 && unknown === undefined) {
    io.stderr.writeLine(input.isOn("all") ? "no hub runs" : `no hub runs for ${here}; --all stops every hub`);
    return exitCodes.ok;
  }
  const ends = chosen.map(({ path }) => hasEnded(path).catch(() => false));
  for (const [index, { pid, roots }] of chosen.entries()) {
    const shown = roots.join(", ");
    if (!(await ends[index])) return failure(io, `the hub of ${shown} (pid ${pid}) still runs`);
    io.stderr.writeLine(`the hub of ${shown} was stopped`);
  }
  return unknown === undefined ? exitCodes.ok : failure(io, new HubSilent(unknown).message);
}

/** Tells a hub to stop. The connection ends with its process. */
async function hasEnded(path: string): Promise<boolean> {
  const asked = await exchange(path, "stop");
  if (asked === undefined) return true;
  const closed = new Promise<true>((resolve) => asked.socket.once("end", () => resolve(true)).resume());
  const isClosed = await withTimeout(closed, STOP_MS);
  asked.socket.destroy();
  return isClosed === true;
}
