/** The language servers, one card each, below the numbers that tell at a glance how things are. */
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { ServerRow } from "../../api.js";
import type { ViewProps } from "../app.js";
import { age, count, megabytes, plural } from "../format.js";
import { useNow } from "../hooks.js";
import { Badge, stateOf } from "../parts/badge.js";
import { Chart } from "../parts/chart.js";
import { CopyButton } from "../parts/copy-button.js";
import { Empty } from "../parts/empty.js";
import { Fact } from "../parts/fact.js";
import { Foreign, ForeignBlock, visible } from "../parts/foreign.js";
import type { State } from "../store.js";
import { type Action, ConfirmServerAction } from "./confirm-server-action.js";

export function ServersView({ state }: ViewProps): JSX.Element {
  const [asked, setAsked] = useState<{ server: ServerRow; action: Action }>();
  const now = useNow(state);
  const { servers } = state.live;
  return (
    <>
      <Overview state={state} />
      {servers.length === 0 && (
        <Empty title="No language servers">
          The config has none for this workspace. <a href="#/set-up">Set-up</a> shows the languages that were
          found.
        </Empty>
      )}
      <ul class="servers">
        {servers.map((server) => (
          <li key={server.key} class="card server">
            <Server
              server={server}
              state={state}
              now={now}
              onAction={(action) => setAsked({ server, action })}
            />
          </li>
        ))}
      </ul>
      {asked && state.proxy && (
        <ConfirmServerAction
          {...asked}
          rows={servers.filter(
            ({ id, workspace }) => id === asked.server.id && workspace === asked.server.workspace,
          )}
          csrf={state.proxy.csrf}
          onClose={() => setAsked(undefined)}
        />
      )}
    </>
  );
}

function Overview({ state: { live, charts } }: { state: State }): JSX.Element {
  const running = live.servers.filter(({ state }) => state === "running");
  const ready = running.filter(({ readiness }) => readiness === "ready" || readiness === "unknown");
  const hour = charts.minutes.slice(-60);
  const sum = (key: "calls" | "errors" | "tokens") => hour.reduce((total, minute) => total + minute[key], 0);
  const memory = live.servers.reduce((total, server) => total + (server.memoryMb ?? 0), live.memoryMb);
  return (
    <dl class="tiles">
      <Fact
        name="Servers ready"
        value={running.length === 0 ? "None" : `${ready.length} of ${running.length}`}
        note={`${live.servers.length} configured`}
      />
      <Fact
        name="Agents"
        value={count(live.sessions.filter(({ kind }) => kind === "agent").length)}
        note={`${plural(
          live.sessions.reduce((total, session) => total + session.running, 0),
          "call",
        )} running`}
      />
      <Fact name="Calls, last hour" value={count(sum("calls"))} note={`${count(sum("errors"))} refused`} />
      <Fact name="Tokens, last hour" value={count(sum("tokens"))} note="estimated" />
      <Fact name="Memory" value={megabytes(memory)} note={`lsp-proxy: ${megabytes(live.memoryMb)}`} />
    </dl>
  );
}

interface ServerProps {
  server: ServerRow;
  state: State;
  now: number;
  onAction: (action: Action) => void;
}

function Server({ server, state, now, onAction }: ServerProps): JSX.Element {
  const [tone, text] = stateOf(server);
  const hasStarted = server.pid !== null;
  const many = (state.proxy?.workspaces.length ?? 1) > 1;
  return (
    <article aria-label={`${server.id}: ${text}`}>
      <header class="server-head">
        <div>
          <div class="server-name">
            <h2>
              <Foreign text={server.id} />
            </h2>
            {server.version !== null && (
              <span class="muted small">
                <Foreign text={server.version} />
              </span>
            )}
            <Badge tone={tone} text={text} />
          </div>
          <p class="muted path">
            {many && (
              <>
                <Foreign text={server.workspace} />
                {" · "}
              </>
            )}
            {server.root === null ? `${filesOf(server)} files` : <Foreign text={server.root} />}
          </p>
        </div>
        {server.state !== "disabled" && server.state !== "idle" && (
          <div class="actions">
            <button type="button" onClick={() => onAction("restart")} aria-label={`Restart ${server.id}`}>
              Restart
            </button>
            {hasStarted && (
              <button type="button" onClick={() => onAction("stop")} aria-label={`Stop ${server.id}`}>
                Stop
              </button>
            )}
          </div>
        )}
      </header>
      {server.otherRoots.length > 0 && (
        <details>
          <summary>{plural(server.otherRoots.length, "further root")}</summary>
          <ul class="lines mono">
            {server.otherRoots.map((root) => (
              <li key={root}>
                <Foreign text={root} />
              </li>
            ))}
          </ul>
        </details>
      )}
      {server.progress !== null && <Progress text={server.progress} />}
      {server.lastError !== null && (
        <p class={`notice small ${tone === "ok" || tone === "busy" ? "warn" : "bad"}`}>
          <strong>Last error: </strong>
          <Foreign text={server.lastError} />
        </p>
      )}
      {server.install !== null && (
        <p class="command">
          <code>
            <Foreign text={server.install} />
          </code>
          <CopyButton text={server.install} what={`the command that installs ${server.id}`} />
        </p>
      )}
      {hasStarted && (
        <dl class="facts">
          <Memory server={server} state={state} />
          <Fact name="Up" value={server.startedAt === null ? "–" : age(now - server.startedAt)} />
          <Fact
            name="Last used"
            value={server.lastUsedAt === null ? "–" : `${age(now - server.lastUsedAt)} ago`}
          />
          <Fact name="Pending" value={count(server.pendingRequests)} />
          <Fact name="Open files" value={count(server.openDocuments)} />
          <Fact name="Restarts" value={count(server.restarts)} />
          <Fact name="Process" value={String(server.pid)} />
        </dl>
      )}
      {server.state === "idle" && (
        <p class="muted small">It starts with the first question about one of its files.</p>
      )}
      {server.stderr.length > 0 && (
        <details>
          <summary>{plural(server.stderr.length, "line")} of stderr</summary>
          <ForeignBlock text={server.stderr.join("\n")} label={`stderr of ${server.id}`} />
        </details>
      )}
    </article>
  );
}

function filesOf({ files }: ServerRow): string {
  return files.length === 0
    ? "all"
    : `${visible(files.slice(0, 8).join(", "))}${files.length > 8 ? ", …" : ""}`;
}

/** The server's own words; where they have a percentage, a bar shows it. */
function Progress({ text }: { text: string }): JSX.Element {
  const percent = /(\d{1,3})\s?%/.exec(text)?.[1];
  return (
    <div class="progress small">
      <progress aria-label="Progress" max={100} value={percent === undefined ? undefined : Number(percent)} />
      <Foreign text={text} />
    </div>
  );
}

function Memory({ server, state }: { server: ServerRow; state: State }): JSX.Element | null {
  const { at, lines } = state.charts.memory;
  const line = lines.find(({ name }) => name === server.key);
  const drawn = useMemo(
    () => ({
      times: at.map((ms) => ms / 1000),
      lines: [{ label: "now", colour: 1, values: line?.mb ?? [] }],
    }),
    [at, line],
  );
  return (
    <div class="memory">
      <dt>Memory</dt>
      <dd>
        <b>{server.memoryMb === null ? "–" : megabytes(server.memoryMb)}</b>
        {line && at.length > 1 && (
          <Chart title={`Memory of ${server.id}`} {...drawn} format={megabytes} small />
        )}
      </dd>
    </div>
  );
}
