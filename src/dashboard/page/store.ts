/**
 * The state of the page: one snapshot, then events. When the connection is lost, the last state stays visible, and the
 * page connects again by itself and takes a new snapshot.
 */
import { sortBy } from "../../base/order.js";
import type {
  CallRow,
  ChartData,
  DashboardEventName,
  DashboardEvents,
  DashboardState,
  LiveState,
} from "../api.js";
import { get, RequestError } from "./requests.js";

/** `refused`: the cookie is not valid, a new link is needed. */
export type Connection = "connecting" | "live" | "lost" | "refused";

export interface State {
  connection: Connection;
  /** Why the process said that it ends. */
  ended: string | undefined;
  /** The facts of the proxy's process; undefined until the first snapshot. */
  proxy: Omit<DashboardState, "live" | "calls" | "charts"> | undefined;
  live: LiveState;
  /** The newest first. */
  calls: CallRow[];
  charts: ChartData;
  /** Grows when the tools or the config of a workspace have changed. */
  configVersion: number;
}

/** Rows that the page keeps; the proxy keeps fewer or as many. */
const MAX_CALLS = 1000;
/** Changes that arrive together are shown together. */
const BATCH_MS = 50;
const RETRY_MS = 1500;
/**
 * The proxy sends something every five seconds. After such a silence the connection is lost, though nobody closed it.
 */
const SILENCE_MS = 16_000;

let state: State = {
  connection: "connecting",
  ended: undefined,
  proxy: undefined,
  live: { memoryMb: 0, servers: [], sessions: [] },
  calls: [],
  charts: { minutes: [], tools: [], memory: { at: [], lines: [] } },
  configVersion: 0,
};
const listeners = new Set<(state: State) => void>();
let gathering = false;

export function current(): State {
  return state;
}

export function subscribe(listener: (state: State) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function change(part: Partial<State>): void {
  state = { ...state, ...part };
  if (gathering) return;
  gathering = true;
  setTimeout(() => {
    gathering = false;
    for (const listener of listeners) listener(state);
  }, BATCH_MS);
}

export function connect(): void {
  const events = new EventSource("events");
  let over = false;
  let heardAt = Date.now();
  const watch = setInterval(() => {
    if (Date.now() - heardAt > SILENCE_MS) reconnect();
  }, 1000);
  // The stream comes first: a call that ends between the two requests is in one of them.
  events.onopen = () => load().catch(reconnect);
  events.onerror = reconnect;
  on("live", (live) => change({ live }));
  on("charts", (charts) => change({ charts }));
  on("call", (row) => change({ calls: withRows([row]) }));
  on("config", () => change({ configVersion: state.configVersion + 1 }));
  on("bye", ({ reason }) => change({ ended: reason }));

  function on<Name extends DashboardEventName>(name: Name, take: (data: DashboardEvents[Name]) => void) {
    events.addEventListener(name, (event: MessageEvent<string>) => {
      heardAt = Date.now();
      take(JSON.parse(event.data));
    });
  }

  async function load() {
    const { live, calls, charts, ...proxy } = await get<DashboardState>("api/state");
    // Another process under the same address counts its calls anew.
    if (state.proxy !== undefined && state.proxy.startedAt !== proxy.startedAt) change({ calls: [] });
    const configVersion = state.configVersion + 1;
    change({
      proxy,
      live,
      charts,
      calls: withRows(calls),
      connection: "live",
      ended: undefined,
      configVersion,
    });
  }

  async function reconnect() {
    if (over) return;
    over = true;
    events.close();
    clearInterval(watch);
    if (state.connection !== "refused") change({ connection: "lost" });
    const status = await get("api/state").then(
      () => 200,
      (error) => (error instanceof RequestError ? error.status : 0),
    );
    change({ connection: status === 401 || status === 403 ? "refused" : "lost" });
    setTimeout(connect, RETRY_MS);
  }
}

/** The rows with others added or replaced, the newest first. A call that has ended is not replaced by its beginning. */
function withRows(added: CallRow[]): CallRow[] {
  const rows = new Map(state.calls.map((row) => [row.id, row]));
  for (const row of added) {
    const before = rows.get(row.id);
    if (before === undefined || before.outcome === "running") rows.set(row.id, row);
  }
  return sortBy([...rows.values()], ({ id }) => [-id]).slice(0, MAX_CALLS);
}
