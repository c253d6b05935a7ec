/**
 * What a request must be before anything of it is read: the right path and verb, from a host and an origin that are
 * served, with a token, in a form that both sides understand, and not too large. The first check that fails answers, in
 * this order, with a status and an empty body: who asks wrongly learns nothing.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { HttpPlan } from "../../abi/plan.js";
import { acceptsJson, acceptsStream, isJson } from "./media.js";

/** The head of a request. */
export interface Head {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
}

/** Why a request is not served. */
export interface Rejection {
  status: number;
  headers: { [name: string]: string };
}

/** The check of a bearer token; gives the name of who holds it. */
export type Authenticate = (authorization: string | undefined) => string | undefined;

/** Passes the head of a request, naming who sent it, or tells why not. */
export function checkHead(
  head: Head,
  http: HttpPlan,
  authenticate: Authenticate,
): { holder: string } | Rejection {
  const { method, path, headers } = head;
  if (path !== http.path) return rejection(404);
  const verbs = http.strict ? ["POST"] : ["POST", "GET", "DELETE"];
  if (!verbs.includes(method)) return rejection(405, { Allow: verbs.join(", ") });
  if (!isServedHost(headers.host, http.allowedHosts)) return rejection(403);
  if (!isServedOrigin(headers, http)) return rejection(403);
  const holder = authenticate(headers.authorization);
  if (holder === undefined) return rejection(401, { "WWW-Authenticate": "Bearer" });
  if (method === "POST" && !isJson(headers["content-type"])) return rejection(415);
  if (!isAcceptable(head, http.strict)) return rejection(406);
  if (Number(headers["content-length"] ?? 0) > http.maxBodyBytes) return tooLarge;
  return { holder };
}

/** Whether a request may ask for the gateway's health, which needs no token and tells nothing. */
export function isHealthQuestion({ method, path, headers }: Head, http: HttpPlan): boolean {
  if (http.strict || path !== healthPath || path === http.path) return false;
  return method === "GET" && isServedHost(headers.host, http.allowedHosts);
}

const healthPath = "/health";

/** The answer to a body that is longer than it may be; what is left of it is not read. */
export const tooLarge: Rejection = rejection(413, { Connection: "close" });

function rejection(status: number, headers: Rejection["headers"] = {}): Rejection {
  return { status, headers };
}

/** A page in a browser may send any request to this machine, but only under its own name: that name is not in the list. */
function isServedHost(host: string | undefined, allowed: readonly string[]): boolean {
  const name = host?.toLowerCase() ?? "";
  return allowed.includes(name) || allowed.includes(name.replace(/:\d+$/, ""));
}

/** No page but those of the list may call; one of our own address would be one that this gateway served, and it serves none. */
function isServedOrigin(
  { origin, host }: IncomingHttpHeaders,
  { allowedOrigins, strict }: HttpPlan,
): boolean {
  if (origin === undefined || allowedOrigins.includes(origin)) return true;
  return !strict && origin === `http://${host}`;
}

function isAcceptable({ method, headers: { accept } }: Head, strict: boolean): boolean {
  if (method === "DELETE") return true;
  const isStreamed = accept !== undefined && acceptsStream(accept);
  if (method === "GET") return isStreamed;
  return acceptsJson(accept) && (isStreamed || !strict);
}
