/** The requests of the page. A failed one throws an error with the message of the proxy. */
import type { Json } from "../../base/json.js";
import { type ApiError, CSRF_HEADER } from "../api.js";

/** The proxy refused, with its status. */
export class RequestError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** A request that takes longer is given up, so that no view waits for ever. A run has the limits of the proxy. */
const TIMEOUT_MS = 30_000;

export async function get<Answer>(path: string, query: { [name: string]: string } = {}): Promise<Answer> {
  const words = new URLSearchParams(query).toString();
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  return answerOf(await sent(words === "" ? path : `${path}?${words}`, { signal }));
}

export async function post<Answer>(path: string, csrf: string, body: object): Promise<Answer> {
  const headers = { "content-type": "application/json", [CSRF_HEADER]: csrf };
  return answerOf(await sent(path, { method: "POST", headers, body: JSON.stringify(body) }));
}

async function sent(path: string, options: RequestInit): Promise<Response> {
  try {
    return await fetch(path, { ...options, cache: "no-store", redirect: "error" });
  } catch {
    throw new RequestError(0, "The proxy does not answer.");
  }
}

async function answerOf<Answer>(response: Response): Promise<Answer> {
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok && body !== undefined) return body as Answer;
  throw new RequestError(
    response.status,
    messageOf(body) ?? `The proxy answered with status ${response.status}.`,
  );
}

function messageOf(body: unknown): string | undefined {
  const { message, next } = (body as Partial<ApiError> | undefined)?.error ?? {};
  if (typeof message !== "string") return undefined;
  return typeof next === "string" ? `${message} ${next}` : message;
}

/** JSON as a person reads it. */
export function pretty(value: Json): string {
  return JSON.stringify(value, null, 2);
}
