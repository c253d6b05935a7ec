/** The tables of a config: what may be read, started and used, and what clients see. */
import * as z from "zod";
import {
  atMost,
  defaultIsLimit,
  effect,
  fixed,
  globs,
  labelled,
  milliseconds,
  nonEmpty,
  optional,
  optionalSet,
  positive,
  sequence,
  set,
  toolName,
} from "./values.js";

const severity = z.enum(["error", "warning", "information", "hint"]);

export const workspace = z.strictObject({
  roots: optional(
    z.array(nonEmpty).min(1),
    sequence(
      "Folders that may be read. Relative to the folder of the config, or to `--workspace` if given. Relative paths of a call start from the first one.",
    ),
    labelled("inside", "the folder"),
  ),
  extra_roots: optionalSet(
    z.string().regex(/^(\/|[A-Za-z]:[\\/]|\\\\)/, "an absolute path"),
    "Absolute folders that may be read, never written: toolchain sources, vendored code. Servers of the workspace open their files, so these folders are trusted like the workspace.",
    labelled("inside", "the folder"),
  ),
  deny: optional(
    globs,
    set(
      "Globs of paths that are refused, relative to each root: `*`, `**`, `?`, `[a-z]`, `{a,b}`, and `\\` before a character. `**/.git/**` is always refused.",
    ),
    defaultIsLimit("union"),
  ),
});

export const allow = z.strictObject({
  servers: optional(z.boolean(), "`false` disables all language servers.", "only_false"),
  commands: optionalSet(nonEmpty, "The only programs that may be started: names or full paths.", "subset"),
  hosts: optionalSet(
    nonEmpty,
    "Other machines whose language servers may be connected to (`transport.tcp`). The connection is not encrypted.",
    labelled("subset", "language servers on"),
  ),
  effects: optionalSet(
    effect,
    "Which tools are listed and callable.",
    labelled("subset", "tools with the effect"),
  ),
  env: optionalSet(
    z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "the name of an environment variable"),
    "Environment variables that a language server inherits.",
    labelled("subset", "the variable"),
  ),
});

export const limits = z.strictObject({
  max_items: atMost(positive.max(20_000), "Items in one answer."),
  max_bytes: atMost(z.int().min(16_384).max(8_000_000), "Bytes of one answer."),
  max_message_bytes: atMost(z.int().min(65_536).max(1_073_741_824), "Bytes of one LSP message."),
  max_file_bytes: atMost(z.int().min(1024).max(1_073_741_824), "Bytes of a file sent to a server."),
  timeout_ms: atMost(milliseconds.min(100), "Longest time for one call."),
  max_servers: atMost(positive.max(256), "Language servers at once; the longest idle one is stopped."),
  max_open_documents: atMost(positive.max(10_000), "Open documents in one server; the oldest is closed."),
  proxy_memory_mb: atMost(
    z.int().min(256).max(65_536),
    "Memory of the proxy itself. Over it, the server that sent most is ended, then the client whose requests and unread answers hold most; if neither helps, the proxy ends.",
  ),
  hover_parts: atMost(positive.max(100), "Parts of a hover."),
  hover_chars: atMost(z.int().min(100).max(1_000_000), "Characters of each part of a hover."),
  completion_chars: atMost(
    z.int().min(100).max(1_000_000),
    "Characters of the documentation of a completion.",
  ),
  signature_chars: atMost(
    z.int().min(100).max(1_000_000),
    "Characters of the documentation of a signature, and of each of its parameters.",
  ),
  tooltip_chars: atMost(z.int().min(100).max(1_000_000), "Characters of the tooltip of an inlay hint."),
  diagnostic_chars: atMost(z.int().min(100).max(1_000_000), "Characters of the message of a diagnostic."),
  fix_chars: atMost(
    z.int().min(100).max(1_000_000),
    "Characters of each message in the `fixes` of a code action.",
  ),
  diagnostics_per_file: atMost(
    positive.max(20_000),
    "Diagnostics of one file, in an answer about all files.",
  ),
  candidates: atMost(positive.max(1000), "Symbols or lines to choose from, if several match."),
  refusal_places: atMost(
    positive.max(1000),
    'Places in the refusal of a step that must find nothing (`expect = "none"`).',
  ),
  refusal_actions: atMost(
    positive.max(1000),
    "Actions in the refusal of a call that names an action that does not exist.",
  ),
  source_files: atMost(positive.max(100), "Files with the definitions of a symbol whose source is shown."),
  stderr_lines: atMost(positive.max(50), "Last lines of a server's error output in its status."),
  after_edit_per_file: atMost(positive.max(1000), "Errors of one file in the answer of an edit."),
  after_edit_other_files: atMost(
    z.int().min(0).max(1000),
    "Files with errors in the answer of an edit, besides the edited ones.",
  ),
  after_edit_total: atMost(positive.max(10_000), "Errors in the answer of an edit."),
  after_edit_checked_files: atMost(
    positive.max(1000),
    "Edited files whose errors are compared before and after the edit.",
  ),
  after_edit_severity: fixed(severity, "The mildest severity in the answer of an edit."),
  cache_bytes: optional(z.int().min(0).max(268_435_456), "Has no effect: there is no answer cache.", "any"),
});

