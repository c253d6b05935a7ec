/**
 * Config → Plan: resolves references, fills in defaults, sorts. Pure: configs with equal meaning give equal plans.
 * Problems are collected, and the caller must not use a plan that has errors.
 */
import { ABI_VERSION, type HttpPlan, type LimitsPlan, type Plan } from "../abi/plan.js";
import { strictPortProblem } from "../base/listen-address.js";
import { sortedSet } from "../base/order.js";
import type { Problem, ProblemPlace } from "../base/problem.js";
import type { ClientForm } from "../config/load.js";
import type { Config } from "../config/schema.js";
import {
  alwaysDenied,
  defaultDashboard,
  defaultDialect,
  defaultEnv,
  defaultHttp,
  defaultLimits,
  defaultMetrics,
  defaultShare,
  withDefaults,
} from "./defaults.js";
import { checkFindings } from "./findings.js";
import { buildPrompts, buildResources } from "./prompts.js";
import { Report } from "./report.js";
import {
  buildServers,
  checkProgram,
  checkRoutes,
  disabledServers,
  knownServers,
  type PlacedServer,
} from "./servers.js";
import { buildDialect, buildEffects, buildMcp, type ToolsElsewhere } from "./surface.js";
import { buildTools, type PlacedTool } from "./tools.js";
import { checkWorkflows, resolveBatches } from "./workflows.js";

/** Facts about the config's files. */
export interface PlanContext extends ToolsElsewhere {
  locate(pointer: string): ProblemPlace | undefined;
  /** The layer of a value: the name of a shipped config, or `config`. */
  origin(pointer: string): string;
  /** Whether the profile seals this value: other layers may only narrow it. */
  isSealed(pointer: string): boolean;
  /** Every program that the shipped presets name. */
  catalogueCommands: readonly string[];
  /** The id of the preset that a server's `kind` means, which may be another name of it. */
  presetId(kind: string): string | undefined;
}

/** The plan of a config, with its errors and warnings. */
export function buildPlan(given: Config, context: PlanContext): { plan: Plan; problems: Problem[] } {
  const config = withPresetIds(given, context);
  const report = new Report(context.locate);
  const limits = buildLimits(config, context.clientForms);
  const dialect = buildDialect(config, report);
  checkMethodServers(config, context, report);
  const servers = buildServers(config, report);
  checkRoutes(servers);
  const built = buildTools({
    config,
    servers,
    dialect,
    limits,
    origin: (pointer) => context.origin(pointer),
    report,
  });
  const mcp = buildMcp(config, servers, built, { dialect, elsewhere: context }, report);
  const tools = resolveBatches(built, mcp.listed);
  checkFileNames(tools);
  checkWorkflows(tools, dialect);
  // An argument whose use is in a part with errors would look unused.
  if (report.problems.every(({ severity }) => severity === "warning"))
    checkFindings(
      tools,
      { config, limits, dialect, listed: mcp.listed, origin: (pointer) => context.origin(pointer) },
      report,
    );
  const plan: Plan = {
    abi: ABI_VERSION,
    workspace: {
      roots: config.workspace?.roots ?? ["."],
      extraRoots: sortedSet(config.workspace?.extra_roots ?? []),
      deny: sortedSet([...alwaysDenied, ...(config.workspace?.deny ?? [])]),
    },
    allow: {
      commands: buildCommands(config, servers, context.catalogueCommands, report),
      hosts: sortedSet(config.allow?.hosts ?? []),
      effects: buildEffects(config),
      env: sortedSet(config.allow?.env ?? defaultEnv),
    },
    limits,
    servers: servers.map(({ plan: server }) => server),
    disabledServers: disabledServers(config),
    tools: tools.map(({ plan: tool }) => tool),
    dialect,
    mcp,
    http: buildHttp(config, context, report),
    share: withDefaults(defaultShare, config.share ?? {}),
    dashboard: withDefaults(defaultDashboard, config.dashboard ?? {}),
    metrics: withDefaults(defaultMetrics, config.metrics ?? {}),
    prompts: buildPrompts(config, report),
    resources: buildResources(config, tools, { dialect, listed: mcp.listed }, report),
  };
  return { plan, problems: report.problems };
}

