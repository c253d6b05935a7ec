/** The calls of the agents, the newest first. A row opens the call with its arguments and its answer. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { sortBy } from "../../../base/order.js";
import type { CallRow } from "../../api.js";
import type { ViewProps } from "../app.js";
import { bytes, count, plural, time } from "../format.js";
import { Badge, outcomeOf } from "../parts/badge.js";
import { Empty } from "../parts/empty.js";
import { Foreign, ForeignName, visible } from "../parts/foreign.js";
import { TimeSplit } from "../parts/time-split.js";
import type { State } from "../store.js";
import { CallDialog } from "./call.js";
import { nameOf } from "./sessions.js";

/** Rows that are shown until more are asked for. */
const PAGE = 100;

const outcomes = ["ok", "error", "cancelled", "running"] as const;

export function CallsView({ state, address }: ViewProps): JSX.Element {
  const { query } = address;
  const [limit, setLimit] = useState(PAGE);
  // While it is paused, rows do not move under the pointer; those that are shown still end.
  const [pausedAt, setPausedAt] = useState<number>();
  const shown = state.calls.filter(({ id }) => pausedAt === undefined || id <= pausedAt);
  const filter = { tool: query.get("tool"), session: query.get("session"), outcome: query.get("outcome") };
  const matching = shown.filter(
    (call) =>
      (filter.tool === null || call.tool === filter.tool) &&
      (filter.session === null || call.session === filter.session) &&
      (filter.outcome === null || call.outcome === filter.outcome),
  );
  const opened = Number(address.words[1]);
  const suffix = query.size === 0 ? "" : `?${query}`;
  if (state.calls.length === 0)
    return (
      <Empty title="No calls yet">
        A call appears here the moment an agent makes it. Try one yourself in the{" "}
        <a href="#/playground">playground</a>.
      </Empty>
    );
  return (
    <>
      <Filters state={state} query={query} />
      <div class="section-head result-count">
        <p class="muted small">
          {matching.length === shown.length
            ? plural(matching.length, "call")
            : `${count(matching.length)} of ${plural(shown.length, "call")}`}
        </p>
        <button
          type="button"
          onClick={() => setPausedAt(pausedAt === undefined ? (state.calls[0]?.id ?? 0) : undefined)}
        >
          {pausedAt === undefined ? "Pause" : `Show ${count(state.calls.length - shown.length)} new`}
        </button>
      </div>
      {matching.length === 0 ? (
        <Empty title="No call matches">
          <a href="#/calls">Show all calls</a>
        </Empty>
      ) : (
        <Table state={state} calls={matching.slice(0, limit)} suffix={suffix} />
      )}
      {matching.length > limit && (
        <button type="button" class="more" onClick={() => setLimit(limit + PAGE)}>
          Show {Math.min(PAGE, matching.length - limit)} more
        </button>
      )}
      {opened > 0 && (
        <CallDialog
          key={opened}
          id={opened}
          row={state.calls.find(({ id }) => id === opened)}
          onClose={() => {
            location.hash = `#/calls${suffix}`;
          }}
        />
      )}
    </>
  );
}

function Filters({ state, query }: { state: State; query: URLSearchParams }): JSX.Element {
  const tools = [...new Set(state.calls.map(({ tool }) => tool))];
  return (
    <form class="filters" aria-label="Filter" onSubmit={(event) => event.preventDefault()}>
      <Choice
        name="tool"
        label="Tool"
        query={query}
        options={sortBy(tools, (tool) => [tool]).map((tool) => [tool, tool])}
      />
      <Choice name="session" label="Session" query={query} options={sessionsOf(state)} />
      <Choice
        name="outcome"
        label="Outcome"
        query={query}
        options={outcomes.map((outcome) => [outcome, outcomeOf(outcome)[1]])}
      />
      {query.size > 0 && <a href="#/calls">Clear</a>}
    </form>
  );
}

