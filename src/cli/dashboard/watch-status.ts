/**
 * `status --watch`: servers, sessions and calls of the running hub or gateway; a screen on a terminal, lines in a pipe.
 */
import { plural } from "../../base/words.js";
import type { CallRow, LiveState, ServerRow, SessionRow } from "../../dashboard/api.js";
import { followDashboard } from "../../dashboard/follow.js";
import { type ExitCode, exitCodes, failure, type Input, type Io } from "../command.js";
import { abortOn } from "../signals.js";
import { table } from "../terminal/layout.js";
import type { Output, Styled } from "../terminal/output.js";
import { findDashboard } from "./find-dashboard.js";

const USUAL_ROWS = 24;
const MAX_CALLS = 200;

export async function watchStatus(input: Input, io: Io): Promise<ExitCode> {
  const found = await findDashboard(input, io);
  if ("problem" in found) return failure(io, found.problem);
  const signal = abortOn("SIGINT", "SIGTERM");
  const view = io.stdout.isTTY ? new Screen(io.stdout) : new Lines(io.stdout);
  try {
    for await (const { name, data } of followDashboard(found.url, signal)) {
      if (name === "state") view.start(data.live, data.calls);
      else if (name === "live") view.live(data);
      else if (name === "call") view.call(data);
    }
  } catch (error) {
    if (signal.aborted) return exitCodes.ok;
    const cause = error instanceof Error ? error.message : String(error);
    return failure(io, `the connection was lost: ${cause}`);
  }
  return signal.aborted ? exitCodes.ok : failure(io, "what was watched has ended");
}

interface View {
  start(live: LiveState, calls: readonly CallRow[]): void;
  live(live: LiveState): void;
  call(call: CallRow): void;
}

/** The whole state, drawn again with every change. */
class Screen implements View {
  #live: LiveState = { memoryMb: 0, servers: [], sessions: [] };
  #calls = new Map<number, CallRow>();

  constructor(private readonly out: Output) {}

  start(live: LiveState, calls: readonly CallRow[]): void {
    this.#calls = new Map(calls.map((call) => [call.id, call]));
    this.live(live);
  }

  live(live: LiveState): void {
    this.#live = live;
    this.#draw();
  }

  call(call: CallRow): void {
    this.#calls.set(call.id, call);
    for (const id of this.#calls.keys()) {
      if (this.#calls.size > MAX_CALLS) this.#calls.delete(id);
    }
    this.#draw();
  }

  #draw(): void {
    const { memoryMb, servers, sessions } = this.#live;
    const width = this.out.columns;
    const above: (string | Styled)[] = [
      `lsp-proxy: ${plural(servers.length, "server")}, ${plural(sessions.length, "session")}, ${memoryMb} MB\n\n`,
      ...table(
        ["server", "state", "pid", "memory", "pending", "restarts", ""],
        servers.map(serverCells),
        width,
      ),
      "\n",
      ...(sessions.length === 0
        ? []
        : [...table(["session", "client", "calls", "errors"], sessions.map(sessionCells), width), "\n"]),
    ];
    const used = above
      .map((piece) => (typeof piece === "string" ? piece : piece.text))
      .join("")
      .split("\n").length;
    const room = Math.max(1, (this.out.rows ?? USUAL_ROWS) - used - 2);
    const last = [...this.#calls.values()].slice(-room).reverse();
    const headings = ["time", "session", "tool", "at", "result", "ms", "tokens"];
    this.out.replaceScreen([...above, ...table(headings, last.map(callCells), width)]);
  }
}

/** A line for everything that changes. */
class Lines implements View {
  readonly #servers = new Map<string, string>();
  readonly #sessions = new Set<string>();

  constructor(private readonly out: Output) {}

  start(live: LiveState, calls: readonly CallRow[]): void {
    this.live(live);
    for (const call of calls) this.call(call);
  }

  live({ servers, sessions }: LiveState): void {
    for (const server of servers) {
      const line = serverLine(server);
      if (this.#servers.get(server.key) !== line) this.out.writeLine(line);
      this.#servers.set(server.key, line);
    }
    for (const { id, client, clientVersion } of sessions) {
      const name = [client ?? "a client", clientVersion].filter((word) => word !== null).join(" ");
      if (!this.#sessions.has(id)) this.out.writeLine(`session ${id}: ${name}`);
      this.#sessions.add(id);
    }
    for (const id of this.#sessions) {
      if (sessions.some((session) => session.id === id)) continue;
      this.#sessions.delete(id);
      this.out.writeLine(`session ${id}: ended`);
    }
  }

  call(call: CallRow): void {
    if (call.outcome === "running") return;
    const [time, session, tool, at, result, ms, tokens] = callCells(call);
    const words = [time, session, tool, at, result, `${ms} ms`, tokens === "" ? "" : `${tokens} tokens`];
    this.out.writeLine(words.filter((word) => word !== "").join(" "));
  }
}

/** The state in one word. A server that does not report how ready it is just runs, as the dashboard says too. */
function stateOf({ state, readiness }: ServerRow): string {
  return state === "running" && readiness !== "unknown" ? readiness : state;
}

function serverLine(server: ServerRow): string {
  const { id, root, pid, restarts, progress, lastError } = server;
  const facts = [
    stateOf(server),
    ...(pid === null ? [] : [`pid ${pid}`]),
    ...(restarts === 0 ? [] : [plural(restarts, "restart")]),
    ...(root === null ? [] : [root]),
    ...(progress === null ? [] : [progress]),
    ...(lastError === null ? [] : [lastError]),
  ];
  return `server ${id}: ${facts.join(", ")}`;
}

function serverCells(server: ServerRow): string[] {
  const { id, pid, memoryMb, pendingRequests, restarts, progress, lastError } = server;
  const memory = memoryMb === null ? "" : `${memoryMb} MB`;
  const about = progress ?? lastError ?? "";
  return [id, stateOf(server), `${pid ?? ""}`, memory, `${pendingRequests}`, `${restarts}`, about];
}

function sessionCells({ id, client, clientVersion, calls, errors }: SessionRow): string[] {
  return [id, `${client ?? ""} ${clientVersion ?? ""}`.trim(), `${calls}`, `${errors}`];
}

function callCells({ at, session, tool, target, outcome, code, time, tokens }: CallRow): string[] {
  const clock = new Date(at).toTimeString().slice(0, 8);
  const ms = time === null ? "" : `${Math.round(time.totalMs)}`;
  return [clock, session, tool, target, code ?? outcome, ms, tokens === null ? "" : `${tokens}`];
}
