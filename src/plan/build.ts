/**
 * Config → Plan: everything resolved, defaulted and sorted. Pure and total: whatever is wrong is collected, and the
 * caller does not use a plan that came with errors. Equal meaning gives an equal plan.
 */
import { ABI_VERSION, type HttpPlan, type LimitsPlan, type Plan } from "../abi/plan.js";
import { strictPortProblem } from "../base/loopback.js";
import { sortedSet } from "../base/order.js";
import type { Place, Problem } from "../base/problem.js";
import type { ClientForm } from "../config/load.js";
import type { Config } from "../config/schema.js";
import { resolveBatches } from "./batches.js";
import { checkProgram } from "./commands.js";
import { alwaysDenied, defaultDialect, defaultEnv, defaultHttp, defaultLimits } from "./defaults.js";
import { Report } from "./report.js";
import { checkRoutes } from "./routes.js";
import { buildServers, type PlacedServer } from "./servers.js";
import { buildDialect, buildEffects, buildMcp, type ToolsElsewhere } from "./surface.js";
import { buildTools, type PlacedTool } from "./tools.js";
import { checkWorkflows } from "./workflows.js";

/** What the plan must be told about the config's files. */
export interface PlanContext extends ToolsElsewhere {
  locate(pointer: string): Place | undefined;
  /** The layer a value came from: a shipped config's name, or `config`. */
  origin(pointer: string): string;
  /** Whether the profile lets a value be narrowed only. */
  isSealed(pointer: string): boolean;
  /** Every program that the shipped presets name. */
  catalogueCommands: readonly string[];
}

/** The plan of a config, with what is wrong or odd about it. */
export function buildPlan(config: Config, context: PlanContext): { plan: Plan; problems: Problem[] } {
  const report = new Report(context.locate);
  const limits = buildLimits(config, context.clientForms);
  const dialect = buildDialect(config, report);
  checkMethodServers(config, report);
  const servers = buildServers(config, report);
  checkRoutes(servers, report);
  const built = buildTools({
    config,
    servers,
    dialect,
    limits,
    origin: (pointer) => context.origin(pointer),
    report,
  });
  const mcp = buildMcp(config, servers, built, context, report);
  const tools = resolveBatches(built, mcp.listed, report);
  checkFileNames(tools, report);
  checkWorkflows(tools, dialect, report);
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
    tools: tools.map(({ plan: tool }) => tool),
    dialect,
    mcp,
    http: buildHttp(config, context, report),
  };
  return { plan, problems: report.problems };
}

function buildLimits({ limits = {}, mcp, dialect }: Config, clients: readonly ClientForm[]): LimitsPlan {
  const { max_total_chars_default: chars, max_total_chars_hard: hard = defaultLimits.maxTotalCharsHard } =
    mcp?.output ?? {};
  const total = Math.min(chars ?? defaultLimits.maxTotalChars, hard);
  const forms = (dialect?.result ?? defaultDialect.result) === "both" ? 2 : 1;
  // A budget that somebody declared is really given; without one, a page is what every client can show.
  const page = chars === undefined ? defaultLimits.maxPageChars : Math.floor(total / forms);
  // A surface for several clients has pages that the narrowest of them shows whole, in the form that it shows.
  const most = (other: ClientForm["result"]) =>
    Math.min(
      chars === undefined
        ? Math.min(total, ...clients.filter(({ result }) => result !== other).map(pageOf))
        : total,
      Math.max(defaultLimits.maxPageChars, page),
    );
  return {
    maxItems: limits.max_items ?? defaultLimits.maxItems,
    maxBytes: limits.max_bytes ?? defaultLimits.maxBytes,
    maxTotalChars: total,
    maxTotalCharsHard: hard,
    maxPageChars: most("text"),
    maxTextChars: most("structured"),
    maxMessageBytes: limits.max_message_bytes ?? defaultLimits.maxMessageBytes,
    maxFileBytes: limits.max_file_bytes ?? defaultLimits.maxFileBytes,
    timeoutMs: limits.timeout_ms ?? defaultLimits.timeoutMs,
    maxServers: limits.max_servers ?? defaultLimits.maxServers,
    maxOpenDocuments: limits.max_open_documents ?? defaultLimits.maxOpenDocuments,
  };
}

