/** The server-sent events of the page: calls as they happen, and the state whenever it has changed. */
import type { ServerResponse } from "node:http";
import type { DashboardEventName, DashboardEvents } from "./api.js";
import type { Live } from "./live.js";
import type { CallRecord } from "./record.js";

const STATE_MS = 1_000;
/** A sample of the memory, and the charts. */
const SAMPLE_MS = 5_000;
/** Keeps proxies from closing a silent stream. */
const ALIVE_MS = 15_000;
const MAX_STREAMS = 16;
/** A page that does not read so much is disconnected; it connects again and fetches everything. */
const MAX_UNREAD_BYTES = 1_048_576;

export class Events {
  readonly #streams = new Set<ServerResponse>();
  readonly #timers: NodeJS.Timeout[];
  readonly #unsubscribe: () => void;
  #lastState = "";
  #lastCharts = "";

  constructor(
    private readonly live: Live,
    record: CallRecord,
    private readonly onViewers: (count: number) => void,
  ) {
    this.#unsubscribe = record.subscribe((row) => this.send("call", row));
    live.sample();
    this.#timers = [
      setInterval(() => this.#sendState(), STATE_MS),
      setInterval(() => this.#sample(), SAMPLE_MS),
      setInterval(() => this.#write(":\n\n"), ALIVE_MS),
    ];
    for (const timer of this.#timers) timer.unref();
  }

  /** Answers a request with the events from now on; false where there are too many already. */
  open(outgoing: ServerResponse, headers: { [name: string]: string }): boolean {
    if (this.#streams.size >= MAX_STREAMS) return false;
    outgoing.writeHead(200, { ...headers, "content-type": "text/event-stream; charset=utf-8" });
    outgoing.write(`retry: 1000\n\n${message("live", this.live.state())}`);
    this.#streams.add(outgoing);
    this.onViewers(this.#streams.size);
    outgoing.once("close", () => {
      this.#streams.delete(outgoing);
      this.onViewers(this.#streams.size);
    });
    return true;
  }

  send<Name extends DashboardEventName>(name: Name, data: DashboardEvents[Name]): void {
    if (this.#streams.size > 0) this.#write(message(name, data));
  }

  /** Tells the pages that the process ends. */
  close(reason: string): void {
    this.send("bye", { reason });
    this.#unsubscribe();
    for (const timer of this.#timers) clearInterval(timer);
    for (const stream of this.#streams) stream.end();
  }

  #sendState(): void {
    if (this.#streams.size === 0) return;
    const text = message("live", this.live.state());
    if (text !== this.#lastState) this.#write(text);
    this.#lastState = text;
  }

  #sample(): void {
    this.live.sample();
    if (this.#streams.size === 0) return;
    const text = message("charts", this.live.charts());
    if (text !== this.#lastCharts) this.#write(text);
    this.#lastCharts = text;
  }

  #write(text: string): void {
    for (const stream of this.#streams) {
      if (stream.writableLength > MAX_UNREAD_BYTES) stream.destroy();
      else stream.write(text);
    }
  }
}

function message<Name extends DashboardEventName>(name: Name, data: DashboardEvents[Name]): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
