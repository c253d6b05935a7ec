/** Reads the `Accept` header: which media types a client takes. A media type with `q=0` is not accepted. */

/** An `Accept` header that both SDKs take, from a client that wants one JSON document and no event stream. */
export const JSON_ONLY = "application/json, text/event-stream;q=0";

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
