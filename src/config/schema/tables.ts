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
      "Folders that may be read and edited, relative to the folder of the config or to `--workspace`. Relative paths in a call start from the first one.",
    ),
    labelled("inside", "the folder"),
  ),
  extra_roots: optionalSet(
    z.string().regex(/^(\/|[A-Za-z]:[\\/]|\\\\)/, "an absolute path"),
    "Absolute folders that may be read, never written: sources of a toolchain, vendored code. Language servers open files there, so these folders are trusted like the workspace.",
    labelled("inside", "the folder"),
  ),
  deny: optional(
    globs,
    set(
      "Paths that are refused: globs relative to each root, with `*`, `**`, `?`, `[a-z]`, `{a,b}`, and `\\` before a character. `**/.git/**` is always refused.",
    ),
    defaultIsLimit("union"),
  ),
});

export const allow = z.strictObject({
  servers: optional(z.boolean(), "`false` turns all language servers off.", "only_false"),
  commands: optionalSet(
    nonEmpty,
    "The only programs that may be started as language servers: names or full paths.",
    "subset",
  ),
  hosts: optionalSet(
    nonEmpty,
    "Other machines whose language servers may be used, with `transport.tcp`. The connection is not encrypted.",
    labelled("subset", "language servers on"),
  ),
  effects: optionalSet(
    effect,
    "Which tools are listed and may be called, by their effect.",
    labelled("subset", "tools with the effect"),
  ),
  env: optionalSet(
    z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "the name of an environment variable"),
    "Environment variables that language servers inherit.",
    labelled("subset", "the variable"),
  ),
});

export const limits = z.strictObject({
  max_items: atMost(positive.max(20_000), "The maximum number of items in one answer."),
  max_bytes: atMost(
    z.int().min(16_384).max(8_000_000),
    "The maximum number of bytes of one answer, in each of its two forms.",
  ),
  max_message_bytes: atMost(z.int().min(65_536).max(1_073_741_824), "The largest LSP message, in bytes."),
  max_file_bytes: atMost(
    z.int().min(1024).max(1_073_741_824),
    "The largest file that is sent to a server, in bytes.",
  ),
  timeout_ms: atMost(milliseconds.min(100), "The longest time for one call, in milliseconds."),
  max_servers: atMost(
    positive.max(256),
    "The maximum number of language servers that run at once. If one more is needed, the one that has been idle longest is stopped.",
  ),
  max_open_documents: atMost(
    positive.max(10_000),
    "The maximum number of documents that are open in one server. If one more is needed, the oldest is closed.",
  ),
  proxy_memory_mb: atMost(
    z.int().min(256).max(65_536),
    "The memory of the proxy itself, in MB. Above it, the proxy stops the server that sent the most data, then disconnects the client whose requests and unread answers use the most memory. If neither helps, the proxy ends.",
  ),
  hover_parts: atMost(positive.max(100), "The maximum number of parts of a hover."),
  hover_chars: atMost(
    z.int().min(100).max(1_000_000),
    "The maximum number of characters of each part of a hover.",
  ),
  completion_chars: atMost(
    z.int().min(100).max(1_000_000),
    "The maximum number of characters of the documentation of a completion.",
  ),
  signature_chars: atMost(
    z.int().min(100).max(1_000_000),
    "The maximum number of characters of the documentation of a signature, and of each of its parameters.",
  ),
  tooltip_chars: atMost(
    z.int().min(100).max(1_000_000),
    "The maximum number of characters of the tooltip of an inlay hint.",
  ),
  diagnostic_chars: atMost(
    z.int().min(100).max(1_000_000),
    "The maximum number of characters of the message of a diagnostic.",
  ),
  fix_chars: atMost(
    z.int().min(100).max(1_000_000),
    "The maximum number of characters of each message in the `fixes` of a code action.",
  ),
  diagnostics_per_file: atMost(
    positive.max(20_000),
    "The maximum number of diagnostics of one file, in an answer about all files.",
  ),
  candidates: atMost(
    positive.max(1000),
    "The maximum number of symbols or lines to choose from, if several match a call.",
  ),
  refusal_places: atMost(
    positive.max(1000),
    'The maximum number of places in the refusal of a step that must find nothing (`expect = "none"`).',
  ),
  refusal_actions: atMost(
    positive.max(1000),
    "The maximum number of actions in the refusal of a call that names an action that does not exist.",
  ),
  source_files: atMost(
    positive.max(100),
    "The maximum number of files whose source is shown, if a symbol is defined in several.",
  ),
  stderr_lines: atMost(positive.max(50), "How many of the last lines of a server's stderr its status shows."),
  after_edit_per_file: atMost(
    positive.max(1000),
    "The maximum number of errors of one file in the answer of an edit.",
  ),
  after_edit_other_files: atMost(
    z.int().min(0).max(1000),
    "The maximum number of files with errors in the answer of an edit, besides the edited ones.",
  ),
  after_edit_total: atMost(
    positive.max(10_000),
    "The maximum number of errors in the answer of an edit, of all files.",
  ),
  after_edit_checked_files: atMost(
    positive.max(1000),
    "The maximum number of edited files whose errors before and after the edit are compared.",
  ),
  after_edit_severity: fixed(severity, "The lowest severity that the answer of an edit shows."),
});

