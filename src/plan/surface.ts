/** What an agent sees: the dialect, which tools are listed, and the instructions. */
import type { DialectPlan, Effect, McpPlan, ServerPlan, ToolPlan } from "../abi/plan.js";
import { codes } from "../base/codes.js";
import { canonical } from "../base/json.js";
import { sortBy, sortedSet } from "../base/order.js";
import { toPointer } from "../base/pointer.js";
import type { ClientForm } from "../config/load.js";
import type { Config } from "../config/schema.js";
import { defaultDialect } from "./defaults.js";
import type { Report } from "./report.js";
import type { PlacedServer } from "./servers.js";
import type { PlacedTool } from "./tools.js";

/** How the surface is spelt. */
export function buildDialect(config: Config, report: Report): DialectPlan {
  const {
    document = {},
    position = {},
    symbol = {},
    listing = {},
    errors = {},
    warnings = {},
    ...rest
  } = config.dialect ?? {};
  const dialect: DialectPlan = {
    document: {
      field: document.field ?? defaultDialect.document.field,
      form: document.form ?? defaultDialect.document.form,
    },
    position: {
      form: position.form ?? defaultDialect.position.form,
      answers: position.answers ?? position.form ?? defaultDialect.position.answers,
      line: position.line ?? defaultDialect.position.line,
      character: position.character ?? defaultDialect.position.character,
      lineBase: position.line_base ?? defaultDialect.position.lineBase,
      characterBase: position.character_base ?? defaultDialect.position.characterBase,
      unit: position.unit ?? defaultDialect.position.unit,
      fuzz: position.fuzz ?? defaultDialect.position.fuzz,
      missing: position.missing ?? defaultDialect.position.missing,
    },
    symbol: {
      name: symbol.name ?? defaultDialect.symbol.name,
      kind: symbol.kind ?? defaultDialect.symbol.kind,
      extent: symbol.extent ?? defaultDialect.symbol.extent,
    },
    query: rest.query ?? defaultDialect.query,
    listing: {
      size: listing.size ?? defaultDialect.listing.size,
      cursor: listing.cursor ?? defaultDialect.listing.cursor,
      most: listing.most ?? defaultDialect.listing.most,
      beyond: listing.beyond ?? defaultDialect.listing.beyond,
      refusePast: listing.refuse_past ?? defaultDialect.listing.refusePast,
    },
    result: rest.result ?? defaultDialect.result,
    text: rest.text ?? defaultDialect.text,
    echo: rest.echo ?? defaultDialect.echo,
    members: canonical(rest.members ?? defaultDialect.members),
    errors: {
      form: errors.form ?? defaultDialect.errors.form,
      text: errors.text ?? defaultDialect.errors.text,
      code: errors.code ?? defaultDialect.errors.code,
      message: errors.message ?? defaultDialect.errors.message,
      number: errors.number ?? defaultDialect.errors.number,
      codes: canonical(errors.codes ?? {}),
      messages: canonical(errors.messages ?? {}),
      numbers: canonical(errors.numbers ?? {}),
    },
    warnings: {
      code: warnings.code ?? defaultDialect.warnings.code,
      codes: canonical(warnings.codes ?? {}),
    },
    outputSchemas: rest.output_schemas ?? defaultDialect.outputSchemas,
  };
  checkSpelling(dialect, report);
  checkErrorKeys(dialect, report);
  return dialect;
}

/** Two arguments of one call cannot share a name. */
function checkSpelling(dialect: DialectPlan, report: Report): void {
  const { line, character, form } = dialect.position;
  const places =
    form === "flat" ? [line, character, `end_${line}`, `end_${character}`] : ["position", "range"];
  const names = [dialect.document.field, ...places, dialect.symbol.name, dialect.symbol.kind, dialect.query];
  const { size, cursor, most } = dialect.listing;
  names.push(...[size, cursor, most].filter((name) => name !== ""));
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    report.add("plan/bad-tool", "/dialect", `The dialect spells two arguments \`${twice}\`.`, {
      fix: "Give every argument its own name.",
    });
  if (form === "object" && line === character)
    report.add("plan/bad-tool", "/dialect/position", `The dialect spells line and character \`${line}\`.`, {
      fix: "Give every argument its own name.",
    });
}

/** The keys of the maps are codes of refusals or of warnings, their families, or `*`. */
function checkErrorKeys({ errors, warnings }: DialectPlan, report: Report): void {
  const check = (map: object, at: string, known: readonly string[]) => {
    for (const key of Object.keys(map))
      if (!known.includes(key))
        report.unknown("plan/bad-dialect", `/dialect/${at}${toPointer([key])}`, "The code", key, known);
  };
  const refusals = codesOf("refusal", "fault");
  for (const map of ["codes", "messages", "numbers"] as const) check(errors[map], `errors/${map}`, refusals);
  check(warnings.codes, "warnings/codes", codesOf("warning"));
}

