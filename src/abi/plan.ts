/**
 * The Plan: a config with everything resolved, defaulted and sorted, and no optional fields. It is what the
 * generator compiles and what the runtime runs; `plan.json` in a bundle is exactly this.
 */
import type { Json, JsonObject } from "../base/json.js";

/** The version of the contract between generated files and the runtime. */
export const ABI_VERSION = 2;

export type Effect = "read" | "edit" | "command";
export type Anchor = "workspace" | "document" | "position" | "range" | "symbol" | "text" | "query";
export type ShapeName =
  | "locations"
  | "document_symbols"
  | "workspace_symbols"
  | "hover"
  | "calls"
  | "types"
  | "diagnostics"
  | "workspace_diagnostics"
  | "workspace_edit"
  | "text_edits"
  | "completions"
  | "signatures"
  | "code_actions"
  | "inlay_hints"
  | "semantic_tokens"
  | "folding_ranges"
  | "selection_ranges"
  | "links"
  | "highlights"
  | "code_lenses"
  | "monikers"
  | "text"
  | "json"
  | "batch"
  | "server_status";

export interface Plan {
  abi: number;
  workspace: { roots: string[]; extraRoots: string[]; deny: string[] };
  allow: { commands: string[]; hosts: string[]; effects: Effect[]; env: string[] };
  limits: LimitsPlan;
  servers: ServerPlan[];
  tools: ToolPlan[];
  dialect: DialectPlan;
  mcp: McpPlan;
  http: HttpPlan;
}

export interface LimitsPlan {
  maxItems: number;
  maxBytes: number;
  /** Characters of one answer, both forms together, for a call that asks for no number. */
  maxTotalChars: number;
  /** What a tool or a call may ask for at the most. */
  maxTotalCharsHard: number;
  /** Characters of one form of an answer, where the tool declares no budget of its own. */
  maxPageChars: number;
  /** The same for its text, which some clients show less of. */
  maxTextChars: number;
  maxMessageBytes: number;
  maxFileBytes: number;
  timeoutMs: number;
  maxServers: number;
  maxOpenDocuments: number;
  /** Bytes of answers that are kept while nothing they depend on has changed. */
  cacheBytes: number;
}

/** A method outside the LSP specification. */
export interface CustomMethodPlan {
  /** The dotted path of the capability that promises it; null when it is assumed. */
  capability: string | null;
  /** The JSON Schema of its result; null for any. */
  result: JsonObject | null;
}

/** Who begins: it runs already; it is started and listens; it is started and connects to us. */
export type TransportMode = "connect" | "start" | "listen";

export type TransportPlan =
  | { kind: "stdio" }
  | { kind: "tcp"; mode: TransportMode; host: string; port: number }
  | { kind: "pipe"; mode: TransportMode; path: string };

/** How a server is confined. */
export type SandboxName = "none" | "read_only" | "no_network" | "read_only_no_network";

/** How one server is started, spoken to and stopped. Paths are relative to the workspace base. */

/** A request that has a server check one file, and whose answer says that it has found everything in it. */
export interface CheckPlan {
  method: string;
  /** `<file>` and `<uri>` in texts stand for the file. */
  params: Json;
  /** An answer that comes later than this after the change says nothing. */
  withinMs: number;
  /** How long after the answer the server may still publish what it found. */
  pauseMs: number;
}

