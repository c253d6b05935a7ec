/**
 * The thin process of `serve --shared`: passes lines between its client and a hub. When the hub ends, it connects to
 * the next one, repeats its client's handshake and what was not answered, and goes on. The client sees no end.
 */
import type { Readable, Writable } from "node:stream";
import { isTable, parseJson } from "../base/json.js";
import { LineReader } from "../base/text.js";
import { privateMessage } from "./lines.js";
import { PendingRequests } from "./requests.js";

/** One end of a hub, or of a proxy in this process. */
export interface Upstream {
  input: Readable;
  output: Writable;
  reads: ReadonlySet<string>;
  bundle: string;
  /** Drops the connection. */
  destroy(): void;
}

interface RelayOptions {
  input: Readable;
  output: Writable;
  /** Connects; `losses` counts the hubs that ended shortly after they were found. */
  connect(losses: number): Promise<Upstream>;
  /** Why a session that was served cannot go on now: the text of its refusals. */
  refusal(error: unknown): Promise<string>;
  /** Calls the listener when a session that was refused may go on. Gives the function that ends the watch. */
  whenUsable(listener: () => void): () => void;
  signal: AbortSignal;
}

/** As long as the proxy's own transport allows. */
const MAX_CLIENT_LINE = 4 * 1024 * 1024;
const MAX_HUB_LINE = 64 * 1024 * 1024;
/** While this much output is unread, the hub is not read. */
const MAX_UNREAD_BYTES = 4 * 1024 * 1024;
const UNREAD_MS = 5_000;
/** A hub answers a client that has left within two seconds. One that does not is stuck. */
const LAST_ANSWERS_MS = 10_000;
/** So many requests are held back for the next hub; more wait in the client's pipe. */
const MAX_HELD = 256;
/** A hub that ends sooner than this counts as one that did not work. */
const SHORT_MS = 2_000;
const TOO_LONG = {
  jsonrpc: "2.0",
  id: null,
  error: { code: -32600, message: `A message is longer than ${MAX_CLIENT_LINE} bytes.` },
};

/** Serves one client until it is gone. Rejects when neither a hub nor anything else can serve it from the start. */
export function relay(options: RelayOptions): Promise<void> {
  return new Promise((resolve, reject) => new Relay(options, resolve, reject).start());
}

class Relay {
  readonly #requests = new PendingRequests();
  readonly #lines: LineReader;
  #upstream: Upstream | undefined;
  #isConnecting = false;
  /** Requests that wait for the next hub. */
  #held: string[] = [];
  /** The hub ends: it gets no new requests. `lazy`: another one is needed only for the next request. */
  #hubEnds: { lazy: boolean } | undefined;
  /** The bundle whose tools the client knows. */
  #bundle: string | undefined;
  /** The names of the tools that only read, in that bundle. */
  #reads: ReadonlySet<string> = new Set();
  /** Whether a request was refused since the last hub. */
  #wasRefused = false;
  /** Ends the watch that `whenUsable` began. */
  #unwatch: (() => void) | undefined;
  #losses = 0;
  #connectedAt = 0;
  #hasEnded = false;
  #isOver = false;
  #unread: NodeJS.Timeout | undefined;
  #lastAnswers: NodeJS.Timeout | undefined;

