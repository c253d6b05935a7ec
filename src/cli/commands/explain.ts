/** `explain`: prints the plan of a config: the servers, their files, and the requests of each tool. */
import type { EachPlan, Plan, ServerPlan, StepPlan, ToolPlan } from "../../abi/plan.js";
import { type CodeFacts, codes } from "../../base/codes.js";
import { escapeLine } from "../../base/hidden-characters.js";
import { canonicalPretty } from "../../base/json.js";
import {
  findProgram,
  isInUntrustedFolder,
  type ProgramContext,
  runsElsewhere,
} from "../../lsp/process/program.js";
import { type Command, didYouMean, type Io, printJson, UsageError } from "../command.js";
import { type Planned, planConfig } from "../compile.js";
import { configFlags, toggle } from "../flags.js";
import { programContext } from "../folder-trust.js";
import { isInstalledUnstarted } from "../installed.js";
import { openCatalogue, presetNamed } from "../presets.js";
import { HEADING } from "../terminal/layout.js";
import type { Printed } from "../terminal/output.js";

export const explain: Command = {
  name: "explain",
  summary: "Shows what a config means: servers, files, tools and their requests.",
  usage: "[CODE] [--config FILE] [--json]",
  description:
    "Shows the plan made from the config, with all defaults. Starts nothing. With the code of a problem, refusal or warning,\n" +
    "such as config/untrusted, shows its cause and what to do.",
  flags: { ...configFlags, json: toggle("Prints the whole plan as JSON.") },
  words: { min: 0, max: 1 },
  completes: "codes",
  examples: [
    "lsp-proxy explain",
    "lsp-proxy explain --config lspi.toml --json",
    "lsp-proxy explain config/untrusted",
  ],
  async run(input, io) {
    const [code] = input.words;
    if (code !== undefined) {
      const found = codeNamed(code);
      if (input.isOn("json")) printJson(io, found);
      else io.stdout.writeText(codePage(found));
      return;
    }
    const planned = await planConfig(input, io, { startsNothing: true });
    if (input.isOn("json")) io.stdout.write(canonicalPretty(planned.plan));
    else io.stdout.writeText(explainText(planned, io));
  },
};

interface CodePage extends CodeFacts {
  code: string;
}

/** The facts of a code. The part after the slash is enough where only one code has it. */
function codeNamed(word: string): CodePage {
  const named = Object.entries<CodeFacts>(codes).map(([code, facts]): CodePage => ({ code, ...facts }));
  const short = named.filter(({ code }) => code.endsWith(`/${word}`));
  const found = named.find(({ code }) => code === word) ?? (short.length === 1 ? short[0] : undefined);
  if (found !== undefined) return found;
  const names = named.map(({ code }) => code);
  const hint = didYouMean(word, names) || "; docs/problems.md lists all";
  throw new UsageError(`no code \`${word}\`${hint}`);
}

function codePage({ code, kind, title, cause, fix }: CodePage): Printed {
  const what = [`\n\n${cause}\n\n`, { style: HEADING, text: "What to do: " }, `${fix}\n`];
  return [{ style: HEADING, text: code }, ` (${kind}): ${title}`, ...what];
}

/** The meaning of a config, as the command prints it. */
export function explainText(planned: Planned, io: Io): string {
  const { plan, loaded } = planned;
  const context = programContext(plan, loaded.base, planned, io);
  const facts = openCatalogue().facts();
  const whereIs = (server: ServerPlan) => {
    const preset = presetNamed(server.id, facts);
    const path = { folders: planned.binFolders, avoid: planned.avoid, env: io.env };
    const isChecked = preset === undefined || isInstalledUnstarted(preset, path) !== undefined;
    return `${programPath(plan, server, context)}${isChecked ? "" : "; version not checked"}`;
  };
  return [
    `config     ${loaded.main.file ?? "the embedded default (no config was found)"}`,
    `workspace  ${loaded.base}; roots ${plan.workspace.roots.join(", ")}`,
    `effects    ${plan.allow.effects.join(", ")}${plan.mcp.readOnly ? " (read only)" : ""}`,
    `limits     ${plan.limits.maxItems} items, ${plan.limits.maxBytes} bytes, ${plan.limits.timeoutMs} ms a call`,
    "",
    "Language servers",
    ...(plan.servers.length === 0 ? ["  none: no server for these files is installed"] : []),
    ...plan.servers.flatMap((server) => describeServer(server, whereIs(server))),
    "",
    "Tools",
    ...plan.tools
      .filter((tool) => plan.mcp.listed.includes(tool.name))
      .flatMap((tool) => describeTool(tool, plan)),
    "",
  ]
    .map(escapeLine)
    .join("\n");
}

/** The path of a server's program, or why it cannot be started. */
function programPath(plan: Plan, server: ServerPlan, context: ProgramContext): string {
  if (runsElsewhere(server)) return "runs elsewhere";
  const program = findProgram(plan, server, context);
  if (program !== undefined) return program;
  if (isInUntrustedFolder(plan, server, context))
    return "in the workspace, which is not trusted: `lsp-proxy trust`";
  return `not installed${server.install ? `: ${server.install}` : ""}`;
}

function describeServer(server: ServerPlan, found: string): string[] {
  const { id, command, args, extensions, filenames, globs, rootDir, rootMarkers, rootPick } = server;
  const files = [...extensions.map((extension) => `.${extension}`), ...filenames, ...globs];
  const root = rootMarkers.length === 0 ? "the workspace" : `${rootPick} of ${rootMarkers.join(", ")}`;
  return [
    `  ${id}`,
    `    starts   ${[...command, ...args].join(" ")}  (${found})`,
    `    files    ${files.join(" ")}`,
    `    root     ${rootDir ?? root}`,
  ];
}

function describeTool(tool: ToolPlan, plan: Plan): string[] {
  const servers = tool.servers === null ? "" : `  [${tool.servers.join(", ")}]`;
  const cap = tool.maxItems < plan.limits.maxItems ? `, at most ${tool.maxItems} items` : "";
  return [
    `  ${tool.name}  (${tool.effect}, by ${tool.input.join(" or ")}, ${tool.output.shape}${cap})${servers}`,
    ...tool.steps.map((step) => {
      const other = step.orElse === null ? "" : `, or else ${step.orElse}`;
      return `    ${step.id}: ${describeStep(step)}${other}`;
    }),
  ];
}

function describeLimit(limit: EachPlan["limit"]): string {
  if (limit.kind === "ref") return `\`${limit.ref.name ?? limit.ref.root}\``;
  return limit.kind === "literal" ? String(limit.value) : "a number";
}

function describeStep(step: StepPlan): string {
  switch (step.kind) {
    case "request":
      return `${step.method}${step.each ? `, for each of ${step.each.from.name ?? "the items"} (at most ${describeLimit(step.each.limit)})` : ""}${step.optional ? ", when offered" : ""}`;
    case "notify":
      return `${step.method}, a notification`;
    case "diagnostics":
      return `diagnostics, waiting at most ${describeLimit(step.waitMs)} ms`;
    case "execute_command":
      return "an allowed command of the server";
    case "tool":
      return `the tool ${step.tool}`;
    case "batch":
      return `several calls of ${step.tools.join(", ")}`;
    case "choose":
      return `the one of ${step.from.name ?? "the items"} that is asked for`;
    case "runtime":
      return step.action;
  }
}