export interface ServerPlan {
  id: string;
  /** The program and, when it runs a script, the words before `args`. */
  command: string[];
  args: string[];
  extensions: string[];
  filenames: string[];
  globs: string[];
  languageId: string;
  /** Extension (or file name) → language id, for those that differ from `languageId`. */
  languageIds: { [match: string]: string };
  rootMarkers: string[];
  rootPick: "nearest" | "farthest";
  rootDir: string | null;
  cwd: string | null;
  workspaceFolders: string[];
  env: { [name: string]: string };
  transport: TransportPlan;
  initializeOptions: Json;
  clientCapabilities: JsonObject;
  settings: JsonObject;
  /** Whether the settings are sent unasked, too. */
  pushSettings: boolean;
  initializeTimeoutMs: number;
  requestTimeoutMs: number;
  requestTimeoutOverridesMs: { [method: string]: number };
  warmupTimeoutMs: number;
  /** Static answers to the server's own requests. */
  replies: { [method: string]: Json };
  forward: ForwardPlan[];
  ready: {
    progress: boolean;
    notification: string | null;
    field: string | null;
    /** What the string at `field` has in it once the server is ready; empty where the field is a boolean. */
    text: string[];
    atOnce: boolean;
    /** Whether the server says that it is ready once for each folder. */
    eachFolder: boolean;
  };
  check: CheckPlan | null;
  /** One of these must stand above a file for the server to know its whole project; empty when it needs none. */
  projectFiles: string[];
  idleShutdownMs: number;
  restartIntervalMinutes: number;
  restart: { max: number; windowMs: number; backoffMs: [number, number] };
  features: { only: string[] | null; except: string[] };
  priority: number;
  executeCommands: string[];
  /** Methods outside the LSP specification that it has. */
  customMethods: { [method: string]: CustomMethodPlan };
  limits: {
    memoryMb: number | null;
    openFiles: number | null;
    processes: number | null;
    nice: number | null;
  };
  sandbox: SandboxName;
  untrusted: UntrustedPlan;
  /** The server sees changes on disk only in files that are opened. */
  openOnChange: boolean;
  /** Whether diagnostics are pulled where that is offered, and whether a file is looked at only once it is saved. */
  diagnostics: { pull: boolean; onSave: boolean };
  /** One process for several roots, where the server takes folders while it runs. */
  shareRoots: boolean;
  install: string | null;
}

/** What differs for a server in a workspace that is not trusted. */
export interface UntrustedPlan {
  /** Whether it is started without a sandbox. */
  start: boolean;
  /** JSON Pointer in its options → the file that must be at that path, or in it. */
  loads: { [pointer: string]: string };
  /** JSON Pointers in its configuration to code that is added to it; with any, it is not started without a sandbox. */
  without: string[];
  /** Laid over its own. */
  initializeOptions: JsonObject;
  settings: JsonObject;
}

/** Passes one server's notification to another server as a request, and its answer back as a notification. */
export interface ForwardPlan {
  notification: string;
  to: string;
  request: string;
  reply: string;
}

export interface ToolPlan {
  name: string;
  title: string;
  description: string;
  effect: Effect;
  /** Ids of the servers this tool may ask; every server when null. */
  servers: string[] | null;
  input: Anchor[];
  /** Pointing arguments that every call must give, besides those that no way of pointing can do without. */
  require: string[];
  args: ArgPlan[];
  steps: StepPlan[];
  output: OutputPlan;
  /** How `content` reads: a shipped template's name or a template's own text; null for the shape's own lines. */
  text: string | null;
  /** What `content` says instead when nothing was found, or null. */
  empty: string | null;
  maxItems: number;
  /** Items in an answer to a call that asks for no number; null for as many as may be. */
  defaultItems: number | null;
  maxBytes: number;
  timeoutMs: number;
  page: { defaultSize: number; maxSize: number } | null;
  /** Where the tool was declared: a shipped config's name or the config's own file name, and a JSON Pointer. */
  source: { file: string; pointer: string };
}

export interface ArgPlan {
  name: string;
  /**
   * `operations` is the list of calls that a `batch` step takes; its `enum` are the tools that may be called.
   * `batch_options` is a table that says how they are run.
   */
  type:
    | "string"
    | "integer"
    | "number"
    | "boolean"
    | "string_list"
    | "string_map"
    | "file_edits"
    | "text_edits"
    | "operations"
    | "batch_options";
  description: string;
  required: boolean;
  /** Absent default is null. */
  default: Json;
  enum: string[] | null;
  minLength: number | null;
  maxLength: number | null;
  minimum: number | null;
  maximum: number | null;
  /** What happens to a number beyond its bounds. */
  beyond: "refuse" | "clamp";
}