  constructor(
    private readonly options: RelayOptions,
    private readonly resolve: () => void,
    private readonly reject: (error: unknown) => void,
  ) {
    this.#lines = new LineReader(MAX_CLIENT_LINE, this.#fromClient, () =>
      this.#toClient(JSON.stringify(TOO_LONG)),
    );
  }

  start(): void {
    const { input, output, signal } = this.options;
    input.on("data", this.#lines.push);
    input.once("end", this.#ended).once("close", this.#ended).once("error", this.#ended);
    output.on("error", this.#finish).once("close", this.#finish);
    output.on("drain", this.#outputDrained);
    signal.addEventListener("abort", this.#finish, { once: true });
    if (signal.aborted) this.#finish();
    else this.#connect();
  }

  readonly #finish = (): void => {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#unread);
    clearTimeout(this.#lastAnswers);
    this.#unwatch?.();
    this.options.input.pause();
    this.#upstream?.destroy();
    this.resolve();
  };

  /** The client has closed its side. A hub answers what it was asked, and ends the connection. */
  readonly #ended = (): void => {
    if (this.#hasEnded || this.#isOver) return;
    this.#hasEnded = true;
    if (this.#upstream !== undefined) this.#endUpstream(this.#upstream);
    else if (!this.#isConnecting) this.#finish();
  };

  #endUpstream({ output }: Upstream): void {
    output.end();
    this.#lastAnswers ??= setTimeout(this.#finish, LAST_ANSWERS_MS);
  }

  #connect(): void {
    if (this.#isConnecting || this.#isOver) return;
    this.#isConnecting = true;
    // Messages that the client sends meanwhile wait in its pipe.
    this.options.input.pause();
    this.options.connect(this.#losses).then(
      (upstream) => this.#connected(upstream),
      (error: unknown) => void this.#notConnected(error),
    );
  }

  /**
   * A client that was served does not see the end: what waits is refused. It goes on with its next request, or before
   * that as soon as a hub can be used: the tools may be others then.
   */
  async #notConnected(error: unknown): Promise<void> {
    if (this.#bundle === undefined && !this.#isOver) {
      // The first of both counts.
      this.reject(error);
      this.#finish();
      return;
    }
    const why = await this.options.refusal(error).catch(String);
    this.#isConnecting = false;
    if (this.#isOver) return;
    for (const line of this.#held.splice(0)) this.#requests.fromClient(line, parseJson(line));
    for (const line of this.#requests.refuse(why, this.#reads)) {
      this.#wasRefused = true;
      this.#toClient(line);
    }
    if (this.#hasEnded) {
      this.#finish();
      return;
    }
    this.#unwatch ??= this.options.whenUsable(() => {
      if (this.#upstream === undefined) this.#connect();
    });
    this.options.input.resume();
  }

  #connected(upstream: Upstream): void {
    this.#isConnecting = false;
    if (this.#isOver) {
      upstream.destroy();
      return;
    }
    this.#unwatch?.();
    this.#unwatch = undefined;
    this.#upstream = upstream;
    this.#hubEnds = undefined;
    this.#connectedAt = performance.now();
    const lines = new LineReader(MAX_HUB_LINE, this.#fromHub, () => upstream.destroy());
    upstream.input.on("data", lines.push);
    const lost = () => this.#lost(upstream);
    upstream.input.once("end", lost).once("close", lost).on("error", lost);
    upstream.output.on("error", lost).on("drain", () => this.options.input.resume());
    const before = this.#bundle;
    const held = this.#held.splice(0);
    this.#bundle = upstream.bundle;
    this.#reads = upstream.reads;
    for (const line of this.#requests.repeat(upstream.reads)) this.#toHub(line);
    // What was refused may be the list of the tools.
    if (this.#wasRefused || (before !== undefined && before !== upstream.bundle))
      for (const line of this.#requests.toolsChanged()) this.#toClient(line);
    this.#wasRefused = false;
    for (const line of held) this.#fromClient(line);
    upstream.input.resume();
    if (this.#hasEnded) this.#endUpstream(upstream);
    else if (!upstream.output.writableNeedDrain) this.options.input.resume();
  }

  #lost(upstream: Upstream): void {
    if (this.#upstream !== upstream) return;
    this.#upstream = undefined;
    upstream.destroy();
    if (this.#isOver || this.#hasEnded) {
      this.#finish();
      return;
    }
    this.#losses = performance.now() - this.#connectedAt < SHORT_MS ? this.#losses + 1 : 0;
    for (const line of this.#requests.hubLost()) this.#toClient(line);
    const isNeeded = this.#held.length > 0 || this.#requests.isBusy;
    if (isNeeded || this.#hubEnds?.lazy !== true) this.#connect();
    else this.options.input.resume();
  }

  readonly #fromClient = (line: string): void => {
    const message = parseJson(line);
    const isRequest = isTable(message) && "method" in message && "id" in message;
    // Answers and cancellations are for the hub that still works.
    if (this.#upstream === undefined || (this.#hubEnds !== undefined && isRequest)) {
      this.#held.push(line);
      if (this.#upstream === undefined) this.#connect();
      else if (this.#held.length >= MAX_HELD) this.options.input.pause();
      return;
    }
    const forHub = this.#requests.fromClient(line, message);
    if (forHub !== undefined) this.#toHub(forHub);
    // It may cancel a request that waits for the next hub.
    else if (this.#held.length > 0) this.#held.push(line);
  };

  readonly #fromHub = (line: string): void => {
    const message = parseJson(line);
    const notice = privateMessage(message);
    if (notice?.kind === "drain") this.#hubEnds = { lazy: notice.body.lazy === true };
    else if (notice?.kind === "ready") {
      const { bundle, reads } = notice.body;
      this.#bundle = String(bundle);
      if (Array.isArray(reads)) this.#reads = new Set(reads.map(String));
    } else {
      const isLeft = this.#hubEnds !== undefined && !this.#hasEnded;
      const forClient = this.#requests.fromHub(line, message, isLeft);
      if (forClient !== undefined) this.#toClient(forClient);
    }
    if (this.#hubEnds !== undefined && !this.#requests.isBusy) this.#upstream?.output.end();
  };

  #toHub(line: string): void {
    const { output } = this.#upstream ?? {};
    if (output?.writable && !output.write(`${line}\n`)) this.options.input.pause();
  }

  #toClient(line: string): void {
    const { output } = this.options;
    if (!output.writable) return;
    output.write(`${line}\n`);
    if (output.writableLength <= MAX_UNREAD_BYTES) return;
    this.#upstream?.input.pause();
    // A client that does not read for so long is gone.
    this.#unread ??= setTimeout(this.#finish, UNREAD_MS);
  }

  readonly #outputDrained = (): void => {
    clearTimeout(this.#unread);
    this.#unread = undefined;
    this.#upstream?.input.resume();
  };
}
