/** Checks the head of a request before its body is read. The first check that fails decides the status. */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { HttpPlan } from "../../abi/plan.js";
import { acceptsJson, acceptsStream } from "../accept-header.js";

export interface RequestHead {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  /**
   * A header that decides and came more than once. Node keeps the first of them; a proxy before it may read the last.
   */
  repeated: string | undefined;
}

/** Where requests may come from. */
export type SourceRules = Pick<HttpPlan, "allowedHosts" | "allowedOrigins" | "strict">;

export interface Rejection {
  status: number;
  headers: { [name: string]: string };
  /** The fix, for the person who sets up the client. */
  text?: string;
  /** Why, for the log, where the token is not valid. */
  cause?: string;
}

/** Checks the `Authorization` header; gives the name of the token's holder, or undefined. */
export type Authenticate = (authorization: string | undefined) => string | undefined;

/** The path of a request, without its query. */
export function pathOf({ url = "" }: Pick<IncomingMessage, "url">): string {
  return url.split("?", 1)[0] ?? "";
}

/** The token in an `Authorization` header. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return /^bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
}

const HEALTH_PATH = "/health";

/** How to get a token. It says nothing about the tokens that the gateway has. */
const NEEDS_TOKEN =
  "This gateway needs `Authorization: Bearer TOKEN` with a valid token. `lsp-proxy token` on its machine prints one, or creates one with --new; where `http.token_env` or `http.token_file` name the tokens, use one of those.";

/** The response to a body that is too long. The connection is closed, so that the rest is not awaited. */
export const TOO_LARGE: Rejection = rejection(413, { Connection: "close" });

/** Checks the head of a request; gives the holder of its token, or the rejection. `paths` are all that are served. */
export function checkHead(
  head: RequestHead,
  http: HttpPlan,
  authenticate: Authenticate,
  paths: readonly string[],
): { holder: string } | Rejection {
  const { method, path, headers } = head;
  if (head.repeated !== undefined) return rejection(400);
  if (path !== http.path) {
    const mayKnow = isAllowedSource(headers, http) && authenticate(headers.authorization) !== undefined;
    return http.strict ? rejection(404) : notFound(mayKnow ? paths : []);
  }
  const methods = http.strict ? ["POST"] : ["POST", "GET", "DELETE"];
  if (!methods.includes(method)) return rejection(405, { Allow: methods.join(", ") });
  if (!isAllowedSource(headers, http)) return rejection(403);
  const holder = authenticate(headers.authorization);
  if (holder === undefined) {
    const cause = headers.authorization === undefined ? "it has no token" : "its token is not valid";
    return { ...rejection(401, { "WWW-Authenticate": "Bearer" }), text: `${NEEDS_TOKEN}\n`, cause };
  }
  if (method === "POST" && !isJson(headers["content-type"])) return rejection(415);
  if (!isAcceptable(head, http.strict)) return rejection(406);
  if (Number(headers["content-length"] ?? 0) > http.maxBodyBytes) return TOO_LARGE;
  return { holder };
}

/** Whether a request asks for the gateway's health. That needs no token. */
export function isHealthCheck({ method, path, headers, repeated }: RequestHead, http: HttpPlan): boolean {
  if (repeated !== undefined) return false;
  if (http.strict || path !== HEALTH_PATH || path === http.path) return false;
  return method === "GET" && isAllowedHost(headers.host, http.allowedHosts);
}

/** Whether the host and the origin of a request are allowed. */
export function isAllowedSource(headers: IncomingHttpHeaders, http: SourceRules): boolean {
  return isAllowedHost(headers.host, http.allowedHosts) && isAllowedOrigin(headers, http);
}

const SINGLE_HEADERS = ["authorization", "content-type", "host", "mcp-session-id", "origin"];

/** The first header that may come only once and came more often. */
export function repeatedHeader(headers: NodeJS.Dict<string[]>): string | undefined {
  return SINGLE_HEADERS.find((name) => (headers[name]?.length ?? 0) > 1);
}

/** The response to a wrong path. Only a client with a valid token gets the right ones. */
function notFound(paths: readonly string[]): Rejection {
  const message = paths.length === 0 ? "Not found" : `Not found: this gateway serves ${paths.join(", ")}`;
  const text = JSON.stringify({ jsonrpc: "2.0", error: { code: -32000, message }, id: null });
  return { ...rejection(404, { "content-type": "application/json" }), text };
}

function rejection(status: number, headers: Rejection["headers"] = {}): Rejection {
  return { status, headers };
}

/** Stops DNS rebinding: a web page can reach this machine only under its own host name, which is not in the list. */
function isAllowedHost(host: string | undefined, allowed: readonly string[]): boolean {
  const name = host?.toLowerCase() ?? "";
  return allowed.includes(name) || allowed.includes(name.replace(/:\d+$/, ""));
}

/** Web pages may call only from a listed origin, or from the gateway's own: its only page is the dashboard. */
function isAllowedOrigin(
  { origin, host }: IncomingHttpHeaders,
  { allowedOrigins, strict }: SourceRules,
): boolean {
  if (origin === undefined || allowedOrigins.includes(origin)) return true;
  return !strict && origin === `http://${host}`;
}

function isAcceptable({ method, headers: { accept } }: RequestHead, strict: boolean): boolean {
  if (method === "DELETE") return true;
  const isStreamed = accept !== undefined && acceptsStream(accept);
  if (method === "GET") return isStreamed;
  return acceptsJson(accept) && (isStreamed || !strict);
}

/** Whether `Content-Type` is JSON; parameters are ignored. */
export function isJson(contentType: string | undefined): boolean {
  return contentType?.split(";", 1)[0]?.trim().toLowerCase() === "application/json";
}
