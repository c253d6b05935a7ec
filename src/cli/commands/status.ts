/** `status`: starts the language servers of a workspace, prints their state, and stops them. */
import { isTable, type Json, type JsonObject } from "../../base/json.js";
import type { CallOutcome } from "../../runtime/session.js";
import { type Command, exitCodes, type Input, type Io, printJson, UsageError } from "../command.js";
import { bundleFlags, configFlags, logFlags, option, toggle, traceFlags, withDefault } from "../flags.js";
import { askRunningHub, type RunningHub } from "../hub/running-hub.js";
import { type Loaded, loadFrom, openLoaded } from "../open.js";
import { abortOn } from "../signals.js";
import { withProgress } from "../terminal/prompt.js";
import { warmUp } from "../warm-up.js";

const USUAL_WAIT_S = 60;
const FAILED_STATES: readonly unknown[] = ["unavailable", "backoff", "broken"];
const UNREADY: readonly unknown[] = ["starting", "indexing"];

export const status: Command = {
  name: "status",
  summary: "Starts the language servers, reports their state, and stops them.",
  usage: "[--config FILE | --bundle DIR]",
  description:
    "Starts every server that has a file in the workspace, waits until it is ready or the time limit is reached, and prints\n" +
    "its state. If a hub of `serve --shared` runs for the same config, prints the state of its servers. Exits with 1 when a\n" +
    "server is not installed or does not start. With --watch: shows in the terminal what `lsp-proxy dashboard` shows, until\n" +
    "Ctrl-C. If no hub or gateway runs, starts a hub.",
  flags: {
    ...configFlags,
    ...bundleFlags,
    watch: toggle("Shows the servers, sessions and calls of the hub or gateway that runs, as they change."),
    timeout: withDefault(option("SECONDS", "How long it waits for a server to be ready."), "60"),
    json: toggle("Prints the structured answer instead of the text."),
    ...logFlags,
    ...traceFlags,
  },
  examples: ["lsp-proxy status", "lsp-proxy status --watch", "lsp-proxy status --config lspi.toml --json"],
  async run(input, io) {
    if (input.isOn("watch")) {
      if (input.isOn("json")) throw new UsageError("--watch has no JSON: leave out --json");
      return (await import("../dashboard/watch-status.js")).watchStatus(input, io);
    }
    const seconds = input.integer("timeout", 0, 86_400) ?? USUAL_WAIT_S;
    const found = await loadFrom(input, io);
    const signal = abortOn("SIGINT", "SIGTERM");
    const { tools, mcp } = found.loaded.plan;
    const tool = tools.find(
      ({ name, steps }) =>
        mcp.listed.includes(name) &&
        steps.some((step) => step.kind === "runtime" && step.action === "server_status"),
    );
    if (tool === undefined) throw new UsageError("this config lists no tool for server status");
    const waitMs = seconds * 1000;
    const ask = (hub: RunningHub) => hub.callWarm(waitMs, tool.name, {}, { signal });
    const alone = () => askAlone(found, input, io, { name: tool.name, waitMs, signal });
    const outcome = await withProgress(io, "starting the language servers", () =>
      askRunningHub({ found, input, io, ask, alone }),
    );
    if (input.isOn("json")) printJson(io, outcome.structured);
    else io.stdout.write(`${outcome.text}\n`);
    const servers = tablesIn(outcome.structured.servers);
    for (const { id } of servers.filter(({ readiness }) => UNREADY.includes(readiness)))
      io.stderr.writeLine(`${id} was not ready after ${seconds} s; --timeout SECONDS waits longer`);
    const hasFailed = servers.some(({ state }) => FAILED_STATES.includes(state));
    return outcome.isError || hasFailed ? exitCodes.no : exitCodes.ok;
  },
};

/** The status of servers that are started for it, and stopped. */
async function askAlone(
  found: Loaded,
  input: Input,
  io: Io,
  { name, waitMs, signal }: { name: string; waitMs: number; signal: AbortSignal },
): Promise<CallOutcome> {
  const { runtime } = await openLoaded(found, input, io, { usualLog: "off" });
  try {
    await warmUp(runtime, waitMs, signal);
    return await runtime.openSession().call(name, {}, { signal });
  } finally {
    await runtime.close();
  }
}

function tablesIn(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter((item): item is JsonObject => isTable(item)) : [];
}
