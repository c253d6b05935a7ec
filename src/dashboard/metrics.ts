/**
 * The numbers of a process in the format of Prometheus. Calls are counted as they end; everything else is read when it
 * is asked for. Labels are names of the config, so that clients cannot add any.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { isLoopback } from "../base/listen-address.js";
import { bearerToken, isAllowedSource, repeatedHeader, type SourceRules } from "../mcp/http/checks.js";
import type { ShownWorkspace } from "./live.js";
import { isSame } from "./login.js";
import { type CallRecord, OTHER_TOOL } from "./record.js";
import { sendText } from "./responses.js";

const MB = 1024 * 1024;
/** Seconds: from a warm answer to a server that indexes. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const SERVER_LABELS = ["workspace", "server"] as const;

interface MetricsContext {
  workspaces: readonly ShownWorkspace[];
  record: CallRecord;
  source: SourceRules;
  /** Without a token only this machine may ask. */
  token: string | undefined;
}

export class Metrics {
  readonly #registry = new Registry();
  readonly #unsubscribe: () => void;

  constructor(private readonly context: MetricsContext) {
    const registers = [this.#registry];
    const durations = new Histogram({
      name: "lsp_proxy_call_duration_seconds",
      help: "Duration of tool calls.",
      labelNames: ["tool", "outcome"],
      buckets: BUCKETS,
      registers,
    });
    this.#unsubscribe = context.record.subscribe(({ tool, outcome, time, workspace }) => {
      if (time === null) return;
      const plan = context.workspaces.find(({ name }) => name === workspace)?.runtime.loaded.plan;
      const isListed = plan?.mcp.listed.includes(tool) === true;
      durations.observe({ tool: isListed ? tool : OTHER_TOOL, outcome }, time.totalMs / 1000);
    });
    this.#addServerGauges(registers);
    const gauge = (name: string, help: string, read: () => number) =>
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(read());
        },
      });
    const sessions = () => context.record.sessions();
    const agents = () => sessions().filter(({ kind }) => kind === "agent");
    gauge("lsp_proxy_memory_bytes", "Resident memory of the proxy's own process.", () =>
      process.memoryUsage.rss(),
    );
    gauge("lsp_proxy_sessions", "Connected sessions of agents.", () => agents().length);
    gauge("lsp_proxy_running_calls", "Calls that run now.", () =>
      sessions().reduce((sum, { running }) => sum + running, 0),
    );
  }

  /** Answers a request for `/metrics`; gives whether it was allowed. */
  handle(incoming: IncomingMessage, outgoing: ServerResponse): boolean {
    const { headers, method } = incoming;
    const { source, token } = this.context;
    const given = bearerToken(headers.authorization);
    if (repeatedHeader(incoming.headersDistinct) !== undefined) sendText(outgoing, 400, "");
    else if (!isAllowedSource(headers, source)) sendText(outgoing, 403, "");
    else if (token === undefined ? !isLocal(incoming) : !isSame(given, token))
      sendText(outgoing, 401, "", { "www-authenticate": "Bearer" });
    else if (method !== "GET") sendText(outgoing, 405, "", { allow: "GET" });
    else {
      void this.#registry.metrics().then((text) => {
        sendText(outgoing, 200, text, { "content-type": this.#registry.contentType });
      });
      return true;
    }
    return false;
  }

  close(): void {
    this.#unsubscribe();
  }

  /** What is read from the state of the servers. A server with several roots is added up. */
  #addServerGauges(registers: Registry[]): void {
    const labelNames = SERVER_LABELS;
    const { workspaces } = this.context;
    const statuses = () =>
      workspaces.flatMap(({ name, runtime }) =>
        runtime.pool.status().map((status) => ({ labels: { workspace: name, server: status.id }, status })),
      );
    type Status = ReturnType<typeof statuses>[number]["status"];
    const sum = (name: string, help: string, read: (status: Status) => number) =>
      new Gauge({
        name,
        help,
        labelNames,
        registers,
        collect() {
          this.reset();
          for (const { labels, status } of statuses()) this.inc(labels, read(status));
        },
      });
    sum(
      "lsp_proxy_server_memory_bytes",
      "Memory of a language server.",
      ({ memoryMb }) => (memoryMb ?? 0) * MB,
    );
    sum(
      "lsp_proxy_pending_requests",
      "Requests that a language server has not answered.",
      (status) => status.pendingRequests,
    );
    sum("lsp_proxy_server_running", "Running processes of a language server.", ({ state }) =>
      state === "running" ? 1 : 0,
    );
    sum(
      "lsp_proxy_server_ready",
      "Processes of a language server that have indexed.",
      ({ state, readiness }) => (state === "running" && readiness === "ready" ? 1 : 0),
    );
    new Counter({
      name: "lsp_proxy_server_restarts_total",
      help: "Restarts of a language server.",
      labelNames,
      registers,
      collect() {
        this.reset();
        for (const { labels, status } of statuses()) this.inc(labels, status.restarts);
      },
    });
  }
}

/** Whether a request comes from this machine, and not through a proxy on it. */
function isLocal({ socket, headers }: IncomingMessage): boolean {
  const host = headers.host?.replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1") ?? "";
  const isForwarded = headers.forwarded !== undefined || headers["x-forwarded-for"] !== undefined;
  const address = (socket.remoteAddress ?? "").replace(/^::ffff:/, "");
  return isLoopback(address) && isLoopback(host) && !isForwarded;
}
