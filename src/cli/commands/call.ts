/** `call`: one tool call from the shell. Prints the answer's text, or its structure with `--json`. */
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import type { ToolEntry } from "../../abi/bundle.js";
import type { DialectPlan, Plan } from "../../abi/plan.js";
import type { JsonObject } from "../../base/json.js";
import { trustCommand } from "../../lsp/process/trusted.js";
import { editArguments } from "../../protocol/edit-arguments.js";
import type { CallOptions, CallOutcome, Session } from "../../runtime/session.js";
import { argumentsOf, isJson, parseJsonArguments, parseWords, type ToolArgument } from "../call-arguments.js";
import {
  type Command,
  didYouMean,
  type ExitCode,
  exitCodes,
  type Input,
  type Io,
  printJson,
  UsageError,
} from "../command.js";
import { bundleFlags, configFlags, logFlags, toggle, traceFlags } from "../flags.js";
import { askRunningHub } from "../hub/running-hub.js";
import { loadFrom, openLoaded } from "../open.js";
import { abortOn } from "../signals.js";
import { helpWidth } from "../terminal/help.js";
import { definitions, HEADING, wrapText } from "../terminal/layout.js";
import { isInteractive, withProgress } from "../terminal/prompt.js";

export const call: Command = {
  name: "call",
  summary: "Calls one tool from the shell.",
  usage: "TOOL [FILE[:LINE[:COLUMN]]] [NAME=VALUE …] | TOOL JSON | TOOL -",
  description:
    "Starts the servers that the call needs, prints the answer, and stops the servers. If a hub of `serve --shared` runs\n" +
    "for the same config, the call uses its servers. Arguments are words or one JSON object; `-` reads JSON from stdin.\n" +
    "`lsp-proxy call TOOL --help` shows the arguments of a tool. A path in a word is relative to the current folder if it\n" +
    "begins with `./` or `../` or the file exists there, else to the workspace.\n\n" +
    "Exits with 1 when the call is refused, with 2 when its arguments are wrong, with 4 when it must be repeated with a\n" +
    "choice (several symbols match, or an action must be chosen) or when dry_run is false and no edit was made.\n\n" +
    "The `edit_token` of a preview is valid for half an hour, in any later call of the same user in the same workspace. A\n" +
    "cursor is valid as long as the same call, with the same page size, has the same answer.",
  flags: {
    ...configFlags,
    ...bundleFlags,
    all: toggle("Prints all pages of a listing."),
    json: toggle("Prints the structured answer instead of the text; with --all a list of the pages."),
    ...logFlags,
    ...traceFlags,
  },
  words: { min: 1, max: 100 },
  completes: "tools",
  examples: [
    "lsp-proxy call find_references src/main.ts symbol_name=start",
    "lsp-proxy call get_hover src/main.ts:3:6",
    `lsp-proxy call find_references '{"file_path": "src/main.ts", "symbol_name": "start"}' --all`,
    `echo '{"query": "Parser"}' | lsp-proxy call search_workspace_symbols - --json`,
  ],
  async helpOn(input, io) {
    const [name] = input.words;
    if (name === undefined) return false;
    const { loaded } = await loadFrom(input, io);
    io.stdout.write(
      toolHelp(toolNamed(name, loaded.tools, loaded.plan), loaded.plan.dialect, helpWidth(io.stdout)),
    );
    return true;
  },
  async run(input, io) {
    const [name = "", ...words] = input.words;
    const given = await jsonArguments(words, io);
    const signal = abortOn("SIGINT", "SIGTERM");
    const once = () => callOnce(name, given ?? words, input, io, signal);
    const first = await once();
    const { pages, args } = (await offerTrust(first, io)) ? await once() : first;
    printPages(pages, input, io);
    return Math.max(...pages.map((page) => codeOf(page, args))) as ExitCode;
  },
};

interface Called {
  args: JsonObject;
  pages: CallOutcome[];
  /** The workspace, if it was found and not named. */
  foundWorkspace: string | undefined;
}

/** Starts what the call needs, calls the tool, and stops everything. */
async function callOnce(
  name: string,
  given: JsonObject | string[],
  input: Input,
  io: Io,
  signal: AbortSignal,
): Promise<Called> {
  const found = await loadFrom(input, io);
  const { base, loaded } = found;
  const { dialect, workspace } = loaded.plan;
  const tool = toolNamed(name, loaded.tools, loaded.plan);
  const folders = { cwd: io.cwd, base, root: resolve(base, workspace.roots[0] ?? ".") };
  const args = Array.isArray(given) ? parseWords(given, tool, dialect, folders) : given;
  const asked = { tool, args, cursor: dialect.listing.cursor };
  const askIn = (session: Pick<Session, "call">) =>
    withProgress(io, `calling ${name}`, (onProgress) =>
      askPages(session, asked, input.isOn("all"), { signal, onProgress }),
    );
  const alone = async () => {
    const usualLog = io.stderr.isTTY ? "off" : "unanswered";
    const { runtime } = await openLoaded(found, input, io, { usualLog });
    try {
      return await askIn(runtime.openSession({ savesPreviews: true }));
    } finally {
      await runtime.close();
    }
  };
  const pages = await askRunningHub({ found, input, io, ask: askIn, alone });
  return { args, pages, foundWorkspace: found.found };
}

