/** The frame of the page: navigation, the state of the connection, and the view that the address names. */
import type { ComponentType, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { age, plural } from "./format.js";
import { type Address, useAddress, useNow, useStore } from "./hooks.js";
import { Foreign } from "./parts/foreign.js";
import { Icon } from "./parts/icon.js";
import type { Connection, State } from "./store.js";
import { CallsView } from "./views/calls.js";
import { ChartsView } from "./views/charts.js";
import { PlaygroundView } from "./views/playground.js";
import { ServersView } from "./views/servers.js";
import { SessionsView } from "./views/sessions.js";
import { SetUpView } from "./views/set-up.js";

export interface ViewProps {
  state: State;
  address: Address;
}

interface NavigatedView {
  id: string;
  title: string;
  show: ComponentType<ViewProps>;
  /** A number beside the title in the navigation. */
  count?: (state: State) => number;
}

const views: [NavigatedView, ...NavigatedView[]] = [
  { id: "servers", title: "Servers", show: ServersView, count: ({ live }) => live.servers.length },
  { id: "sessions", title: "Sessions", show: SessionsView, count: ({ live }) => live.sessions.length },
  { id: "calls", title: "Calls", show: CallsView, count: ({ calls }) => calls.length },
  { id: "charts", title: "Charts", show: ChartsView },
  { id: "playground", title: "Playground", show: PlaygroundView },
  { id: "set-up", title: "Set-up", show: SetUpView },
];

export function App(): JSX.Element {
  const state = useStore();
  const address = useAddress();
  const view = views.find(({ id }) => id === address.words[0]) ?? views[0];
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef(view.id);
  useEffect(() => {
    document.title = `${view.title} – lsp-proxy`;
    // A screen reader goes on reading at the new view. Not at the start: the page begins at its top.
    if (shown.current !== view.id) heading.current?.focus();
    shown.current = view.id;
  }, [view]);
  return (
    <div class="frame">
      <button type="button" class="skip" onClick={() => heading.current?.focus()}>
        Skip to the content
      </button>
      <header class="side">
        <div class="brand">
          <Icon name="brand" />
          <strong>lsp-proxy</strong>
          {state.proxy && <span class="muted small">{state.proxy.version}</span>}
        </div>
        <nav aria-label="Views">
          <ul>
            {views.map(({ id, title, count }) => (
              <li key={id}>
                <a href={`#/${id}`} aria-current={id === view.id ? "page" : undefined}>
                  <Icon name={id} />
                  <span>{title}</span>
                  {count && state.proxy && <span class="nav-count">{count(state)}</span>}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <ConnectionState state={state} />
      </header>
      <main id="main">
        <h1 ref={heading} tabIndex={-1}>
          {view.title}
        </h1>
        <Interruption state={state} />
        {state.proxy && <view.show state={state} address={address} />}
        {!state.proxy && state.connection === "connecting" && <p class="empty">Connecting…</p>}
      </main>
    </div>
  );
}

const words: { [connection in Connection]: string } = {
  connecting: "Connecting",
  live: "Live",
  lost: "Connection lost",
  refused: "Link needed",
};

function ConnectionState({ state }: { state: State }): JSX.Element {
  const { connection, proxy } = state;
  const now = useNow(state);
  return (
    <div class="connection">
      <p role="status" class={`connection-state ${connection}`}>
        <i class="dot" aria-hidden="true" />
        {words[connection]}
      </p>
      {proxy && (
        <p class="muted small about">
          {proxy.kind === "hub" ? "Hub" : "Gateway"}, process {proxy.pid}
          <br />
          up {age(now - proxy.startedAt)}
          {proxy.workspaces.length > 1 && `, ${plural(proxy.workspaces.length, "workspace")}`}
        </p>
      )}
    </div>
  );
}

/** The advice while the page has no connection. The last state stays below. */
function Interruption({ state: { connection, ended } }: { state: State }): JSX.Element | null {
  if (connection === "refused")
    return (
      <div class="notice warn">
        <h2>This page needs a new link</h2>
        <p>
          The link or the cookie is not valid any more. Run <code>lsp-proxy dashboard</code> again: it opens
          the page with a new link.
        </p>
      </div>
    );
  if (connection !== "lost") return null;
  return (
    <div class="notice warn">
      <h2>{ended === undefined ? "The connection is lost" : "The proxy has ended"}</h2>
      <p>
        {ended === undefined ? (
          "The page shows the last state that it received, and connects again by itself when the proxy answers."
        ) : (
          <>
            It said: <Foreign text={ended} />. The page shows the last state that it received.{" "}
            <code>lsp-proxy dashboard</code> opens the next one.
          </>
        )}
      </p>
    </div>
  );
}
