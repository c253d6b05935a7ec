/**
 * The Plan: a config with every reference resolved, every default filled in, and every list sorted. A value that stays
 * unset is null or left out. The generator compiles it, the runtime runs it, and `plan.json` in a bundle is its text.
 */
import type { Json } from "../base/json.js";
import type { FormPlan } from "./item-form.js";
import type { ServerPlan } from "./server-plan.js";
import type { Effect, ToolPlan } from "./tool-plan.js";

export type * from "./output-plan.js";
export type * from "./server-plan.js";
export type * from "./step-values.js";
export type * from "./tool-plan.js";

/** The version of the contract between generated files and the runtime. */
export const ABI_VERSION = 6;

export interface Plan {
  abi: number;
  workspace: { roots: string[]; extraRoots: string[]; deny: string[] };
  allow: { commands: string[]; hosts: string[]; effects: Effect[]; env: string[] };
  limits: LimitsPlan;
  servers: ServerPlan[];
  /** Ids of the servers that the config disables, sorted. */
  disabledServers: string[];
  tools: ToolPlan[];
  dialect: DialectPlan;
  mcp: McpPlan;
  http: HttpPlan;
  share: SharePlan;
  dashboard: DashboardPlan;
  metrics: MetricsPlan;
  prompts: PromptPlan[];
  resources: ResourcePlan[];
}

/** A prompt: arguments, all texts, and messages, whose texts are templates over them. */
export interface PromptPlan {
  name: string;
  title: string | null;
  description: string | null;
  args: { name: string; description: string | null; required: boolean }[];
  messages: { role: "user" | "assistant"; text: string }[];
}

/** A resource that is the answer of a tool; `{name}` in its URI stands for a part that is an argument. */
export interface ResourcePlan {
  name: string;
  title: string | null;
  description: string | null;
  uri: string;
  mimeType: string;
  tool: string;
  /** An argument is a part of the URI, or a value. */
  args: { name: string; part: string | null; value: Json }[];
}

export interface LimitsPlan {
  maxItems: number;
  maxBytes: number;
  /** Default maximum of characters in one answer, structured and text form together. */
  maxTotalChars: number;
  /** The largest maximum that a tool or a call may ask for. */
  maxTotalCharsHard: number;
  /** Maximum of characters in the structured form, for tools without a maximum of their own. */
  maxPageChars: number;
  /** The same for the text form. Some clients show less text than structured content. */
  maxTextChars: number;
  maxMessageBytes: number;
  maxFileBytes: number;
  timeoutMs: number;
  maxServers: number;
  maxOpenDocuments: number;
  /** Resident memory of the proxy's own process, in MB. */
  proxyMemoryMb: number;
  /** Parts of a hover, and characters of each. */
  hoverParts: number;
  hoverChars: number;
  /** Characters of the documentation of a completion or a signature, and of the tooltip of an inlay hint. */
  completionChars: number;
  signatureChars: number;
  tooltipChars: number;
  /** Characters of the message of a diagnostic, by itself and in the `fixes` of a code action. */
  diagnosticChars: number;
  fixChars: number;
  /** Diagnostics of one file in an answer about the workspace; at most `maxItems`. */
  diagnosticsPerFile: number;
  /** Symbols or lines to choose from when several match. */
  candidates: number;
  /** The limits of a refusal's lists: places of a step that must find nothing, and actions on offer. */
  refusalPlaces: number;
  refusalActions: number;
  /** Files with the definitions of a symbol whose source is shown. */
  sourceFiles: number;
  /** Last lines of a server's error output in its status. */
  stderrLines: number;
  /** The limits for errors in an edit's answer: of each file, of other files, in total, and the mildest severity. */
  afterEditPerFile: number;
  afterEditOtherFiles: number;
  afterEditTotal: number;
  /** Edited files whose errors are compared. */
  afterEditCheckedFiles: number;
  afterEditSeverity: "error" | "warning" | "information" | "hint";
}

