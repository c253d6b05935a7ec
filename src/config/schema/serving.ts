/** The tables of the processes that serve: hub, gateway, dashboard and metrics. */
import * as z from "zod";
import {
  atMost,
  defaultIsLimit,
  fixed,
  milliseconds,
  nonEmpty,
  optional,
  optionalSet,
  positive,
} from "./values.js";

export const share = z.strictObject({
  idle_minutes: atMost(
    z.number().min(0.01).max(1440),
    "How many minutes the hub and its language servers keep running without sessions.",
  ),
  warm: optional(
    z.boolean(),
    "`true` starts the servers for the workspace's files with the hub, instead of at the first call.",
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
    "`false`: only times and sizes of calls are kept, no arguments and no answers. They are never written to disk.",
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
    "The environment variable that holds the token for `/metrics`. While it is empty, only requests from this machine are answered.",
    defaultIsLimit("fixed"),
  ),
});

export const http = z.strictObject({
  enabled: optional(z.boolean(), "`false` refuses `serve --http`.", "only_false"),
  bind: fixed(
    z.string(),
    "The address that the gateway listens on. An address that other machines can reach needs `--allow-remote` and a token.",
  ),
  port: fixed(z.int().min(0).max(65535), "The port that the gateway listens on; 0 picks a free one."),
  path: fixed(
    z.string().regex(/^\/[A-Za-z0-9_\-/]*$/, "a path that begins with `/`"),
    "The path of the MCP endpoint.",
  ),
  token_env: fixed(
    z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "the name of a variable, not the token"),
    "The environment variable that holds the tokens, separated by spaces.",
  ),
  token_file: fixed(
    nonEmpty,
    "A file with the tokens, one in each line. Only its owner may have permission to read it. It is read again when it changes.",
  ),
  allowed_origins: optionalSet(
    z
      .string()
      .regex(/^[a-z][a-z0-9+.-]*:\/\/[^\s/*?#@\\]+$/, "an origin: scheme, host and port, no `*`, no path"),
    "The exact origins that a browser may call from. A request without `Origin` is not from a browser.",
    "subset",
  ),
  allowed_hosts: optionalSet(
    z
      .string()
      .regex(/^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(:\d{1,5})?$/, "a host, with or without a port, no `*`"),
    "The accepted values of the header `Host`. A value without a port matches any port.",
    "subset",
  ),
  strict: optional(
    z.boolean(),
    "`true`: `POST` only, answers as JSON only, both media types in `Accept`, the newest session-era revision only, no call before `notifications/initialized`, no health endpoint.",
    "only_true",
  ),
  older_handshakes: optionalSet(
    z.enum(["2024-10-07", "2024-11-05", "2025-03-26", "2025-06-18"]),
    "With `strict`: older revisions that a handshake may ask for. The answer still has the newest.",
    "fixed",
  ),
  sessions: optional(
    z.boolean(),
    "`false`: no `Mcp-Session-Id`. A request belongs to the last handshake of its token, so each client needs a token of its own.",
    "only_false",
  ),
  max_sessions: atMost(
    positive.max(1024),
    "The maximum number of sessions. If one more is opened, the token with most sessions loses the one that has been idle longest.",
  ),
  session_idle_ms: atMost(
    milliseconds.min(1000),
    "The idle time after which a session ends, in milliseconds.",
  ),
  session_roots: fixed(
    z.enum(["narrow", "ignore"]),
    "Whether the client's roots limit what it may see; they never extend it. With `narrow`, a client that supports roots and does not list them sees nothing, and one with an empty list sees the workspace.",
  ),
  max_body_bytes: atMost(z.int().min(1024).max(16_777_216), "The maximum number of bytes of one request."),
  max_calls: atMost(
    positive.max(1024),
    "The maximum number of calls and reads of resources at once in total, also over stdio. While clients have different tokens, or a hub has several sessions, a quarter is kept for those with few calls.",
  ),
  max_calls_per_session: atMost(
    positive.max(1024),
    "The maximum number of calls at once in one session, or of one token where the protocol has no sessions.",
  ),
  headers_timeout_ms: atMost(
    milliseconds.min(100),
    "The time that a client has to send the headers of a request, in milliseconds.",
  ),
  body_timeout_ms: atMost(
    milliseconds.min(100),
    "The time that a client has to send a whole request, in milliseconds.",
  ),
  drain_ms: atMost(
    milliseconds,
    "The time that running calls have to finish when the gateway stops, in milliseconds.",
  ),
});