function pageOf({ maxChars, result }: ClientForm): number {
  return maxChars === null ? defaultLimits.maxPageChars : Math.floor(maxChars / (result === "both" ? 2 : 1));
}

/** The programs that may be started. Without `allow.commands`: those of the catalogue that this config really uses. */
function buildCommands(
  config: Config,
  servers: readonly PlacedServer[],
  catalogue: readonly string[],
  report: Report,
): string[] {
  const given = config.allow?.commands;
  given?.forEach((program, index) => {
    checkProgram(program, `/allow/commands/${index}`, report);
  });
  const allowed = given ?? catalogue;
  const used = servers.flatMap(({ plan }) => plan.command.slice(0, 1));
  for (const { plan, pointer } of servers) {
    const [program] = plan.command;
    if (program !== undefined && !allowed.includes(program))
      report.add(
        "plan/command-not-allowed",
        `${pointer}/command`,
        `The command \`${program}\` is not allowed.`,
        {
          fix: `Add ${JSON.stringify(program)} to \`allow.commands\`.`,
        },
      );
  }
  return sortedSet(given ?? used.filter((program) => catalogue.includes(program)));
}

function checkMethodServers(config: Config, report: Report): void {
  const known = (config.servers ?? []).map((server) => server.id);
  config.methods?.forEach((entry, index) => {
    entry.servers?.forEach((id, at) => {
      if (!known.includes(id))
        report.unknown("plan/unknown-server", `/methods/${index}/servers/${at}`, "The server", id, known);
    });
  });
}

/** Tools become files, and some file systems do not tell upper from lower case. */
function checkFileNames(tools: readonly PlacedTool[], report: Report): void {
  const seen = new Map<string, string>();
  for (const { plan, pointer } of tools) {
    const lower = plan.name.toLowerCase();
    const other = seen.get(lower);
    if (other !== undefined)
      report.add(
        "plan/bad-tool",
        `${pointer}/name`,
        `The tools \`${other}\` and \`${plan.name}\` differ in case only.`,
        {
          fix: "Rename one of them.",
        },
      );
    seen.set(lower, plan.name);
  }
}

function buildHttp({ http = {} }: Config, { isSealed }: PlanContext, report: Report): HttpPlan {
  const badPort = http.strict && http.port !== undefined ? strictPortProblem(http.port) : undefined;
  if (badPort !== undefined) report.add("config/bad-value", "/http/port", badPort);
  return {
    bind: http.bind ?? defaultHttp.bind,
    port: http.port ?? defaultHttp.port,
    path: http.path ?? defaultHttp.path,
    tokenEnv: http.token_env ?? defaultHttp.tokenEnv,
    tokenFile: http.token_file ?? defaultHttp.tokenFile,
    allowedOrigins: sortedSet(http.allowed_origins ?? defaultHttp.allowedOrigins),
    allowedHosts: sortedSet(http.allowed_hosts ?? defaultHttp.allowedHosts),
    strict: http.strict ?? defaultHttp.strict,
    olderHandshakes: sortedSet(http.older_handshakes ?? defaultHttp.olderHandshakes),
    isBindSealed: isSealed("/http/bind"),
    maxSessions: http.max_sessions ?? defaultHttp.maxSessions,
    sessionIdleMs: http.session_idle_ms ?? defaultHttp.sessionIdleMs,
    sessionRoots: http.session_roots ?? defaultHttp.sessionRoots,
    maxBodyBytes: http.max_body_bytes ?? defaultHttp.maxBodyBytes,
    maxCalls: http.max_calls ?? defaultHttp.maxCalls,
    maxCallsPerSession: http.max_calls_per_session ?? defaultHttp.maxCallsPerSession,
    headersTimeoutMs: http.headers_timeout_ms ?? defaultHttp.headersTimeoutMs,
    bodyTimeoutMs: http.body_timeout_ms ?? defaultHttp.bodyTimeoutMs,
    drainMs: http.drain_ms ?? defaultHttp.drainMs,
  };
}
