/**
 * Watches the memory of this process. Over the limit, the server or client that holds most is ended. A server is
 * measured by the bytes it sent since memory was low and those it has not read, a client by its requests and unread
 * answers. If ending them does not help, the process exits before V8 aborts it.
 */
import { Session as Inspector } from "node:inspector/promises";
import { getHeapStatistics } from "node:v8";
import { sortBy } from "../base/order.js";
import type { Log, StartedServer } from "../lsp/types.js";

const CHECK_MS = 250;
/** Memory of a server or client that was ended becomes free after this time. */
const SETTLE_MS = 1_000;
const MB = 1024 * 1024;
/**
 * V8 alone lets garbage grow to several times what is live. Between these sizes it is collected when memory has grown.
 * A larger heap takes too long to collect at once, so it is left to V8 until the limit is reached.
 */
const COLLECT_FROM_MB = 128;
const COLLECT_UP_TO_MB = 256;
const GROWTH = 1.2;
/** V8 aborts the process at its own limit, so that limit counts from this share on. */
const HEAP_SHARE = 0.75;

/** Bytes held for one client: requests that arrive, and output that it does not read. */
export interface ClientMemory {
  heldBytes: number;
  /** Disconnects the client; its calls are cancelled. */
  end(): void;
}

interface MemoryWatchOptions {
  limitMb: number;
  log: Log;
  onOutOfMemory: (message: string) => void;
  /** Override the measurement and the garbage collection, for tests. */
  measure?: (limitMb: number) => Measured;
  collect?: () => Promise<void>;
}

/** A server or a client, and the bytes that are held for it. */
interface MemoryUser {
  bytes: number;
  end(): void;
}

/** Shares of the limits: 1 is the limit. */
export interface Measured {
  /** Resident memory of the process, with garbage. */
  resident: number;
  /** Heap and external memory in use, garbage included until it is collected. */
  live: number;
  /** The heap, of what V8 allows. */
  heap: number;
}

export class MemoryWatch {
  readonly #servers = new Map<StartedServer, { receivedWhenLow: number }>();
  readonly #clients: (() => ClientMemory[])[] = [];
  readonly #timer: NodeJS.Timeout;
  /** Between these shares of the limit, garbage is collected when memory has grown. */
  readonly #collectFrom: number;
  readonly #collectUpTo: number;
  /** Garbage is collected when resident memory or the heap reaches this share of its limit. */
  #collectAt: number;
  #settledAt = 0;
  #isCollecting = false;

  constructor(private readonly options: MemoryWatchOptions) {
    this.#collectFrom = Math.min(1, COLLECT_FROM_MB / options.limitMb);
    this.#collectUpTo = COLLECT_UP_TO_MB / options.limitMb;
    // The memory at the start holds little garbage, so only growth is a reason to collect.
    this.#collectAt = Math.min(1, Math.max(this.#collectFrom, this.#measure().resident * GROWTH));
    this.#timer = setInterval(() => void this.check(), CHECK_MS);
    this.#timer.unref();
  }

  addServer(server: StartedServer): void {
    this.#servers.set(server, { receivedWhenLow: 0 });
    void server.transport.ended.then(() => this.#servers.delete(server));
  }

  /** Adds a function that measures the memory of clients. */
  watchClients(clients: () => ClientMemory[]): void {
    this.#clients.push(clients);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async check(now = performance.now()): Promise<void> {
    if (this.#isCollecting) return;
    const { resident, heap } = this.#measure();
    if (resident < 0.5) {
      for (const [server, known] of this.#servers) known.receivedWhenLow = received(server);
    }
    if (resident < this.#collectFrom && heap < 1) this.#collectAt = this.#collectFrom;
    const most = Math.max(resident, heap);
    if (most < this.#collectAt || (most < 1 && resident > this.#collectUpTo) || now < this.#settledAt) return;
    this.#isCollecting = true;
    await (this.options.collect ?? collectGarbage)();
    this.#isCollecting = false;
    const after = this.#measure();
    if (after.heap < 1 && (after.resident < 1 || after.live < 0.5)) {
      // Free memory that the allocator keeps is no reason to end anything, nor to collect again at once.
      this.#collectAt = Math.max(this.#collectFrom, after.resident * GROWTH);
      return;
    }
    this.#settledAt = now + SETTLE_MS;
    const [largest] = sortBy([...this.#serverUsers(), ...this.#clientUsers()], ({ bytes }) => [-bytes]);
    if (largest === undefined || largest.bytes === 0) this.options.onOutOfMemory(this.#message("ends"));
    else largest.end();
  }

  #measure(): Measured {
    return (this.options.measure ?? measureProcess)(this.options.limitMb);
  }

  #serverUsers(): MemoryUser[] {
    return [...this.#servers].map(([server, { receivedWhenLow }]) => {
      const bytes = received(server) - receivedWhenLow + server.transport.output.writableLength;
      return { bytes, end: () => this.#endServer(server, Math.ceil(bytes / MB)) };
    });
  }

  #endServer(server: StartedServer, sentMb: number): void {
    this.#servers.delete(server);
    this.options.log("error", this.#message("ends a server"), { server: server.id, sentMb });
    const limit = `limits.proxy_memory_mb = ${this.options.limitMb}`;
    server.end(`had sent ${sentMb} MB when the proxy reached its memory limit (${limit}), and was ended`);
  }

  #clientUsers(): MemoryUser[] {
    return this.#clients
      .flatMap((clients) => clients())
      .map((client) => ({
        bytes: client.heldBytes,
        end: () => {
          const heldMb = Math.ceil(client.heldBytes / MB);
          this.options.log("error", this.#message("disconnects the client that holds most"), { heldMb });
          client.end();
        },
      }));
  }

  #message(what: string): string {
    return `the proxy has reached its memory limit (limits.proxy_memory_mb = ${this.options.limitMb}) and ${what}`;
  }
}

/** The bytes that were read from a server: sockets count them. */
function received({ transport: { input } }: StartedServer): number {
  return "bytesRead" in input && typeof input.bytesRead === "number" ? input.bytesRead : 0;
}

function measureProcess(limitMb: number): Measured {
  const { rss, heapUsed, external } = process.memoryUsage();
  const limit = limitMb * MB;
  const heap = heapUsed / (getHeapStatistics().heap_size_limit * HEAP_SHARE);
  return { resident: rss / limit, live: (heapUsed + external) / limit, heap };
}

/** Without it, garbage that V8 has not collected yet would look like memory in use. V8 collects in a later turn. */
async function collectGarbage(): Promise<void> {
  const inspector = new Inspector();
  inspector.connect();
  await inspector.post("HeapProfiler.collectGarbage");
  inspector.disconnect();
}
