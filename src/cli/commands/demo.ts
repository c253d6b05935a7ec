/** `demo`: a whole session for the eye. Starts the proxy as an agent would and shows what goes both ways. */
import type { JsonObject } from "../../base/json.js";
import { type ConnectedClient, connectClient } from "../../mcp/client.js";
import { type Command, exitCodes, isOn, type Surroundings, textFlag } from "../command.js";
import { configFlags } from "../flags.js";
import { executable, version } from "../shipped.js";

export const demo: Command = {
  name: "demo",
  summary: "Shows a whole session: handshake, tools, and answers.",
  usage: "FILE SYMBOL [FILE_WITH_ERRORS]",
  description:
    "Starts the proxy on this workspace, shakes hands with it as an agent does, and asks for the definition,\n" +
    "references and documentation of SYMBOL in FILE, and the diagnostics of both files.",
  flags: configFlags,
  words: { min: 2, max: 3 },
  examples: ["lsp-proxy demo src/main.ts start --trust-workspace"],
  async run(input, io) {
    const [file = "", symbol = "", broken = file] = input.words;
    const show = painter(io);
    const args = [executable, "serve", ...passOn(input.flags)];
    show.heading("An agent starts the proxy");
    show.line(`$ lsp-proxy ${args.slice(1).join(" ")}`);
    const client = await connectClient(process.execPath, args, {
      cwd: io.cwd,
      env: io.env,
      version: version(),
    });
    try {
      return await session(client, { file, symbol, broken }, show);
    } finally {
      await client.close();
    }
  },
};

async function session(
  client: ConnectedClient,
  { file, symbol, broken }: { file: string; symbol: string; broken: string },
  show: Painter,
) {
  show.heading(`Handshake with ${client.handshake.name} ${client.handshake.version}`);
  show.quote(client.handshake.instructions);
  const tools = await client.listTools();
  show.heading(`${tools.length} tools`);
  for (const tool of tools) show.line(`${tool.name}  ${tool.description.split("\n")[0]}`);
  const calls: [string, JsonObject][] = [
    ["find_definition", { file_path: file, symbol_name: symbol }],
    ["find_references", { file_path: file, symbol_name: symbol }],
    ["get_hover", { file_path: file, symbol_name: symbol }],
    ["get_diagnostics", { file_path: file }],
    ...(broken === file ? [] : [["get_diagnostics", { file_path: broken }] as [string, JsonObject]]),
    ["get_server_status", {}],
  ];
  let refused = 0;
  for (const [tool, args] of calls) {
    show.heading(`→ ${tool} ${JSON.stringify(args)}`);
    const started = performance.now();
    const answer = await client.callTool(tool, args, (message) => show.note(message));
    show.quote(answer.text);
    show.note(`${answer.isError ? "refused" : "answered"} in ${Math.round(performance.now() - started)} ms`);
    if (answer.isError) refused++;
  }
  return refused === 0 ? exitCodes.ok : exitCodes.no;
}

function passOn(flags: { [name: string]: unknown }): string[] {
  const given = { flags, words: [] } as Parameters<typeof textFlag>[0];
  return Object.entries(configFlags).flatMap(([name, flag]) => {
    if (flag.type === "boolean") return isOn(given, name) ? [`--${name}`] : [];
    const value = textFlag(given, name);
    return value === undefined ? [] : [`--${name}`, value];
  });
}

interface Painter {
  heading(text: string): void;
  line(text: string): void;
  quote(text: string): void;
  note(text: string): void;
}

/** Writes to stdout, in colour on a terminal. */
function painter(io: Surroundings): Painter {
  const color = io.stdout.isTTY === true && !io.env.NO_COLOR;
  const paint = (code: string, text: string) => (color ? `\u001b[${code}m${text}\u001b[0m` : text);
  return {
    heading: (text) => void io.stdout.write(`\n${paint("1;36", text)}\n`),
    line: (text) => void io.stdout.write(`  ${text}\n`),
    quote: (text) =>
      void io.stdout.write(
        `${text
          .split("\n")
          .map((part) => `  ${paint("2", "│")} ${part}`)
          .join("\n")}\n`,
      ),
    note: (text) => void io.stdout.write(`  ${paint("2", text)}\n`),
  };
}
