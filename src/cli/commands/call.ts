/** `call`: one tool call from the shell. The answer's text goes to stdout, or its structure with `--json`. */
import { isTable, type JsonObject } from "../../base/json.js";
import { nearest } from "../../base/nearest.js";
import { type Command, exitCodes, isOn, type Surroundings, UsageError } from "../command.js";
import { configFlags } from "../flags.js";
import { logFlags } from "../log/log.js";
import { traceFlags } from "../log/trace.js";
import { bundleFlags, openFrom } from "../open.js";

export const call: Command = {
  name: "call",
  summary: "Calls one tool from the shell.",
  usage: "TOOL [JSON | -]",
  description:
    "Starts what the call needs, prints the answer, and ends it all again. Exits with 1 when the call is refused. The\n" +
    "`edit_token` of a preview is good for half an hour, in any later call of yours in the same workspace.",
  flags: {
    ...configFlags,
    ...bundleFlags,
    json: { type: "boolean", description: "Prints the structured answer instead of the text." },
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
    const args = parseArguments(given === "-" ? await readAll(io) : given);
    const { runtime } = await openFrom(input, io);
    const stop = new AbortController();
    const end = () => stop.abort();
    process.once("SIGINT", end);
    process.once("SIGTERM", end);
    try {
      if (!runtime.tools.some((entry) => entry.name === tool)) {
        const near = nearest(
          tool,
          runtime.tools.map((entry) => entry.name),
        );
        throw new UsageError(`no tool \`${tool}\`${near ? `; did you mean \`${near}\`?` : ""}`, "call");
      }
      const session = runtime.openSession({ brief: true });
      const onProgress = io.stderr.isTTY
        ? (message: string) => void io.stderr.write(`${message}\n`)
        : undefined;
      const outcome = await session.call(tool, args, {
        signal: stop.signal,
        ...(onProgress ? { onProgress } : {}),
      });
      io.stdout.write(
        isOn(input, "json")
          ? `${JSON.stringify(outcome.structured, null, 2)}\n`
          : `${[outcome.text, outcome.notes].filter((part) => part !== "").join("\n")}\n`,
      );
      return outcome.isError ? exitCodes.no : exitCodes.ok;
    } finally {
      await runtime.close();
    }
  },
};

function parseArguments(text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UsageError(
      `the arguments are not JSON: ${error instanceof Error ? error.message : String(error)}`,
      "call",
    );
  }
  if (!isTable(value)) throw new UsageError("the arguments must be one JSON object", "call");
  return value as JsonObject;
}

async function readAll(io: Surroundings): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of io.stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString("utf8");
}