/** Where a call was refused for lack of trust in the workspace: asks for it on a terminal, and records a yes. */
async function offerTrust({ pages, foundWorkspace }: Called, io: Io): Promise<boolean> {
  const isRefused = pages.some((page) => page.trustCommand === trustCommand());
  if (!isRefused || foundWorkspace === undefined || !isInteractive(io)) return false;
  const { askForTrust, inspectTrust } = await import("../trust-workspace.js");
  return askForTrust(inspectTrust(foundWorkspace, io), io);
}

function toolNamed(name: string, tools: readonly ToolEntry[], { allow, tools: all, mcp }: Plan): ToolEntry {
  const tool = tools.find((entry) => entry.name === name);
  if (tool !== undefined) return tool;
  const disabled = all.find((entry) => entry.name === name);
  if (disabled !== undefined) {
    const effects = JSON.stringify([...allow.effects, disabled.effect]).replaceAll(",", ", ");
    const missing = `its effect is \`${disabled.effect}\`; write \`allow.effects = ${effects}\` in the config`;
    const isHidden = allow.effects.includes(disabled.effect);
    const hidden = mcp.readOnly ? "`mcp.read_only` leaves it out" : "`mcp.tools` leaves it out";
    throw new UsageError(`the tool \`${name}\` is not enabled: ${isHidden ? hidden : missing}`);
  }
  const names = tools.map((entry) => entry.name);
  throw new UsageError(
    `no tool \`${name}\`${didYouMean(name, names) || "; `lsp-proxy tools` lists the tools"}`,
  );
}

/** The arguments, if they are JSON. Read before servers are opened, so that a mistake is reported at once. */
async function jsonArguments(words: readonly string[], io: Io): Promise<JsonObject | undefined> {
  if (words.length === 1 && words[0] === "-") return parseJsonArguments(await text(io.stdin));
  return isJson(words) ? parseJsonArguments(words[0] ?? "") : undefined;
}

interface Asked {
  tool: ToolEntry;
  args: JsonObject;
  /** The name of the argument for a cursor. */
  cursor: string;
}

/** The answer, or with `all` the answers with all further pages. */
async function askPages(session: Pick<Session, "call">, asked: Asked, all: boolean, options: CallOptions) {
  const pages = [await askPage(session, asked, options)];
  for (let next = pages[0]?.next; all && next !== undefined; next = pages.at(-1)?.next)
    pages.push(await session.call(asked.tool.name, { ...asked.args, [asked.cursor]: next }, options));
  return pages;
}

/** The answer to a call. A cursor is valid only in one process, so earlier pages are fetched again. */
async function askPage(session: Pick<Session, "call">, { tool, args, cursor }: Asked, options: CallOptions) {
  const { [cursor]: wanted, ...first } = args;
  if (typeof wanted === "string") {
    let { next } = await session.call(tool.name, first, options);
    while (next !== undefined && next !== wanted)
      ({ next } = await session.call(tool.name, { ...first, [cursor]: next }, options));
  }
  return session.call(tool.name, args, options);
}

function printPages(pages: readonly CallOutcome[], input: Input, io: Io): void {
  if (input.isOn("json")) {
    const structures = pages.map(({ structured }) => structured);
    printJson(io, input.isOn("all") ? structures : structures[0]);
    return;
  }
  for (const page of pages)
    io.stdout.write(`${[page.text, page.notes].filter((part) => part !== "").join("\n")}\n`);
}

/** The exit code of an answer. */
function codeOf({ isError, code, candidates, status }: CallOutcome, args: JsonObject): ExitCode {
  // Wrong arguments have the same exit code as in words, where the mistake is found before the call.
  if (isError) return code === "guard/invalid-arguments" ? exitCodes.usage : exitCodes.no;
  const isUnmade = args[editArguments.dryRun] === false && (status === "unchanged" || status === "preview");
  return candidates !== undefined || status === "choose" || isUnmade ? exitCodes.open : exitCodes.ok;
}

function toolHelp(tool: ToolEntry, { document, position }: DialectPlan, width: number) {
  const known = argumentsOf(tool);
  const has = (name: string) => known.some((one) => one.name === name);
  const place = has(document.field) ? ` [FILE${has(position.line) ? "[:LINE[:COLUMN]]" : ""}]` : "";
  const values = known.length > 0 ? " [NAME=VALUE …]" : "";
  const rows = known.map((one) => [`${one.name}=${typeText(one)}`, argumentText(one)] as const);
  return [
    ...wrapText(`Usage: lsp-proxy call ${tool.name}${place}${values}\n\n`, width, 7),
    ...wrapText(`${tool.description}\n`, width),
    ...(rows.length > 0 ? ["\n", { style: HEADING, text: "Arguments:\n" }, ...definitions(rows, width)] : []),
    ...wrapText("\n`lsp-proxy call --help` shows the options.\n", width),
  ];
}

function typeText({ schema }: ToolArgument): string {
  if (Array.isArray(schema.enum)) return schema.enum.map(String).join("|");
  const words: { readonly [type: string]: string } = {
    string: "TEXT",
    integer: "N",
    number: "N",
    boolean: "true|false",
    array: "A,B",
  };
  return words[String(schema.type)] ?? "JSON";
}

function argumentText({ schema, isRequired }: ToolArgument): string {
  const { description } = schema;
  return [
    ...(isRequired ? ["Required."] : []),
    ...(typeof description === "string" ? [description] : []),
  ].join(" ");
}
