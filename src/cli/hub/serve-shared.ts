/** `serve --shared`: passes the protocol to a hub. Where there can be none, this process serves its client itself. */
import { randomBytes } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { PassThrough } from "node:stream";
import type { JsonObject } from "../../base/json.js";
import { ConfigError } from "../../base/problem.js";
import { plural } from "../../base/words.js";
import { findHub } from "../../hub/find-hub.js";
import { HubUnavailable } from "../../hub/hub-folder.js";
import type { HubLaunch } from "../../hub/launch-record.js";
import { relay, type Upstream } from "../../hub/relay.js";
import type { Input, Io } from "../command.js";
import type { Streams } from "../descriptors.js";
import { bundleFlags, configFlags } from "../flags.js";
import { executable, version } from "../shipped.js";
import { abortOn } from "../signals.js";
import { isOutsideProjects, workspaceOf } from "../workspace.js";
import { whenUsable } from "./when-usable.js";

/** How long a client may take to read its last answers. */
const LAST_OUTPUT_MS = 3_000;
/** After this many hubs in a row that ended shortly after they were found, the session is served without a hub. */
const MAX_LOSSES = 4;

export async function serveShared(input: Input, io: Io, streams: Streams): Promise<void> {
  const signal = abortOn("SIGTERM", "SIGINT", "SIGHUP");
  const session = { holder: randomBytes(16).toString("hex"), warm: input.isOn("warmup") };
  let alone: Promise<void> | undefined;
  const connect = async (losses: number): Promise<Upstream> => {
    try {
      if (losses > MAX_LOSSES) throw new HubUnavailable("the hub ended several times");
      const launch = launchOf(input, io);
      const { socket, reads, bundle } = await findHub({ launch, env: io.env, executable, session });
      return { input: socket, output: socket, reads, bundle, destroy: () => socket.destroy() };
    } catch (error) {
      if (!(error instanceof HubUnavailable)) throw error;
      const served = await serveHere(input, io, signal, error.message);
      alone = served.ended;
      return served.upstream;
    }
  };
  try {
    const refusal = (error: unknown) => refusalOf(error, input, io);
    const readConfig = async (files: Set<string>) => {
      const { loadFrom } = await import("../open.js");
      return loadFrom(input, io, { servesUntrusted: true, asks: false, files });
    };
    const whenConfigUsable = (listener: () => void) => whenUsable(readConfig, listener);
    await relay({ ...streams, connect, refusal, whenUsable: whenConfigUsable, signal });
    await alone;
  } finally {
    // Output that the client does not read would keep the process alive.
    io.exitAfter?.(LAST_OUTPUT_MS);
  }
}

/** The text for the client. All problems of the config go to stderr. */
async function refusalOf(error: unknown, input: Input, io: Io): Promise<string> {
  const workspace = workspaceOf(input, io);
  const text = (why: string, command = "lsp-proxy doctor") =>
    `No language server can be used now: ${why}. \`${command}\` says more. Call again when that is corrected.`;
  if (error instanceof ConfigError) {
    const { isNamed, problemList, validateCommand } = await import("../open.js");
    const { printProblems } = await import("../terminal/report.js");
    printProblems(error.problems, { json: false, io });
    const errors = error.problems.filter(({ severity }) => severity === "error");
    const first = problemList(errors, !isNamed(input, io), workspace, 1);
    return text(`the config has ${plural(errors.length, "problem")}: ${first}`, validateCommand(input, io));
  }
  io.stderr.writeLine(`lsp-proxy: ${error instanceof Error ? error.message : String(error)}`);
  return text(
    existsSync(workspace)
      ? "lsp-proxy could not be started again"
      : `the workspace ${workspace} does not exist any more`,
  );
}

/** The flags that choose the config, and the folders that they start from. */
export function launchOf(input: Input, io: Io): HubLaunch {
  if (isOutsideProjects(input, io))
    throw new HubUnavailable("lsp-proxy was started in no project, so that only the client's roots name one");
  const names = Object.keys({ ...configFlags, ...bundleFlags });
  const given = names.filter((name) => input.flags[name] !== undefined);
  const flags = Object.fromEntries(given.map((name) => [name, input.flags[name]])) as JsonObject;
  try {
    return { flags, cwd: io.cwd, workspace: realpathSync.native(workspaceOf(input, io)), version: version() };
  } catch {
    throw new HubUnavailable("the workspace does not exist");
  }
}

/** Serves the client in this process, behind streams like those of a hub. */
async function serveHere(input: Input, io: Io, signal: AbortSignal, why: string) {
  const { serveAlone } = await import("../serve-alone.js");
  const toProxy = new PassThrough();
  const fromProxy = new PassThrough();
  let ended: Promise<void> = Promise.resolve();
  const facts = await new Promise<Pick<Upstream, "reads" | "bundle">>((resolve, reject) => {
    ended = serveAlone(input, io, {
      streams: { input: toProxy, output: fromProxy },
      signal,
      notShared: `The language servers are not shared: ${why}.`,
      onOpened: ({ plan, bundle }) => {
        const reads = plan.tools.filter(({ effect }) => effect === "read").map(({ name }) => name);
        resolve({ reads: new Set(reads), bundle });
      },
    });
    ended.then(() => fromProxy.end(), reject);
  });
  const upstream: Upstream = { ...facts, input: fromProxy, output: toProxy, destroy: () => toProxy.end() };
  return { upstream, ended };
}
