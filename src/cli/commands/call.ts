/** `call`: one tool call from the shell. Prints the answer's text, or its structure with `--json`. */
import { text } from "node:stream/consumers";
import { isTable, type JsonObject } from "../../base/json.js";
import { trustCommand } from "../../lsp/process/trusted.js";
import type { CallOutcome } from "../../runtime/session.js";
import {
  abortOn,
  type Command,
  didYouMean,
  exitCodes,
  type Input,
  type Io,
  printJson,
  UsageError,
} from "../command.js";
import { bundleFlags, configFlags, logFlags, toggle, traceFlags } from "../flags.js";
import { openFrom } from "../open.js";
import { isInteractive } from "../terminal/prompt.js";

export const call: Command = {
  name: "call",
  summary: "Calls one tool from the shell.",
  usage: "TOOL [JSON | -]",
  description:
    "Starts the servers that the call needs, prints the answer, and stops them. Exits with 1 when the call is refused. The\n" +
    "`edit_token` of a preview is valid for half an hour, in any later call of the same user in the same workspace.",
  flags: {
    ...configFlags,
    ...bundleFlags,
    json: toggle("Prints the structured answer instead of the text."),
    ...logFlags,
    ...traceFlags,
  },
  words: { min: 1, max: 2 },
  examples: [
    `lsp-proxy call find_references '{"file_path": "src/main.ts", "symbol_name": "start"}'`,
    `echo '{"query": "Parser"}' | lsp-proxy call search_workspace_symbols - --json`,
  ],
  async run(input, io) {
    const [tool = "", given = "{}"] = input.words;
    const args = parseArguments(given === "-" ? await text(io.stdin) : given);
    const signal = abortOn("SIGINT", "SIGTERM");
    const first = await callOnce(tool, args, input, io, signal);
    const outcome = (await isTrustGiven(first, io))
      ? (await callOnce(tool, args, input, io, signal)).outcome
      : first.outcome;
    if (input.isOn("json")) printJson(io, outcome.structured);
    else io.stdout.write(`${[outcome.text, outcome.notes].filter((part) => part !== "").join("\n")}\n`);
    return outcome.isError ? exitCodes.no : exitCodes.ok;
  },
};

interface Called {
  outcome: CallOutcome;
  /** The workspace, if it was found and not named. */
  found: string | undefined;
}

/** Starts what the call needs, calls the tool, and stops everything. */
async function callOnce(
  tool: string,
  args: JsonObject,
  input: Input,
  io: Io,
  signal: AbortSignal,
): Promise<Called> {
  const { runtime, found } = await openFrom(input, io);
  try {
    const names = runtime.tools.map((entry) => entry.name);
    if (!names.includes(tool)) throw new UsageError(`no tool \`${tool}\`${didYouMean(tool, names)}`);
    const session = runtime.openSession({ brief: true });
    const onProgress = (message: string) => void io.stderr.writeLine(message);
    const outcome = await session.call(tool, args, { signal, ...(io.stderr.isTTY ? { onProgress } : {}) });
    return { outcome, found };
  } finally {
    await runtime.close();
  }
}

/** Where a call was refused for lack of trust in the workspace: asks for it on a terminal. */
async function isTrustGiven({ outcome, found }: Called, io: Io): Promise<boolean> {
  if (outcome.trustCommand !== trustCommand() || found === undefined || !isInteractive(io)) return false;
  const { askForTrust, inspectTrust } = await import("../trust-workspace.js");
  return askForTrust(inspectTrust(found, io), io);
}

function parseArguments(json: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new UsageError(`the arguments are not JSON: ${(error as Error).message}`);
  }
  if (!isTable(value)) throw new UsageError("the arguments must be one JSON object");
  return value as JsonObject;
}