/** The sessions that are open, and those that have ended and have calls in the list. */
function sessionsOf({ live, calls }: State): [string, string][] {
  const names = new Map(calls.map(({ session, client }) => [session, client ?? "Unnamed client"]));
  for (const session of live.sessions) names.set(session.id, nameOf(session));
  return sortBy([...names], ([id, name]) => [name, id]).map(([id, name]) => [id, `${name} · ${id}`]);
}

interface ChoiceProps {
  name: string;
  label: string;
  query: URLSearchParams;
  options: [value: string, text: string][];
}

function Choice({ name, label, query, options }: ChoiceProps): JSX.Element {
  const chosen = query.get(name) ?? "";
  // A value of the address that no call has any more is still shown as what is chosen.
  const all =
    chosen === "" || options.some(([value]) => value === chosen) ? options : [...options, [chosen, chosen]];
  return (
    <label>
      <span>{label}</span>
      <select
        value={chosen}
        onChange={({ currentTarget: { value } }) => {
          const next = new URLSearchParams(query);
          if (value === "") next.delete(name);
          else next.set(name, value);
          location.hash = next.size === 0 ? "#/calls" : `#/calls?${next}`;
        }}
      >
        <option value="">All</option>
        {all.map(([value, text]) => (
          <option key={value} value={value}>
            {visible(text ?? "")}
          </option>
        ))}
      </select>
    </label>
  );
}

function Table({ state, calls, suffix }: { state: State; calls: CallRow[]; suffix: string }): JSX.Element {
  const names = new Map(state.live.sessions.map((session) => [session.id, nameOf(session)]));
  return (
    <div class="card table-box">
      <table class="calls">
        <caption class="visually-hidden">Calls, the newest first</caption>
        <thead>
          <tr>
            <th scope="col" class="wide-only column-time">
              Time
            </th>
            <th scope="col">Call</th>
            <th scope="col" class="wide-only column-session">
              Session
            </th>
            <th scope="col" class="wide-only column-server">
              Server
            </th>
            <th scope="col" class="column-duration">
              Duration
            </th>
            <th scope="col" class="number wide-only column-items">
              Items
            </th>
            <th scope="col" class="number wide-only column-tokens">
              Tokens
            </th>
            <th scope="col" class="column-outcome">
              Outcome
            </th>
          </tr>
        </thead>
        <tbody>
          {calls.map((call) => (
            <Row key={call.id} call={call} client={names.get(call.session)} suffix={suffix} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({
  call,
  client,
  suffix,
}: {
  call: CallRow;
  client: string | undefined;
  suffix: string;
}): JSX.Element {
  const [tone, text] = outcomeOf(call.outcome);
  return (
    <tr class="clickable">
      <td class="wide-only time">{time(call.at)}</td>
      <th scope="row">
        <a class="whole-row" href={`#/calls/${call.id}${suffix}`}>
          <ForeignName text={call.tool} />
        </a>
        <span class="sub">
          <span class="narrow-only">{time(call.at)} </span>
          <span class="mono">
            <ForeignName text={call.target} />
          </span>
        </span>
      </th>
      <td class="wide-only">
        <Foreign text={client ?? call.client ?? "Unnamed client"} />
        <span class="sub mono">
          <Foreign text={call.session} />
        </span>
      </td>
      <td class="wide-only">
        {call.server === null ? "–" : <Foreign text={call.server.replaceAll(",", ", ")} />}
      </td>
      <td class="duration">
        {call.time === null ? <span class="muted">…</span> : <TimeSplit time={call.time} />}
      </td>
      <td class="number wide-only">{call.items === null ? "–" : count(call.items)}</td>
      <td class="number wide-only">
        {call.tokens === null ? "–" : count(call.tokens)}
        {call.bytes !== null && <span class="sub">{bytes(call.bytes)}</span>}
      </td>
      <td>
        <Badge tone={tone} text={text} />
        <span class="sub">{call.code === null ? readinessNote(call) : <ForeignName text={call.code} />}</span>
      </td>
    </tr>
  );
}

/** How ready the server was, where that limits the answer. */
function readinessNote({ readiness }: CallRow): string {
  return readiness === "starting" || readiness === "indexing" ? `while ${readiness}` : "";
}
