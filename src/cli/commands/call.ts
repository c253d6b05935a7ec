/** `call`: one tool call from the shell. Prints the answer's text, or its structure with `--json`. */
import { text } from "node:stream/consumers";
import { isTable, type JsonObject } from "../../base/json.js";
import { abortOn, type Command, didYouMean, exitCodes, printJson, UsageError } from "../command.js";
import { bundleFlags, configFlags, logFlags, toggle, traceFlags } from "../flags.js";
import { openFrom } from "../open.js";

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
  completes: "tools",
  examples: [
    `lsp-proxy call find_references '{"file_path": "src/main.ts", "symbol_name": "start"}'`,
    `echo '{"query": "Parser"}' | lsp-proxy call search_workspace_symbols - --json`,
  ],
  async run(input, io) {
    const [tool = "", given = "{}"] = input.words;
    const args = parseArguments(given === "-" ? await text(io.stdin) : given);
    const { runtime } = await openFrom(input, io);
    const signal = abortOn("SIGINT", "SIGTERM");
    try {
      const names = runtime.tools.map((entry) => entry.name);
      if (!names.includes(tool)) throw new UsageError(`no tool \`${tool}\`${didYouMean(tool, names)}`);
      const session = runtime.openSession({ brief: true });
      const onProgress = (message: string) => void io.stderr.writeLine(message);
      const outcome = await session.call(tool, args, { signal, ...(io.stderr.isTTY ? { onProgress } : {}) });
      if (input.isOn("json")) printJson(io, outcome.structured);
      else io.stdout.write(`${[outcome.text, outcome.notes].filter((part) => part !== "").join("\n")}\n`);
      return outcome.isError ? exitCodes.no : exitCodes.ok;
    } finally {
      await runtime.close();
    }
  },
};

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
