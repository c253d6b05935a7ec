/** The agent's side: `mcp` and `http`. */
import * as z from "zod";
import { labelled } from "./discovered-rules.js";
import { milliseconds, nonEmpty, optional, optionalSet, positive, toolName } from "./values.js";

/** The table `mcp`. */
export const mcp = z.strictObject({
  name: optional(
    z.string().regex(/^[a-z0-9_-]{1,40}$/, "1 to 40 lower-case letters, digits, `_` or `-`"),
    "The name told to the client.",
    labelled("needs_trust", "a name of its own"),
  ),
  version: optional(
    z.string().min(1).max(40),
    "The version told to the client; our own when absent.",
    labelled("needs_trust", "a version of its own"),
  ),
  warmup: optional(
    z.boolean(),
    "Starts the servers of the workspace's files at once, in the background, as `serve --warmup` does.",
    "only_false",
  ),
  context: optional(
    z.string(),
    "A profile in `configs/profiles/`; `auto` is the default's surface, in the form that each client hands to its model, which is known by the name in its handshake.",
    labelled("fixed", "the profile"),
  ),
  sealed: optionalSet(
    nonEmpty,
    "For a profile: keys and tables of its own that a config over it may narrow, never widen.",
    "union",
  ),
  read_only: optional(z.boolean(), "`true` hides and refuses every tool that is not `read`.", "only_true"),
  instructions: optional(
    z.string().max(1000),
    "What a client tells its model; written from the tools when absent.",
    labelled("needs_trust", "instructions of its own"),
  ),
  tools: optional(
    z.strictObject({
      allow: optionalSet(
        toolName,
        "When not empty: the only tools that are listed and callable.",
        "selection",
      ),
      exclude: optionalSet(toolName, "Tools that are neither listed nor callable.", "union"),
    }),
    "Which tools there are.",
  ),
  output: optional(
    z.strictObject({
      max_total_chars_default: optional(
        z.int().min(10_000).max(2_000_000),
        "Characters of one answer, structure and text together; without it 120000, and 40000 in either of them.",
        "at_most",
      ),
      max_total_chars_hard: optional(
        z.int().min(10_000).max(2_000_000),
        "What a tool or a call may ask for at the most; 2000000 when absent.",
        "at_most",
      ),
    }),
    "Size of answers.",
  ),
});

/** The table `http`. */
export const http = z.strictObject({
  bind: optional(
    z.string(),
    "Address to listen on; one that is not the machine's own needs `--allow-remote` and a token.",
    "fixed",
  ),
  port: optional(z.int().min(0).max(65535), "Port; 0 picks one.", "fixed"),
  path: optional(
    z.string().regex(/^\/[A-Za-z0-9_\-/]*$/, "a path that begins with `/`"),
    "Path of the endpoint.",
    "fixed",
  ),
  token_env: optional(
    z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "the name of a variable, not the token"),
    "Environment variable that holds the tokens, separated by spaces.",
    "fixed",
  ),
  token_file: optional(
    nonEmpty,
    "File that holds the tokens, one a line, readable by its owner only; read again when it changes.",
    "fixed",
  ),
  allowed_origins: optionalSet(
    z
      .string()
      .regex(/^[a-z][a-z0-9+.-]*:\/\/[^\s/*?#@\\]+$/, "an origin: scheme, host and port, no `*`, no path"),
    "Origins that a browser may call from, exactly; a request without `Origin` is no browser's.",
    "subset",
  ),
  allowed_hosts: optionalSet(
    z
      .string()
      .regex(/^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(:\d{1,5})?$/, "a host, with or without a port, no `*`"),
    "Values of `Host` that are served; without a port, any port is meant.",
    "subset",
  ),
  strict: optional(
    z.boolean(),
    "`true`: `POST` only, answers as JSON only, both media types in `Accept`, the newest session-era revision only, no call before `notifications/initialized`, no health endpoint.",
    "only_true",
  ),
  older_handshakes: optionalSet(
    z.enum(["2024-10-07", "2024-11-05", "2025-03-26", "2025-06-18"]),
    "With `strict`: older revisions that a handshake may ask for; it is answered with the newest all the same.",
    "fixed",
  ),
  max_sessions: optional(
    positive.max(1024),
    "Sessions at once; a new one takes the place of the idlest.",
    "at_most",
  ),
  session_idle_ms: optional(
    milliseconds.min(1000),
    "After this long without a request a session is gone.",
    "at_most",
  ),
  session_roots: optional(
    z.enum(["narrow", "ignore"]),
    "Whether the roots that a client tells narrow what it may see; they never widen it. A client that has roots and does not tell them sees nothing.",
    "fixed",
  ),
  max_body_bytes: optional(z.int().min(1024).max(16_777_216), "One request.", "at_most"),
  max_calls: optional(positive.max(1024), "Calls under way in all.", "at_most"),
  max_calls_per_session: optional(
    positive.max(1024),
    "Calls under way in one session; where the protocol has none, of one token.",
    "at_most",
  ),
  headers_timeout_ms: optional(milliseconds.min(100), "Time to send a request's headers.", "at_most"),
  body_timeout_ms: optional(milliseconds.min(100), "Time to send a whole request.", "at_most"),
  drain_ms: optional(
    milliseconds,
    "Time that calls under way get when the gateway is told to end.",
    "at_most",
  ),
});