export interface OutputPlan {
  shape: ShapeName;
  /** JSON Pointer into the last step's value, or "" for the whole. */
  at: string;
  /** For text: the language of a fenced block, or null. */
  language: string | null;
  /** For edits: only shown, or applied when a call asks for it. */
  apply: "never" | "on_request";
  /** For edits: whether each edited file is copied beside itself first, and what its copy is called; null for never. */
  backups: { create: Template; suffix: Template } | null;
  /** For custom `json`: the schema of the value, or null for any. */
  schema: JsonObject | null;
  /** The member that holds the items, when it is not the shape's own. */
  list: string | null;
  /** The member that says how many items are shown, beside `total` and `shown`; null for none. */
  count: string | null;
  /** The member that holds the symbols of the name, each with its items, and the one that counts them; null for items alone. */
  symbols: { list: string; count: string | null } | null;
  /** Whether each item carries an id made of its content. */
  ids: boolean;
  /** For hover: whether each text tells whether it is Markdown or plain. */
  marked: boolean;
  /** For batches: how an operation says how it went, in a word or by its success. */
  outcomes: "word" | "success";
  /** How much of the file stands beside each place. */
  snippet: { show: Template; contextLines: Template; maxChars: Template };
  /** The answer's own budget of characters: a number, or what a call asks for; null for the config's. */
  maxChars: Template | null;
  /** Steps whose values stand together under their ids in a `json` answer; empty means the last step's value alone. */
  gather: string[];
}

/** A literal with references in it. A table `{ from = "…" }` of the config became a `ref`. */
export type Template =
  | { kind: "literal"; value: Json }
  | { kind: "ref"; ref: Ref }
  | { kind: "list"; items: Template[] }
  | { kind: "table"; entries: [string, Template][] };

/** `input.X`, `step.ID.path`, `each.path`, `document.uri | language_id | version`. */
export interface Ref {
  root: "input" | "step" | "each" | "document";
  /** The argument, step id or document field; null for a whole `input` or `each`. */
  name: string | null;
  path: string[];
}

export type ParamsBase =
  | "none"
  | "text_document"
  | "text_document_position"
  | "text_document_positions"
  | "text_document_formatting"
  | "text_document_range"
  | "text_document_range_diagnostics";

export interface ParamsPlan {
  base: ParamsBase;
  set: Template | null;
}

export interface RetryPlan {
  attempts: number;
  delayMs: number;
  while: "not_ready" | "always";
}

/** A step once per item. With `lacking`, only items without that member are asked about; the others stay as they are. */
export interface EachPlan {
  from: Ref;
  /** A number, or an argument that is one. */
  limit: Template;
  lacking: string[] | null;
}

/** What all steps share. `merge` says whether one server answers or all of them do. */
interface StepCommon {
  id: string;
  optional: boolean;
  expect: "any" | "value" | "some";
}

export type StepPlan =
  | (StepCommon & {
      kind: "request";
      method: string;
      params: ParamsPlan;
      each: EachPlan | null;
      retryEmpty: RetryPlan | null;
      merge: "first" | "all";
    })
  | (StepCommon & { kind: "diagnostics"; waitMs: number; settleMs: number })
  | (StepCommon & { kind: "execute_command"; command: Template; arguments: Template | null })
  | (StepCommon & { kind: "tool"; tool: string; args: Template })
  | (StepCommon & {
      kind: "batch";
      /** The tools that may be called, sorted. */
      tools: string[];
      operations: Template;
      /** The argument that holds how they are run, or null where that stands beside the operations. */
      options: string | null;
      parallel: Template;
      stopOnError: Template;
    })
  /** The one item of an earlier step that has an id, as the answer that lists them gives it. */
  | (StepCommon & { kind: "choose"; from: Ref; item: Template })
  | (StepCommon & { kind: "runtime"; action: RuntimeAction; args: Template | null });

/** The named things the runtime can do without a language server's method. A closed set. */
export type RuntimeAction =
  | "server_status"
  | "list_servers"
  | "current_config"
  | "restart_server"
  | "stop_server"
  | "edit_files"
  | "create_file"
  | "rename_file"
  | "delete_file"
  | "replace_symbol"
  | "insert_before_symbol"
  | "insert_after_symbol"
  | "undo_edit";

