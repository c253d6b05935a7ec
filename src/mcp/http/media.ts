/** The media types of a request: what its body is, and what its client can read. */

/** What stands in `Accept` for a client that wants one JSON document and no stream. */
export const jsonOnly = "application/json, text/event-stream;q=0";

/** Whether `Content-Type` is JSON; its parameters are ignored. */
export function isJson(contentType: string | undefined): boolean {
  return contentType?.split(";", 1)[0]?.trim().toLowerCase() === "application/json";
}

/** Whether `Accept` lists JSON by its own name. */
export function acceptsJson(accept: string | string[] | undefined): boolean {
  return lists(accept, "application/json");
}

/** Whether `Accept` lists a stream of events by its own name; a client without HTTP reads everything. */
export function acceptsStream(accept: string | string[] | undefined): boolean {
  return accept === undefined || lists(accept, "text/event-stream");
}

function lists(accept: string | string[] | undefined, type: string): boolean {
  const text = Array.isArray(accept) ? accept.join() : (accept ?? "");
  return text
    .toLowerCase()
    .split(",")
    .some((entry) => {
      const end = entry.indexOf(";");
      if (end < 0) return entry.trim() === type;
      if (entry.slice(0, end).trim() !== type) return false;
      const parameters = entry.slice(end + 1).split(";");
      return !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter.trim()));
    });
}
