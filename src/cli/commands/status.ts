/** `status`: starts the language servers of a workspace, prints their state, and stops them. */
import { isTable } from "../../base/json.js";
import type { Runtime } from "../../runtime/runtime.js";
import { abortOn, type Command, exitCodes, printJson, UsageError } from "../command.js";
import { bundleFlags, configFlags, logFlags, toggle, traceFlags } from "../flags.js";
import { openFrom } from "../open.js";
import { withProgress } from "../terminal/prompt.js";

const FAILED_STATES: readonly unknown[] = ["unavailable", "backoff", "broken"];

export const status: Command = {
  name: "status",
  summary: "Starts the language servers, reports their state, and stops them.",
  usage: "[--config FILE | --bundle DIR]",
  description:
    "Starts every server that has a file in the workspace, waits until it is ready, and prints its state. Exits with 1 when\n" +
    "one is not installed or does not start. For the servers of a running lsp-proxy, call its status tool.",
  flags: {
    ...configFlags,
    ...bundleFlags,
    json: toggle("Prints the structured answer instead of the text."),
    ...logFlags,
    ...traceFlags,
  },
  examples: ["lsp-proxy status", "lsp-proxy status --config lspi.toml --json"],
  async run(input, io) {
    const { runtime } = await openFrom(input, io);
    const signal = abortOn("SIGINT", "SIGTERM");
    try {
      const tool = runtime.loaded.plan.tools.find(({ steps }) =>
        steps.some((step) => step.kind === "runtime" && step.action === "server_status"),
      );
      if (tool === undefined) throw new UsageError("this config has no tool for server status");
      const warm = () => warmUp(runtime, signal);
      // Without a terminal stderr is the log, which a program may parse.
      await (io.stderr.isTTY ? withProgress(io, "starting the language servers", warm) : warm());
      const outcome = await runtime.openSession().call(tool.name, {}, { signal });
      if (input.isOn("json")) printJson(io, outcome.structured);
      else io.stdout.write(`${outcome.text}\n`);
      const { servers } = outcome.structured;
      const hasFailed =
        Array.isArray(servers) &&
        servers.some((server) => isTable(server) && FAILED_STATES.includes(server.state));
      return outcome.isError || hasFailed ? exitCodes.no : exitCodes.ok;
    } finally {
      await runtime.close();
    }
  },
};

async function warmUp(runtime: Runtime, signal: AbortSignal): Promise<void> {
  await runtime.warmup();
  const settling = runtime.pool
    .running()
    .map((server) => server.settle(server.plan.warmupTimeoutMs, signal).catch(() => undefined));
  await Promise.all(settling);
}
