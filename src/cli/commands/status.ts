/** `status`: how the language servers of a workspace do. Starts them, looks, and ends them again. */
import type { Plan, ToolPlan } from "../../abi/plan.js";
import { isTable } from "../../base/json.js";
import type { Runtime } from "../../runtime/runtime.js";
import { type Command, exitCodes, isOn, UsageError } from "../command.js";
import { configFlags } from "../flags.js";
import { logFlags } from "../log/log.js";
import { traceFlags } from "../log/trace.js";
import { bundleFlags, openFrom } from "../open.js";
import { withProgress } from "../terminal/progress.js";

/** States in which a server answers nobody. */
const failing: readonly unknown[] = ["unavailable", "backoff", "broken"];

export const status: Command = {
  name: "status",
  summary: "Starts the language servers, tells how they do, and ends them again.",
  usage: "[--config FILE | --bundle DIR]",
  description:
    "Starts every server that has a file in the workspace, waits until it has indexed or its warm-up time is over, and\n" +
    "prints state, readiness, process, memory, last error and last words of each. Exits with 1 when one is not installed\n" +
    "or does not come up. Of the servers of a proxy that runs already, its own status tool tells.",
  flags: {
    ...configFlags,
    ...bundleFlags,
    json: { type: "boolean", description: "Prints the structured answer instead of the text." },
    ...logFlags,
    ...traceFlags,
  },
  words: { min: 0, max: 0 },
  examples: ["lsp-proxy status", "lsp-proxy status --config lspi.toml --json"],
  async run(input, io) {
    const { runtime } = await openFrom(input, io);
    const stop = new AbortController();
    const end = () => stop.abort();
    process.once("SIGINT", end);
    process.once("SIGTERM", end);
    try {
      const tool = statusTool(runtime.loaded.plan);
      if (tool === undefined) throw new UsageError("this config has no tool that tells of servers", "status");
      const warm = () => warmed(runtime, stop.signal);
      // Elsewhere stderr is the log's, which may be read by a program.
      await (io.stderr.isTTY ? withProgress(io, "starting the language servers", warm) : warm());
      const outcome = await runtime.openSession().call(tool.name, {}, { signal: stop.signal });
      io.stdout.write(
        isOn(input, "json") ? `${JSON.stringify(outcome.structured, null, 2)}\n` : `${outcome.text}\n`,
      );
      const { servers } = outcome.structured;
      const isFailing =
        Array.isArray(servers) && servers.some((its) => isTable(its) && failing.includes(its.state));
      return outcome.isError || isFailing ? exitCodes.no : exitCodes.ok;
    } finally {
      await runtime.close();
    }
  },
};

/** The tool of a plan that tells of its servers, whatever it is called. */
function statusTool(plan: Plan): ToolPlan | undefined {
  return plan.tools.find(({ steps }) =>
    steps.some((step) => step.kind === "runtime" && step.action === "server_status"),
  );
}

async function warmed(runtime: Runtime, signal: AbortSignal): Promise<void> {
  await runtime.warmup();
  const settling = runtime.pool
    .running()
    .map((server) => server.settle(server.plan.warmupTimeoutMs, signal).catch(() => undefined));
  await Promise.all(settling);
}
