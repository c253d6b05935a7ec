/** The connected agents, and the playground's own session. */
import type { JSX } from "preact";
import type { SessionRow } from "../../api.js";
import type { ViewProps } from "../app.js";
import { age, count, time } from "../format.js";
import { useNow } from "../hooks.js";
import { Badge } from "../parts/badge.js";
import { Empty } from "../parts/empty.js";
import { Foreign } from "../parts/foreign.js";

export function SessionsView({ state }: ViewProps): JSX.Element {
  const now = useNow(state);
  const { sessions } = state.live;
  if (sessions.length === 0)
    return (
      <Empty title="No agent is connected">
        An agent appears here as soon as it opens a session. <a href="#/set-up">Set-up</a> has the entries for
        MCP clients.
      </Empty>
    );
  return (
    <div class="card table-box">
      <table>
        <caption class="visually-hidden">Sessions</caption>
        <thead>
          <tr>
            <th scope="col">Client</th>
            <th scope="col">Since</th>
            <th scope="col" class="wide-only">
              Roots
            </th>
            <th scope="col" class="number">
              Calls
            </th>
            <th scope="col" class="number">
              Refused
            </th>
            <th scope="col" class="wide-only">
              Last call
            </th>
          </tr>
        </thead>
        <tbody>
          {sessions.map((session) => (
            <Session key={session.id} session={session} now={now} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Session({ session, now }: { session: SessionRow; now: number }): JSX.Element {
  return (
    <tr>
      <th scope="row">
        <strong>
          <Foreign text={nameOf(session)} />
        </strong>{" "}
        {session.clientVersion !== null && (
          <span class="muted">
            <Foreign text={session.clientVersion} />
          </span>
        )}{" "}
        {session.running > 0 && <Badge tone="busy" text={`${session.running} running`} />}
        <span class="sub mono">
          <Foreign text={session.id} />
        </span>
      </th>
      <td>
        {age(now - session.openedAt)}
        <span class="sub">{time(session.openedAt)}</span>
      </td>
      <td class="wide-only">
        <ul class="lines mono small">
          {session.roots.map((root) => (
            <li key={root}>
              <Foreign text={root} />
            </li>
          ))}
        </ul>
      </td>
      <td class="number">
        <a href={`#/calls?session=${encodeURIComponent(session.id)}`}>{count(session.calls)}</a>
      </td>
      <td class="number">
        {session.errors === 0 ? "0" : <span class="bad-text">{count(session.errors)}</span>}
      </td>
      <td class="wide-only">{session.lastCallAt === null ? "–" : `${age(now - session.lastCallAt)} ago`}</td>
    </tr>
  );
}

export function nameOf({ kind, client }: Pick<SessionRow, "kind" | "client">): string {
  return kind === "playground" ? "Playground" : (client ?? "Unnamed client");
}
