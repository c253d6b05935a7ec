/**
 * Reads the messages in an SDK's response: to turn an event stream into one JSON document, to drop reports that a
 * client does not read, and for the trace.
 */
import { createParser } from "eventsource-parser";
import { isTable } from "../../base/json.js";

type Message = Record<string, unknown>;

/** The same response; `onMessage` is called with each event as it passes, or at the end of a JSON body. */
export function observeMessages(response: Response, onMessage: (message: Message) => void): Response {
  if (response.body === null) return response;
  const parse = isEventStream(response) ? eventParser(onMessage) : undefined;
  const decoder = new TextDecoder();
  let document = "";
  const observer = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      controller.enqueue(bytes);
      const text = decoder.decode(bytes, { stream: true });
      if (parse === undefined) document += text;
      else parse(text);
    },
    flush() {
      if (document !== "") parseMessages(document).forEach(onMessage);
    },
  });
  return new Response(response.body.pipeThrough(observer), response);
}

/** How many bytes of events may wait for a client before reports to it are dropped. */
const MAX_WAITING_BYTES = 65_536;

/**
 * The same event stream, read at once: the SDKs queue without limit. While the client does not read, notifications and
 * comments are dropped, since a later report says more. Answers are kept; the limits on calls bound them.
 */
export function dropUnreadReports(response: Response): Response {
  if (response.body === null || !isEventStream(response)) return response;
  const reader = response.body.getReader();
  const kept = new ReadableStream<Uint8Array>(
    {
      async start(controller) {
        // Not awaited: a stream is pulled from only after its start.
        void forward(reader, controller);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: MAX_WAITING_BYTES, size: (bytes) => bytes.byteLength },
  );
  return new Response(kept, response);
}

async function forward(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  controller: ReadableStreamDefaultController<Uint8Array>,
): Promise<void> {
  let rest = Buffer.alloc(0);
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      rest = Buffer.concat([rest, chunk.value]);
      for (let end = endOfEvent(rest); end > 0; end = endOfEvent(rest)) {
        const event = rest.subarray(0, end);
        rest = rest.subarray(end);
        if ((controller.desiredSize ?? 0) > 0 || hasAnswerOrRequest(event)) controller.enqueue(event);
      }
    }
    if (rest.length > 0) controller.enqueue(rest);
    controller.close();
  } catch (error) {
    controller.error(error);
  }
}

/** Where the first event ends, after its empty line; 0 when it is not complete. */
function endOfEvent(bytes: Buffer): number {
  const end = bytes.indexOf("\n\n");
  return end < 0 ? 0 : end + 2;
}

/** Whether an event has a message with an id. */
function hasAnswerOrRequest(event: Buffer): boolean {
  let isFound = false;
  const parse = eventParser(({ id }) => {
    if (id !== undefined) isFound = true;
  });
  parse(event.toString());
  return isFound;
}

/** An event stream as one JSON document: only the answers, as a list for a batch. 204 if the stream has no answer. */
export async function toJsonDocument(response: Response, isBatch: boolean): Promise<Response> {
  if (!isEventStream(response)) return response;
  const answers: Message[] = [];
  const parse = eventParser((message) => {
    if (message.method === undefined) answers.push(message);
  });
  parse(await response.text());
  if (answers.length === 0) return new Response(null, { status: 204 });
  const document = Response.json(isBatch ? answers : answers[0], { status: response.status });
  const session = response.headers.get("mcp-session-id");
  if (session !== null) document.headers.set("mcp-session-id", session);
  return document;
}

function isEventStream(response: Response): boolean {
  return response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
}

function eventParser(onMessage: (message: Message) => void): (text: string) => void {
  const parser = createParser({ onEvent: ({ data }) => parseMessages(data).forEach(onMessage) });
  return (text) => parser.feed(text);
}

function parseMessages(text: string): Message[] {
  return [JSON.parse(text) as unknown].flat().filter(isTable);
}

/** The response without the id that the SDK gives every session. */
export function withoutSessionId(response: Response): Response {
  const headers = new Headers(response.headers);
  headers.delete("mcp-session-id");
  return new Response(response.body, { status: response.status, headers });
}
