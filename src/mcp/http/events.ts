/** A stream of events as the SDKs write it, read back: for a client that wants one JSON document, and for the trace. */
import { isTable } from "../../base/json.js";

/** One message of JSON-RPC, not looked at any closer. */
export type Message = Record<string, unknown>;

/** Reads the messages out of a response's bytes as they come. */
class MessageReader {
  readonly #decoder = new TextDecoder();
  readonly #isStream: boolean;
  #rest = "";

  constructor(response: Response) {
    this.#isStream = isStream(response);
  }

  /** The messages that these bytes complete. */
  read(bytes: Uint8Array): Message[] {
    this.#rest += this.#decoder.decode(bytes, { stream: true });
    if (!this.#isStream) return [];
    const events = this.#rest.split("\n\n");
    this.#rest = events.pop() ?? "";
    return events.flatMap((event) => messagesIn(dataOf(event)));
  }

  /** What a document is, once it is whole. */
  end(): Message[] {
    return this.#isStream ? [] : messagesIn(this.#rest);
  }
}

/** The same response; each message in it is told on its way. */
export function tapResponse(response: Response, tell: (message: Message) => void): Response {
  if (response.body === null) return response;
  const reader = new MessageReader(response);
  const tap = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      controller.enqueue(bytes);
      reader.read(bytes).forEach(tell);
    },
    flush() {
      reader.end().forEach(tell);
    },
  });
  return new Response(response.body.pipeThrough(tap), response);
}

/** A stream folded into one document: the answers alone, in a list when the question was one. */
export async function foldResponse(response: Response, isBatch: boolean): Promise<Response> {
  if (response.body === null || !isStream(response)) return response;
  const reader = new MessageReader(response);
  const answers: Message[] = [];
  for await (const bytes of response.body)
    answers.push(...reader.read(bytes).filter(({ method }) => method === undefined));
  // A request that was cancelled has no answer.
  if (answers.length === 0) return new Response(null, { status: 204 });
  const headers = new Headers({ "content-type": "application/json" });
  const session = response.headers.get("mcp-session-id");
  if (session !== null) headers.set("mcp-session-id", session);
  return new Response(JSON.stringify(isBatch ? answers : answers[0]), { status: response.status, headers });
}

function isStream(response: Response): boolean {
  return response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
}

function dataOf(event: string): string {
  return event
    .split("\n")
    .filter((line) => line.startsWith("data: "))
    .map((line) => line.slice("data: ".length))
    .join("\n");
}

function messagesIn(text: string): Message[] {
  if (text === "") return [];
  return [JSON.parse(text) as unknown].flat().filter(isTable);
}
