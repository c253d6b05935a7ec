/** Media types of a request: the type of its body, and the types that its client accepts. */

/**
 * An `Accept` header that the MCP SDKs for old and new clients take, from a client that wants one JSON document
 * and no event stream.
 */
export const JSON_ONLY = "application/json, text/event-stream;q=0";

/** Whether `Content-Type` is JSON; parameters are ignored. */
export function isJson(contentType: string | undefined): boolean {
  return contentType?.split(";", 1)[0]?.trim().toLowerCase() === "application/json";
}

/** Whether `Accept` names JSON. */
export function acceptsJson(accept: string | string[] | undefined): boolean {
  return names(accept, "application/json");
}

/** Whether `Accept` names event streams. A message that did not come over HTTP has no header and needs none. */
export function acceptsStream(accept: string | string[] | undefined): boolean {
  return accept === undefined || names(accept, "text/event-stream");
}

function names(accept: string | string[] | undefined, type: string): boolean {
  return String(accept ?? "")
    .toLowerCase()
    .split(",")
    .some((entry) => {
      const [name, ...parameters] = entry.split(";").map((part) => part.trim());
      return name === type && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
    });
}