/** The names and forms of arguments and answers that one client, or one older tool, expects. */
export interface DialectPlan {
  document: { field: string; form: "path" | "uri" };
  position: {
    /** How arguments give a position. */
    form: "flat" | "object";
    /** How answers give positions and ranges. */
    answers: "flat" | "object";
    line: string;
    character: string;
    lineBase: 0 | 1;
    characterBase: 0 | 1;
    unit: "utf-8" | "utf-16" | "utf-32";
    /** Whether a position next to a symbol counts as a position on it. */
    fuzz: boolean;
    /** The member of an answer with the position that was asked about, as LSP counts. */
    used?: string;
    /** A position without a line or character: refuse it, or take the first line or character. */
    missing: "refuse" | "first";
  };
  symbol: {
    name: string;
    kind: string;
    /** The range of a symbol: from its name to its end, or the whole declaration plus a `selection_range`. */
    extent: "from_name" | "declaration";
  };
  query: string;
  /** Names of the arguments for paging and for capping a list. */
  listing: {
    size: string;
    cursor: string;
    most: string;
    /** The handling of a number outside its bounds. */
    beyond: "refuse" | "clamp";
    /** Refuse a list with more items than this instead of cutting it; null to cut. */
    refusePast: number | null;
  };
  result: "structured" | "text" | "both";
  /** Template of `content` for tools without one of their own; null for the built-in text of the shape. */
  text: string | null;
  /** Name of the member that repeats the call's arguments, or null. */
  echo: string | null;
  /** Member of an answer → its name in this dialect; an empty name leaves the member out. */
  members: { [name: string]: string };
  /** The forms of items, by the name of the shape or the one that a tool gives in `output.item`. */
  items?: { [name: string]: FormPlan };
  /** Further members of answers, by shape; their pointers lead into the answer and to `/symbol`, the named symbol. */
  answers?: { [shape: string]: FormPlan };
  errors: ErrorDialect;
  warnings: WarningDialect;
  outputSchemas: boolean;
}

/** The form of a refusal. Keys of the maps are codes, their prefixes (`page`), or `*` for all others. */
export interface ErrorDialect {
  /** A tool result with `isError`, a text result without it, or a JSON-RPC error. */
  form: "result" | "text" | "protocol";
  /** A template over `code`, `message`, `data`; null for the built-in text. */
  text: string | null;
  /** The member of `error` that holds the code. */
  code: string;
  /** A member of the answer that repeats the message; empty for none. */
  message: string;
  /** A member of the answer that holds the number; empty for none. */
  number: string;
  /** Code → replacement for the client. */
  codes: { [key: string]: string };
  /** Code → message that replaces ours. */
  messages: { [key: string]: string };
  /** Code → number of the JSON-RPC error. */
  numbers: { [key: string]: number };
}

/** The form of a warning in an answer. */
interface WarningDialect {
  /** The member that holds the code. */
  code: string;
  /** Code → replacement for the client; keys as in `ErrorDialect`. */
  codes: { [key: string]: string };
}

export interface McpPlan {
  name: string;
  /** The version reported to the client; our own when null. */
  version: string | null;
  /** Whether the servers start with the session instead of at the first call. */
  warmup: boolean;
  context: string;
  readOnly: boolean;
  instructions: string;
  /** Clients that show their model only one form of an answer, by `clientInfo.name`; a trailing `*` is a wildcard. */
  clients: { name: string; result: "structured" | "text" }[];
  /** Names of the listed and callable tools, after the filters `effects`, `allow` and `exclude`. */
  listed: string[];
  /** The channel for the host: the tools behind its methods, and the diagnostics that it gets; null without one. */
  hostChannel: {
    tools: { checkFile: string; diagnostics: string; status: string };
    severities: LimitsPlan["afterEditSeverity"][];
  } | null;
}

/** The hub of `serve --shared`. */
export interface SharePlan {
  /** How long the hub stays without sessions. */
  idleMinutes: number;
  /** Whether the servers start with the hub instead of at the first call. */
  warm: boolean;
}

/** The dashboard of a hub or a gateway. */
export interface DashboardPlan {
  enabled: boolean;
  /** Whether the arguments and answers of the last calls are kept, in memory. */
  keepAnswers: boolean;
}

/** `GET /metrics`. */
export interface MetricsPlan {
  enabled: boolean;
  /** The variable that holds the token. */
  tokenEnv: string;
}

/** The HTTP gateway. */
export interface HttpPlan {
  enabled: boolean;
  bind: string;
  port: number;
  path: string;
  tokenEnv: string;
  tokenFile: string | null;
  allowedOrigins: string[];
  allowedHosts: string[];
  /** Accept only POST, only the newest protocol revision, and answer only with JSON. */
  strict: boolean;
  /** In strict mode: older revisions that a handshake may still ask for. */
  olderHandshakes: string[];
  /** Whether the profile forbids another address, even on the command line. */
  isBindSealed: boolean;
  /** Whether clients name their session; otherwise a token has one. */
  sessions: boolean;
  maxSessions: number;
  sessionIdleMs: number;
  /** Whether the client's roots limit what its session can read. */
  sessionRoots: "narrow" | "ignore";
  maxBodyBytes: number;
  maxCalls: number;
  maxCallsPerSession: number;
  headersTimeoutMs: number;
  bodyTimeoutMs: number;
  drainMs: number;
}
