/** The agent's side: `mcp` and `http`. */
import * as z from "zod";
import { found } from "./found.js";
import { milliseconds, positive, set, toolName } from "./values.js";

/** The table `mcp`. */
export const mcp = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z0-9_-]{1,40}$/, "1 to 40 lower-case letters, digits, `_` or `-`")
    .optional()
    .describe("The name told to the client.")
    .meta(found("asks", "a name of its own")),
  version: z
    .string()
    .min(1)
    .max(40)
    .optional()
    .describe("The version told to the client; our own when absent.")
    .meta(found("asks", "a version of its own")),
  warmup: z
    .boolean()
    .optional()
    .describe(
      "Starts the servers of the workspace's files at once, in the background, as `serve --warmup` does.",
    )
    .meta(found("only_false")),
  context: z
    .string()
    .optional()
    .describe(
      "A profile in `configs/profiles/`; `auto` is the default's surface, in the form that each client hands to its model, which is known by the name in its handshake.",
    )
    .meta(found("fixed", "the profile")),
  sealed: z
    .array(z.string().min(1))
    .optional()
    .meta(set("For a profile: keys and tables of its own that a config over it may narrow, never widen."))
    .meta(found("joined")),
  read_only: z
    .boolean()
    .optional()
    .describe("`true` hides and refuses every tool that is not `read`.")
    .meta(found("only_true")),
  instructions: z
    .string()
    .max(1000)
    .optional()
    .describe("What a client tells its model; written from the tools when absent.")
    .meta(found("asks", "instructions of its own")),
  tools: z
    .strictObject({
      allow: z
        .array(toolName)
        .optional()
        .meta(set("When not empty: the only tools that are listed and callable."))
        .meta(found("chosen")),
      exclude: z
        .array(toolName)
        .optional()
        .meta(set("Tools that are neither listed nor callable."))
        .meta(found("joined")),
    })
    .optional()
    .describe("Which tools there are."),
  output: z
    .strictObject({
      max_total_chars_default: z
        .int()
        .min(10_000)
        .max(2_000_000)
        .optional()
        .describe(
          "Characters of one answer, structure and text together; without it 120000, and 40000 in either of them.",
        )
        .meta(found("least")),
      max_total_chars_hard: z
        .int()
        .min(10_000)
        .max(2_000_000)
        .optional()
        .describe("What a tool or a call may ask for at the most; 2000000 when absent.")
        .meta(found("least")),
    })
    .optional()
    .describe("Size of answers."),
});

/** The table `http`. */
export const http = z.strictObject({
  bind: z
    .string()
    .optional()
    .describe("Address to listen on; one that is not the machine's own needs `--allow-remote` and a token.")
    .meta(found("fixed")),
  port: z.int().min(0).max(65535).optional().describe("Port; 0 picks one.").meta(found("fixed")),
  path: z
    .string()
    .regex(/^\/[A-Za-z0-9_\-/]*$/, "a path that begins with `/`")
    .optional()
    .describe("Path of the endpoint.")
    .meta(found("fixed")),
  token_env: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "the name of a variable, not the token")
    .optional()
    .describe("Environment variable that holds the tokens, separated by spaces.")
    .meta(found("fixed")),
  token_file: z
    .string()
    .min(1)
    .optional()
    .describe(
      "File that holds the tokens, one a line, readable by its owner only; read again when it changes.",
    )
    .meta(found("fixed")),
  allowed_origins: z
    .array(
      z
        .string()
        .regex(/^[a-z][a-z0-9+.-]*:\/\/[^\s/*?#@\\]+$/, "an origin: scheme, host and port, no `*`, no path"),
    )
    .optional()
    .meta(set("Origins that a browser may call from, exactly; a request without `Origin` is no browser's."))
    .meta(found("within")),
  allowed_hosts: z
    .array(
      z
        .string()
        .regex(/^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(:\d{1,5})?$/, "a host, with or without a port, no `*`"),
    )
    .optional()
    .meta(set("Values of `Host` that are served; without a port, any port is meant."))
    .meta(found("within")),
  strict: z
    .boolean()
    .optional()
    .describe(
      "`true`: `POST` only, answers as JSON only, both media types in `Accept`, the newest session-era revision only, no call before `notifications/initialized`, no health endpoint.",
    )
    .meta(found("only_true")),
  older_handshakes: z
    .array(z.enum(["2024-10-07", "2024-11-05", "2025-03-26", "2025-06-18"]))
    .optional()
    .meta(
      set(
        "With `strict`: older revisions that a handshake may ask for; it is answered with the newest all the same.",
      ),
    )
    .meta(found("fixed")),
  max_sessions: positive
    .max(1024)
    .optional()
    .describe("Sessions at once; a new one takes the place of the idlest.")
    .meta(found("least")),
  session_idle_ms: milliseconds
    .min(1000)
    .optional()
    .describe("After this long without a request a session is gone.")
    .meta(found("least")),
  session_roots: z
    .enum(["narrow", "ignore"])
    .optional()
    .describe(
      "Whether the roots that a client tells narrow what it may see; they never widen it. A client that has roots and does not tell them sees nothing.",
    )
    .meta(found("fixed")),
  max_body_bytes: z.int().min(1024).max(16_777_216).optional().describe("One request.").meta(found("least")),
  max_calls: positive.max(1024).optional().describe("Calls under way in all.").meta(found("least")),
  max_calls_per_session: positive
    .max(1024)
    .optional()
    .describe("Calls under way in one session; where the protocol has none, of one token.")
    .meta(found("least")),
  headers_timeout_ms: milliseconds
    .min(100)
    .optional()
    .describe("Time to send a request's headers.")
    .meta(found("least")),
  body_timeout_ms: milliseconds
    .min(100)
    .optional()
    .describe("Time to send a whole request.")
    .meta(found("least")),
  drain_ms: milliseconds
    .optional()
    .describe("Time that calls under way get when the gateway is told to end.")
    .meta(found("least")),
});