/** How the surface is spelt for one client or one older tool. */
export interface DialectPlan {
  document: { field: string; form: "path" | "uri" };
  position: {
    /** How a place is given in arguments. */
    form: "flat" | "object";
    /** How places and ranges stand in answers. */
    answers: "flat" | "object";
    line: string;
    character: string;
    lineBase: 0 | 1;
    characterBase: 0 | 1;
    unit: "utf-8" | "utf-16" | "utf-32";
    /** Whether a place where nothing is may stand for one beside it. */
    fuzz: boolean;
    /** What a place without its line or its character is: refused, or the first line, the first character. */
    missing: "refuse" | "first";
  };
  symbol: {
    name: string;
    kind: string;
    /** What the range of a symbol is: from its name to its end, or its whole declaration beside its name's own range. */
    extent: "from_name" | "declaration";
  };
  query: string;
  /** The arguments that ask for a page, or cap a list. */
  listing: {
    size: string;
    cursor: string;
    most: string;
    /** What happens to a number beyond its bounds. */
    beyond: "refuse" | "clamp";
    /** More items than this are refused instead of cut; null to cut whatever is too much. */
    refusePast: number | null;
  };
  result: "structured" | "text" | "both";
  /** How `content` reads where a tool has no text of its own; null for the shape's own lines. */
  text: string | null;
  /** The member that gives a call's own arguments back, or null. */
  echo: string | null;
  /** A member's name in answers → how this dialect spells it; an empty spelling leaves it out. */
  members: { [name: string]: string };
  errors: ErrorDialect;
  warnings: WarningDialect;
  outputSchemas: boolean;
}

/** How a refusal is told. Keys of the maps are codes, families (`page`), or `*` for all others. */
export interface ErrorDialect {
  /** A tool result with `isError`, a plain text without it, or a JSON-RPC error. */
  form: "result" | "text" | "protocol";
  /** A template over `code`, `message`, `data`; null for our own words. */
  text: string | null;
  /** The member of `error` that holds the code. */
  code: string;
  /** A member of the answer that says the message again; empty for none. */
  message: string;
  /** A member of the answer that holds the number; empty for none. */
  number: string;
  /** What the client reads instead of a code. */
  codes: { [key: string]: string };
  /** What the client reads instead of a message. */
  messages: { [key: string]: string };
  /** The number of a JSON-RPC error. */
  numbers: { [key: string]: number };
}

/** How a remark beside an answer is told. */
export interface WarningDialect {
  /** The member that holds the code. */
  code: string;
  /** What the client reads instead of a code; keys as in `ErrorDialect`. */
  codes: { [key: string]: string };
}

export interface McpPlan {
  name: string;
  /** The version told to the client; our own when null. */
  version: string | null;
  /** Whether the servers are started with the session, before anybody asks. */
  warmup: boolean;
  context: string;
  readOnly: boolean;
  instructions: string;
  /** Clients that hand their model only one form of an answer, by the names that they give themselves; `*` ends a beginning. */
  clients: { name: string; result: "structured" | "text" }[];
  /** Tool names that are listed and callable; already filtered by effect, allow and exclude. */
  listed: string[];
}

/** The gateway over HTTP. */
export interface HttpPlan {
  bind: string;
  port: number;
  path: string;
  tokenEnv: string;
  tokenFile: string | null;
  allowedOrigins: string[];
  allowedHosts: string[];
  /** The narrow reading of the protocol: one verb, one revision, one form of answer. */
  strict: boolean;
  /** Strictly: revisions besides the newest that a handshake may ask for. */
  olderHandshakes: string[];
  /** Whether the profile lets nobody choose another address, the command line included. */
  isBindSealed: boolean;
  maxSessions: number;
  sessionIdleMs: number;
  /** Whether a client's roots narrow what its session sees. */
  sessionRoots: "narrow" | "ignore";
  maxBodyBytes: number;
  maxCalls: number;
  maxCallsPerSession: number;
  headersTimeoutMs: number;
  bodyTimeoutMs: number;
  drainMs: number;
}