function buildLimits({ limits = {}, mcp, dialect }: Config, clients: readonly ClientForm[]): LimitsPlan {
  const { max_total_chars_default: chars, max_total_chars_hard: hard = defaultLimits.maxTotalCharsHard } =
    mcp?.output ?? {};
  const total = Math.min(chars ?? defaultLimits.maxTotalChars, hard);
  const forms = (dialect?.result ?? defaultDialect.result) === "both" ? 2 : 1;
  // A declared maximum is used up to the hard limit. The default is what every client can show.
  const page = chars === undefined ? defaultLimits.maxPageChars : Math.floor(total / forms);
  // For several clients, a page must fit the smallest of them in the form that it shows.
  const most = (other: ClientForm["result"]) =>
    Math.min(
      chars === undefined
        ? Math.min(total, ...clients.filter(({ result }) => result !== other).map(pageOf))
        : total,
      Math.max(defaultLimits.maxPageChars, page),
    );
  const own = withDefaults(defaultLimits, limits);
  return {
    ...own,
    diagnosticsPerFile: Math.min(own.diagnosticsPerFile, own.maxItems),
    maxTotalChars: total,
    maxTotalCharsHard: hard,
    maxPageChars: most("text"),
    maxTextChars: most("structured"),
  };
}

function pageOf({ maxChars, result }: ClientForm): number {
  return maxChars === null ? defaultLimits.maxPageChars : Math.floor(maxChars / (result === "both" ? 2 : 1));
}

/** The programs that may be started. Without `allow.commands`: the programs of presets that this config uses. */
function buildCommands(
  config: Config,
  servers: readonly PlacedServer[],
  catalogue: readonly string[],
  report: Report,
): string[] {
  const given = config.allow?.commands;
  given?.forEach((program, index) => {
    checkProgram(program, report.at("allow", "commands", index));
  });
  const allowed = given ?? catalogue;
  const used = servers.flatMap(({ plan }) => plan.command.slice(0, 1));
  for (const { plan, report: own } of servers) {
    const [program] = plan.command;
    if (program === undefined || allowed.includes(program)) continue;
    const fix = `Add ${JSON.stringify(program)} to \`allow.commands\`.`;
    own.at("command").add("plan/command-not-allowed", `The command \`${program}\` is not allowed.`, fix);
  }
  return sortedSet(given ?? used.filter((program) => catalogue.includes(program)));
}

/** The config with the id of its preset as each server's kind, which tools and methods may name. */
function withPresetIds(config: Config, context: PlanContext): Config {
  if (config.servers === undefined) return config;
  const servers = config.servers.map((server) =>
    server.kind === undefined ? server : { ...server, kind: context.presetId(server.kind) ?? server.kind },
  );
  return { ...config, servers };
}

function checkMethodServers(config: Config, { origin }: PlanContext, report: Report): void {
  const known = knownServers(config);
  config.methods?.forEach((entry, index) => {
    const at = report.at("methods", index, "servers");
    // A shipped method may be that of a server which this config does not have.
    if (origin(at.pointer) === "config")
      at.checkNames("plan/unknown-server", "The server", entry.servers ?? [], known);
  });
}

/** Tool names become file names, and some file systems ignore case. */
function checkFileNames(tools: readonly PlacedTool[]): void {
  const seen = new Map<string, string>();
  for (const { plan, report } of tools) {
    const lower = plan.name.toLowerCase();
    const message = `The tools \`${seen.get(lower)}\` and \`${plan.name}\` differ in case only.`;
    if (seen.has(lower)) report.at("name").add("plan/bad-tool", message, "Rename one of them.");
    seen.set(lower, plan.name);
  }
}

function buildHttp({ http = {} }: Config, { isSealed }: PlanContext, report: Report): HttpPlan {
  const badPort = http.strict && http.port !== undefined ? strictPortProblem(http.port) : undefined;
  if (badPort !== undefined) report.at("http", "port").add("config/bad-value", badPort);
  const plan = withDefaults(defaultHttp, http);
  return {
    ...plan,
    allowedOrigins: sortedSet(plan.allowedOrigins),
    allowedHosts: sortedSet(plan.allowedHosts),
    olderHandshakes: sortedSet(plan.olderHandshakes),
    isBindSealed: isSealed("/http/bind"),
  };
}
