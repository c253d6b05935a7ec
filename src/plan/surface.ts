/** The part of the plan that an agent sees: the dialect, the listed tools, and the instructions. */
import type { DialectPlan, Effect, McpPlan, ServerPlan, ToolPlan } from "../abi/plan.js";
import { codes } from "../base/codes.js";
import { canonical } from "../base/json.js";
import { sortBy, sortedSet } from "../base/order.js";
import type { ClientForm } from "../config/load.js";
import type { Config } from "../config/schema.js";
import { severities } from "../protocol/kinds.js";
import { defaultDialect, withDefaults } from "./defaults.js";
import { buildForms } from "./item-forms.js";
import { quoted, type Report } from "./report.js";
import type { PlacedServer } from "./servers.js";
import type { PlacedTool } from "./tools.js";

export function buildDialect(config: Config, report: Report): DialectPlan {
  const given = config.dialect ?? {};
  const { document, position = {}, symbol, listing, errors, warnings, items, answers: more, ...rest } = given;
  const { answers = position.form } = position;
  const dialect: DialectPlan = {
    ...withDefaults(defaultDialect, rest),
    document: withDefaults(defaultDialect.document, document),
    position: withDefaults(defaultDialect.position, { ...position, answers }),
    symbol: withDefaults(defaultDialect.symbol, symbol),
    listing: withDefaults(defaultDialect.listing, listing),
    members: canonical(rest.members ?? defaultDialect.members),
    errors: canonical(withDefaults(defaultDialect.errors, errors)),
    warnings: canonical(withDefaults(defaultDialect.warnings, warnings)),
  };
  const forms = {
    items: buildForms(items, report.at("dialect", "items")),
    answers: buildForms(more, report.at("dialect", "answers")),
  };
  if (position.used !== undefined) dialect.position.used = position.used;
  if (forms.items !== undefined) dialect.items = forms.items;
  if (forms.answers !== undefined) dialect.answers = forms.answers;
  checkArgumentNames(dialect, report.at("dialect"));
  checkErrorKeys(dialect, report.at("dialect"));
  return dialect;
}

/** Two arguments of one call cannot have the same name. */
function checkArgumentNames(dialect: DialectPlan, report: Report): void {
  const { line, character, form } = dialect.position;
  const places =
    form === "flat" ? [line, character, `end_${line}`, `end_${character}`] : ["position", "range"];
  const names = [dialect.document.field, ...places, dialect.symbol.name, dialect.symbol.kind, dialect.query];
  const { size, cursor, most } = dialect.listing;
  names.push(...[size, cursor, most].filter((name) => name !== ""));
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  const fix = "Give every argument its own name.";
  if (twice !== undefined)
    report.add("plan/bad-tool", `The dialect gives two arguments the name \`${twice}\`.`, fix);
  const message = `The dialect gives line and character the name \`${line}\`.`;
  if (form === "object" && line === character) report.at("position").add("plan/bad-tool", message, fix);
}

/** The keys of the maps must be codes of refusals or warnings, their prefixes, or `*`. */
function checkErrorKeys({ errors, warnings }: DialectPlan, report: Report): void {
  const check = (map: object, at: Report, known: readonly string[]) => {
    for (const key of Object.keys(map))
      if (!known.includes(key)) at.at(key).unknown("plan/bad-dialect", "The code", key, known);
  };
  const refusals = codesOf("refusal", "fault");
  for (const map of ["codes", "messages", "numbers"] as const)
    check(errors[map], report.at("errors", map), refusals);
  check(warnings.codes, report.at("warnings", "codes"), codesOf("warning"));
}

function codesOf(...kinds: string[]): string[] {
  const known = Object.entries(codes).flatMap(([code, { kind }]) => (kinds.includes(kind) ? [code] : []));
  return ["*", ...sortedSet([...known, ...known.map((code) => code.slice(0, code.indexOf("/")))])];
}

/** The allowed effects. `read_only` allows only `read`. */
export function buildEffects(config: Config): Effect[] {
  const effects = sortedSet(config.allow?.effects ?? ["read"]) as Effect[];
  return config.mcp?.read_only === true ? effects.filter((effect) => effect === "read") : effects;
}

/** The effects of a tool: its own, and `command` if it runs one on the way to an edit. */
function effectsOf({ effect, steps }: ToolPlan): Effect[] {
  return steps.some(({ kind }) => kind === "execute_command") ? [effect, "command"] : [effect];
}

/** Facts about tools that this config does not have, and about clients. */
export interface ToolsElsewhere {
  /** The shipped profiles that have a tool. */
  toolProfiles(name: string): string[];
  /** The clients that the answers are made for. */
  clientForms: readonly ClientForm[];
}

