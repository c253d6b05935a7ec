/** `demo`: shows a whole session. Starts lsp-proxy as an agent would and prints each call and its answer. */
import { escapeLine } from "../../base/hidden-characters.js";
import type { JsonObject } from "../../base/json.js";
import { type ConnectedClient, connectClient } from "../../mcp/client.js";
import { type Command, exitCodes, failure, type Input, type Io } from "../command.js";
import { configFlags } from "../flags.js";
import { executable, version } from "../shipped.js";

/** Of a long answer this many lines are shown. */
const SHOWN_LINES = 12;

export const demo: Command = {
  name: "demo",
  summary: "Shows a whole session: handshake, tools, and answers.",
  usage: "FILE SYMBOL [FILE_WITH_ERRORS]",
  description:
    "Starts lsp-proxy on this workspace, connects as an agent does, and asks for the definition, references and\n" +
    "documentation of SYMBOL in FILE, and for the diagnostics of both files.",
  flags: configFlags,
  words: { min: 2, max: 3 },
  examples: ["lsp-proxy demo src/main.ts start --trust-workspace"],
  async run(input, io) {
    const args = [executable, "serve", ...configArguments(input)];
    const print = printer(io);
    print.heading("An agent starts lsp-proxy");
    print.line(`$ lsp-proxy ${args.slice(1).join(" ")}`);
    const options = { cwd: io.cwd, env: io.env, version: version() };
    let client: ConnectedClient;
    try {
      client = await connectClient(process.execPath, args, options);
    } catch (error) {
      // `serve` has said why it ended.
      return failure(io, `the session did not begin: ${(error as Error).message}`);
    }
    try {
      return await session(client, input.words, print);
    } finally {
      await client.close();
    }
  },
};

async function session(client: ConnectedClient, words: string[], print: ReturnType<typeof printer>) {
  const [file = "", symbol = "", broken = file] = words;
  const { name, version, instructions } = client.handshake;
  print.heading(`Handshake with ${name} ${version}`);
  print.quote(instructions);
  const tools = await client.listTools();
  print.heading(`${tools.length} tools`);
  for (const tool of tools) print.line(`${tool.name}  ${tool.description.split("\n")[0]}`);
  const place = { file_path: file, symbol_name: symbol };
  const calls: [string, JsonObject][] = [
    ["find_definition", place],
    ["find_references", place],
    ["get_hover", place],
    ["get_diagnostics", { file_path: file }],
    ...(broken === file ? [] : [["get_diagnostics", { file_path: broken }] as [string, JsonObject]]),
  ];
  let refused = 0;
  for (const [tool, args] of calls) {
    print.heading(`→ ${tool} ${JSON.stringify(args)}`);
    const started = performance.now();
    const answer = await client.callTool(tool, args, (message) => print.note(message));
    const lines = answer.text.split("\n");
    print.quote(lines.slice(0, SHOWN_LINES).join("\n"));
    if (lines.length > SHOWN_LINES) print.note(`… and ${lines.length - SHOWN_LINES} more lines`);
    const ms = Math.round(performance.now() - started);
    print.note(`${answer.isError ? "refused" : "answered"} in ${ms} ms`);
    if (answer.isError) refused++;
  }
  return refused === 0 ? exitCodes.ok : exitCodes.no;
}

/** The config flags of this command line, for `serve`. */
function configArguments(input: Input): string[] {
  return Object.keys(configFlags).flatMap((name) => {
    const value = input.text(name);
    if (value !== undefined) return [`--${name}`, value];
    return input.isOn(name) ? [`--${name}`] : [];
  });
}

/** Writes to stdout, in colour on a terminal. */
function printer({ stdout }: Io) {
  const styled = (style: string, text: string) => ({ style, text: escapeLine(text) });
  const quoted = (line: string) => ["  ", styled("2", "│"), ` ${line}\n`];
  return {
    line: (text: string) => stdout.writeLine(`  ${text}`),
    heading: (text: string) => stdout.write(["\n", styled("1;36", text), "\n"]),
    quote: (text: string) => stdout.write(text.split("\n").flatMap(quoted)),
    note: (text: string) => stdout.write(["  ", styled("2", text), "\n"]),
  };
}