export const mcp = z.strictObject({
  name: optional(
    z.string().regex(/^[a-z0-9_-]{1,40}$/, "1 to 40 lower-case letters, digits, `_` or `-`"),
    "The server name that the client sees.",
    labelled("needs_trust", "a name of its own"),
  ),
  version: optional(
    z.string().min(1).max(40),
    "The server version that the client sees; our own when absent.",
    labelled("needs_trust", "a version of its own"),
  ),
  warmup: optional(
    z.boolean(),
    "Starts the servers for the workspace's files immediately, in the background, like `serve --warmup`.",
    "only_false",
  ),
  context: optional(
    z.string(),
    "A profile in `configs/profiles/`. `auto` is the default profile with answers in the form that each client, known by the name in its handshake, passes to its model.",
    labelled("fixed", "the profile"),
  ),
  sealed: optionalSet(nonEmpty, "For a profile: keys that a config may narrow, never widen.", "union"),
  read_only: optional(z.boolean(), "`true` hides and refuses every tool that is not `read`.", "only_true"),
  instructions: optional(
    z.string().max(1000),
    "The instructions for the model; generated from the tools when absent.",
    labelled("needs_trust", "instructions of its own"),
  ),
  tools: optional(
    z.strictObject({
      allow: optionalSet(toolName, "If not empty: the only tools that are listed and callable.", "selection"),
      exclude: optionalSet(toolName, "Tools that are neither listed nor callable.", "union"),
    }),
    "Which tools there are.",
  ),
  output: optional(
    z.strictObject({
      max_total_chars_default: atMost(
        z.int().min(10_000).max(2_000_000),
        "Characters of one answer, structured content and text together; when absent 120000, and 40000 in each of them.",
      ),
      max_total_chars_hard: atMost(
        z.int().min(10_000).max(2_000_000),
        "The most that a tool or a call may ask for; 2000000 when absent.",
      ),
    }),
    "Size of answers.",
  ),
  host_channel: optional(
    z.strictObject({
      check_file: toolName.describe("The tool behind `lsp/checkFile`; its answer are diagnostics of a file."),
      diagnostics: toolName.describe("The tool behind `lsp/diagnostics`; its answer are those of all files."),
      status: toolName.describe("The tool behind `lsp/status`; its answer is the status of the servers."),
      severities: optional(
        z.array(severity).min(1),
        set("The severities of diagnostics that the host gets; errors only when absent."),
      ),
    }),
    "A second channel, on stdin and stdout while MCP is on other descriptors: JSON-RPC for the program that started the proxy. Its tools need not be listed.",
    labelled("needs_trust", "a channel for its host"),
  ),
});

export const share = z.strictObject({
  idle_minutes: atMost(
    z.number().min(0.01).max(1440),
    "How long the hub, with its language servers, stays without sessions.",
  ),
  warm: optional(
    z.boolean(),
    "Starts the servers for the workspace's files together with the hub, instead of at the first call.",
    "only_false",
  ),
});