function codesOf(...kinds: string[]): string[] {
  const told = Object.entries(codes).flatMap(([code, { kind }]) => (kinds.includes(kind) ? [code] : []));
  return ["*", ...sortedSet([...told, ...told.map((code) => code.slice(0, code.indexOf("/")))])];
}

/** The effects that are allowed: `read_only` takes away all but reading. */
export function buildEffects(config: Config): Effect[] {
  const effects = sortedSet(config.allow?.effects ?? ["read"]) as Effect[];
  return config.mcp?.read_only === true ? effects.filter((effect) => effect === "read") : effects;
}

/** What is known of tools that this config does not have. */
export interface ToolsElsewhere {
  /** The shipped profiles that bring a tool. */
  toolProfiles(name: string): string[];
  /** Whether lspi 0.2 has a tool of that name. */
  isLspiTool(name: string): boolean;
  /** The clients that the surface suits itself to. */
  clientForms: readonly ClientForm[];
}

/** The agent's side of the plan. */
export function buildMcp(
  config: Config,
  servers: readonly PlacedServer[],
  tools: readonly PlacedTool[],
  elsewhere: ToolsElsewhere,
  report: Report,
): McpPlan {
  const effects = buildEffects(config);
  const { allow = [], exclude = [] } = config.mcp?.tools ?? {};
  checkToolNames("allow", allow, tools, elsewhere, report);
  checkToolNames("exclude", exclude, tools, elsewhere, report);
  const listed = tools
    .map(({ plan }) => plan)
    .filter((tool) => effects.includes(tool.effect) && tool.servers?.length !== 0)
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
      ),
    clients: buildClients(config, elsewhere.clientForms),
    listed: listed.map((tool) => tool.name),
  };
}

/** A form that the config itself names holds for everybody. */
function buildClients(config: Config, forms: readonly ClientForm[]): McpPlan["clients"] {
  if (config.dialect?.result !== undefined) return [];
  const clients = forms.flatMap(({ names, result }) =>
    result === "both" ? [] : names.map((name) => ({ name, result })),
  );
  return sortBy(clients, ({ name }) => [name]);
}

function checkToolNames(
  key: "allow" | "exclude",
  names: readonly string[],
  tools: readonly PlacedTool[],
  elsewhere: ToolsElsewhere,
  report: Report,
): void {
  const known = tools.map(({ plan }) => plan.name);
  names.forEach((name, index) => {
    if (known.includes(name)) return;
    const pointer = `/mcp/tools/${key}/${index}`;
    const profiles = elsewhere.toolProfiles(name);
    if (profiles.length === 0 && elsewhere.isLspiTool(name)) {
      report.add("plan/absent-tool", pointer, `The tool \`${name}\` of lspi is not in this profile.`, {
        fix: "Drop the name: there is nothing to allow or exclude.",
      });
      return;
    }
    if (profiles.length === 0) {
      report.unknown("plan/unknown-tool", pointer, "The tool", name, known);
      return;
    }
    const list = sortedSet(profiles)
      .map((profile) => `\`${profile}\``)
      .join(", ");
    report.add("plan/absent-tool", pointer, `The tool \`${name}\` is not in this profile, but in ${list}.`, {
      fix: `Set \`mcp.context\` to one of ${list}, or drop the name.`,
    });
  });
}

/** Under 1000 characters: what this is for, which languages are here, and what to use it for. */
function writeInstructions(servers: readonly ServerPlan[], tools: readonly ToolPlan[]): string {
  const languages = languageNames(servers);
  const what =
    languages === ""
      ? "Code intelligence from language servers."
      : `Code intelligence from language servers, for ${languages}.`;
  if (tools.length === 0) return what;
  const names = shorten(
    tools.map((tool) => tool.name),
    400,
  );
  return `${what} Use it instead of text search to find definitions, uses, types and errors: it knows the code, not just the text. Tools: ${names}. \`readiness\` and \`truncated\` say whether an answer is complete.`;
}

/** The languages of servers, as many as fit into a sentence; empty when there are none. */
export function languageNames(servers: readonly ServerPlan[]): string {
  const names = servers.flatMap((server) => [server.languageId, ...Object.values(server.languageIds)]);
  return shorten(sortedSet(names), 300);
}

/** As many names as fit, and how many more there are. */
function shorten(names: readonly string[], max: number): string {
  let text = "";
  for (const [index, name] of names.entries()) {
    const next = text === "" ? name : `${text}, ${name}`;
    if (next.length > max) return `${text} and ${names.length - index} more`;
    text = next;
  }
  return text;
}