export function buildMcp(
  config: Config,
  servers: readonly PlacedServer[],
  tools: readonly PlacedTool[],
  { dialect, elsewhere }: { dialect: DialectPlan; elsewhere: ToolsElsewhere },
  report: Report,
): McpPlan {
  const effects = buildEffects(config);
  const { allow = [], exclude = [] } = config.mcp?.tools ?? {};
  checkToolNames(allow, tools, elsewhere, report.at("mcp", "tools", "allow"));
  checkToolNames(exclude, tools, elsewhere, report.at("mcp", "tools", "exclude"));
  const listed = tools
    .map(({ plan }) => plan)
    .filter((tool) => effectsOf(tool).every((effect) => effects.includes(effect)))
    .filter((tool) => tool.servers?.length !== 0)
    .filter((tool) => (allow.length === 0 || allow.includes(tool.name)) && !exclude.includes(tool.name));
  return {
    name: config.mcp?.name ?? "lsp-proxy",
    version: config.mcp?.version ?? null,
    warmup: config.mcp?.warmup ?? false,
    context: config.mcp?.context ?? "default",
    readOnly: effects.every((effect) => effect === "read"),
    instructions:
      config.mcp?.instructions ??
      writeInstructions(
        servers.map(({ plan }) => plan),
        listed,
        dialect,
      ),
    clients: buildClients(config, elsewhere.clientForms),
    listed: listed.map((tool) => tool.name),
    hostChannel: buildHostChannel(config, tools, report.at("mcp", "host_channel")),
  };
}

/** The shapes that the answers of the channel's tools must have. */
const channelShapes = {
  check_file: "diagnostics",
  diagnostics: "workspace_diagnostics",
  status: "server_status",
} as const;

function buildHostChannel(
  { mcp }: Config,
  tools: readonly PlacedTool[],
  report: Report,
): McpPlan["hostChannel"] {
  const channel = mcp?.host_channel;
  if (channel === undefined) return null;
  for (const [method, shape] of Object.entries(channelShapes) as Entries<typeof channelShapes>) {
    const found = tools.find(({ plan }) => plan.name === channel[method])?.plan;
    const known = tools.map(({ plan }) => plan.name);
    const at = report.at(method);
    if (found === undefined) at.unknown("plan/unknown-tool", "The tool", channel[method], known);
    else if (found.effect !== "read" || found.output.shape !== shape)
      at.add("plan/bad-tool", `The host channel needs a tool that reads and whose output is \`${shape}\`.`);
  }
  const { check_file: checkFile, diagnostics, status, severities: reported = ["error"] } = channel;
  return {
    tools: { checkFile, diagnostics, status },
    severities: severities.filter((word) => reported.includes(word)),
  };
}

type Entries<T> = { [key in keyof T]: [key, T[key]] }[keyof T][];

/** A form that the config sets applies to all clients. */
function buildClients(config: Config, forms: readonly ClientForm[]): McpPlan["clients"] {
  if (config.dialect?.result !== undefined) return [];
  const clients = forms.flatMap(({ names, result }) =>
    result === "both" ? [] : names.map((name) => ({ name, result })),
  );
  return sortBy(clients, ({ name }) => [name]);
}

function checkToolNames(
  names: readonly string[],
  tools: readonly PlacedTool[],
  elsewhere: ToolsElsewhere,
  report: Report,
): void {
  const known = tools.map(({ plan }) => plan.name);
  names.forEach((name, index) => {
    if (known.includes(name)) return;
    const at = report.at(index);
    const profiles = quoted(sortedSet(elsewhere.toolProfiles(name)));
    if (profiles === "") at.unknown("plan/unknown-tool", "The tool", name, known);
    else
      at.add(
        "plan/absent-tool",
        `The tool \`${name}\` is not in this profile, but in ${profiles}.`,
        `Set \`mcp.context\` to one of ${profiles}, or drop the name.`,
      );
  });
}

/** Less than 1000 characters: the purpose, the languages and the tools. */
function writeInstructions(
  servers: readonly ServerPlan[],
  tools: readonly ToolPlan[],
  dialect: DialectPlan,
): string {
  const languages = languageNames(servers);
  const what =
    languages === ""
      ? "Code intelligence from language servers."
      : `Code intelligence from language servers, for ${languages}.`;
  if (tools.length === 0) return what;
  if (servers.length === 0)
    return `${what} No language server is configured or was found for this workspace, so these tools know nothing about its code yet: use text search, and tell the user to run \`lsp-proxy setup\`.`;
  const names = shorten(
    tools.map((tool) => tool.name),
    400,
  );
  return `${what} Use it instead of text search to find definitions, uses, types and errors: it knows the code, not just the text. Tools: ${names}.${completenessText(dialect)}`;
}

/** How an answer says whether it is complete: by members, or by a text after that of the tool. */
function completenessText({ result, text, outputSchemas, members }: DialectPlan): string {
  const hasMembers = result !== "text" || outputSchemas || text === "json";
  if (!hasMembers) return " A second block of text says what an answer lacks.";
  const names = ["readiness", "truncated"].map((name) => members[name] ?? name).filter((name) => name !== "");
  if (names.length === 0) return "";
  return ` ${quoted(names, " and ")} ${names.length === 1 ? "says" : "say"} whether an answer is complete.`;
}

/** The languages of the servers, as many as fit in a sentence; empty if there are none. */
export function languageNames(servers: readonly ServerPlan[]): string {
  const names = servers.flatMap((server) => [server.languageId, ...Object.values(server.languageIds)]);
  return shorten(sortedSet(names), 300);
}

/** As many names as fit, and the number of the rest. */
function shorten(names: readonly string[], max: number): string {
  let text = "";
  for (const [index, name] of names.entries()) {
    const next = text === "" ? name : `${text}, ${name}`;
    if (next.length > max) return `${text} and ${names.length - index} more`;
    text = next;
  }
  return text;
}