export const dashboard = z.strictObject({
  enabled: optional(
    z.boolean(),
    "`false`: the hub and the gateway have no dashboard and record no calls for it.",
    "only_false",
  ),
  keep_answers: optional(
    z.boolean(),
    "`false`: of calls only times and sizes are kept, no arguments and no answers. They are kept in memory only.",
    "only_false",
  ),
});

export const metrics = z.strictObject({
  enabled: optional(
    z.boolean(),
    "`true`: the gateway and an open dashboard serve `GET /metrics` in the format of Prometheus.",
    "only_false",
  ),
  token_env: optional(
    z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "the name of a variable, not the token"),
    "Environment variable that holds the token for `/metrics`. While it is empty, only this machine may ask.",
    defaultIsLimit("fixed"),
  ),
});

export const http = z.strictObject({
  enabled: optional(z.boolean(), "`false` refuses `serve --http`.", "only_false"),
  bind: fixed(z.string(), "Address; one that is not loopback needs `--allow-remote` and a token."),
  port: fixed(z.int().min(0).max(65535), "Port; 0 picks one."),
  path: fixed(
    z.string().regex(/^\/[A-Za-z0-9_\-/]*$/, "a path that begins with `/`"),
    "Path of the endpoint.",
  ),
  token_env: fixed(
    z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "the name of a variable, not the token"),
    "Environment variable that holds the tokens, separated by spaces.",
  ),
  token_file: fixed(
    nonEmpty,
    "File that holds the tokens, one a line, readable by its owner only; read again when it changes.",
  ),
  allowed_origins: optionalSet(
    z
      .string()
      .regex(/^[a-z][a-z0-9+.-]*:\/\/[^\s/*?#@\\]+$/, "an origin: scheme, host and port, no `*`, no path"),
    "Exact origins that a browser may call from; a request without `Origin` is not from a browser.",
    "subset",
  ),
  allowed_hosts: optionalSet(
    z
      .string()
      .regex(/^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(:\d{1,5})?$/, "a host, with or without a port, no `*`"),
    "Accepted values of `Host`; one without a port matches any port.",
    "subset",
  ),
  strict: optional(
    z.boolean(),
    "`true`: `POST` only, answers as JSON only, both media types in `Accept`, the newest session-era revision only, no call before `notifications/initialized`, no health endpoint.",
    "only_true",
  ),
  older_handshakes: optionalSet(
    z.enum(["2024-10-07", "2024-11-05", "2025-03-26", "2025-06-18"]),
    "With `strict`: older revisions that a handshake may request; it is still answered with the newest.",
    "fixed",
  ),
  sessions: optional(
    z.boolean(),
    "`false`: no `Mcp-Session-Id`; requests belong to the last handshake of their token, so each client needs its own.",
    "only_false",
  ),
  max_sessions: atMost(
    positive.max(1024),
    "Sessions; a new one replaces the longest idle one of the token that has most.",
  ),
  session_idle_ms: atMost(milliseconds.min(1000), "Idle time after which a session ends."),
  session_roots: fixed(
    z.enum(["narrow", "ignore"]),
    "Whether the client's roots limit what it may see; they never extend it. A client that supports roots and does not list them sees nothing; one with an empty list sees the workspace.",
  ),
  max_body_bytes: atMost(z.int().min(1024).max(16_777_216), "Bytes of one request."),
  max_calls: atMost(
    positive.max(1024),
    "Concurrent calls in total, also over stdio. While clients have different tokens, a quarter is kept for tokens with few calls.",
  ),
  max_calls_per_session: atMost(
    positive.max(1024),
    "Concurrent calls in one session, or of one token where the protocol has no sessions.",
  ),
  headers_timeout_ms: atMost(milliseconds.min(100), "Time to send a request's headers."),
  body_timeout_ms: atMost(milliseconds.min(100), "Time to send a whole request."),
  drain_ms: atMost(milliseconds, "Time for running calls to finish when the gateway stops."),
});
