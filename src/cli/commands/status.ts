/** `status`: starts the language servers of a workspace, prints their state, and stops them. */
import { isTable, type Json, type JsonObject } from "../../base/json.js";
import { abortOn, type Command, exitCodes, printJson, UsageError } from "../command.js";
import { bundleFlags, configFlags, logFlags, option, toggle, traceFlags } from "../flags.js";
import { openFrom } from "../open.js";
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
    "Starts every server that has a file in the workspace, waits until it is ready or the time is over, and prints its\n" +
    "state. Exits with 1 when one is not installed or does not start. For the servers of a running lsp-proxy, call its status tool.",
  flags: {
    ...configFlags,
    ...bundleFlags,
    timeout: option("SECONDS", "How long it waits for a server to be ready; default: 60."),
    json: toggle("Prints the structured answer instead of the text."),
    ...logFlags,
    ...traceFlags,
  },
  examples: ["lsp-proxy status", "lsp-proxy status --config lspi.toml --json"],
  async run(input, io) {
    const seconds = input.integer("timeout", 0, 86_400) ?? USUAL_WAIT_S;
    const { runtime } = await openFrom(input, io, { usualLog: "off" });
    const signal = abortOn("SIGINT", "SIGTERM");
    try {
      const tool = runtime.loaded.plan.tools.find(({ steps }) =>
        steps.some((step) => step.kind === "runtime" && step.action === "server_status"),
      );
      if (tool === undefined) throw new UsageError("this config has no tool for server status");
      await withProgress(io, "starting the language servers", () => warmUp(runtime, seconds * 1000, signal));
      const outcome = await runtime.openSession().call(tool.name, {}, { signal });
      if (input.isOn("json")) printJson(io, outcome.structured);
      else io.stdout.write(`${outcome.text}\n`);
      const servers = tablesIn(outcome.structured.servers);
      for (const { id } of servers.filter(({ readiness }) => UNREADY.includes(readiness)))
        io.stderr.writeLine(`${id} was not ready after ${seconds} s; --timeout SECONDS waits longer`);
      const hasFailed = servers.some(({ state }) => FAILED_STATES.includes(state));
      return outcome.isError || hasFailed ? exitCodes.no : exitCodes.ok;
    } finally {
      await runtime.close();
    }
  },
};

function tablesIn(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter((item): item is JsonObject => isTable(item)) : [];
}