export const mcp = z.strictObject({
  name: optional(
    z.string().regex(/^[a-z0-9_-]{1,40}$/, "1 to 40 lower-case letters, digits, `_` or `-`"),
    "The name of the MCP server that the client sees.",
    labelled("needs_trust", "a name of its own"),
  ),
  version: optional(
    z.string().min(1).max(40),
    "The version of the MCP server that the client sees.",
    labelled("needs_trust", "a version of its own"),
  ),
  warmup: optional(
    z.boolean(),
    "`true` starts the servers for the workspace's files immediately, in the background, like `serve --warmup`.",
    "only_false",
  ),
  context: optional(
    z.string(),
    "The profile: which tools there are, and the form of their answers. `auto` is the default profile with answers in the form that the connected client passes to its model.",
    labelled("fixed", "the profile"),
  ),
  sealed: optionalSet(
    nonEmpty,
    "For a profile: keys that a config may restrict but not extend, as dotted paths.",
    "union",
  ),
  read_only: optional(
    z.boolean(),
    "`true` hides and refuses every tool that does more than read.",
    "only_true",
  ),
  instructions: optional(
    z.string().max(1000),
    "The instructions that the client gives to its model.",
    labelled("needs_trust", "instructions of its own"),
  ),
  tools: optional(
    z.strictObject({
      allow: optionalSet(
        toolName,
        "If it is not empty: the only tools that are listed and may be called.",
        "selection",
      ),
      exclude: optionalSet(toolName, "Tools that are not listed and may not be called.", "union"),
    }),
    "Which tools are offered.",
  ),
  output: optional(
    z.strictObject({
      max_total_chars_default: atMost(
        z.int().min(10_000).max(2_000_000),
        "The maximum number of characters of one answer, structured content and text together.",
      ),
      max_total_chars_hard: atMost(
        z.int().min(10_000).max(2_000_000),
        "The maximum number of characters that a tool or a call may ask for.",
      ),
    }),
    "The size of answers.",
  ),
  host_channel: optional(
    z.strictObject({
      check_file: toolName.describe(
        "The tool behind `lsp/checkFile`. It answers with the diagnostics of a file.",
      ),
      diagnostics: toolName.describe(
        "The tool behind `lsp/diagnostics`. It answers with the diagnostics of all files.",
      ),
      status: toolName.describe("The tool behind `lsp/status`. It answers with the status of the servers."),
      severities: optional(
        z.array(severity).min(1),
        set("The severities of the diagnostics that the host gets."),
      ),
    }),
    "A second channel for the program that started the proxy: JSON-RPC on stdin and stdout, while MCP is on other descriptors. Its tools need not be listed.",
    labelled("needs_trust", "a channel for its host"),
  ),
});
