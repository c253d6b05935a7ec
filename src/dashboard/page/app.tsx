/** The frame of the page: navigation, the state of the connection, and the view that the address names. */
import type { ComponentType, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { age, plural } from "./format.js";
import { type Address, useAddress, useKnown, useNow } from "./hooks.js";
import { Foreign } from "./parts/foreign.js";
import { Icon } from "./parts/icon.js";
import type { Connection, Known } from "./store.js";
import { Calls } from "./views/calls.js";
import { Charts } from "./views/charts.js";
import { Playground } from "./views/playground.js";
import { Servers } from "./views/servers.js";
import { Sessions } from "./views/sessions.js";
import { SetUp } from "./views/set-up.js";

export interface ViewProps {
  known: Known;
  address: Address;
}

interface View {
  id: string;
  title: string;
  show: ComponentType<ViewProps>;
  /** A number beside the title in the navigation. */
  count?: (known: Known) => number;
}

const views: [View, ...View[]] = [
  { id: "servers", title: "Servers", show: Servers, count: ({ live }) => live.servers.length },
  { id: "sessions", title: "Sessions", show: Sessions, count: ({ live }) => live.sessions.length },
  { id: "calls", title: "Calls", show: Calls, count: ({ calls }) => calls.length },
  { id: "charts", title: "Charts", show: Charts },
  { id: "playground", title: "Playground", show: Playground },
  { id: "set-up", title: "Set-up", show: SetUp },
];

export function App(): JSX.Element {
  const known = useKnown();
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
          {known.state && <span class="muted small">{known.state.version}</span>}
        </div>
        <nav aria-label="Views">
          <ul>
            {views.map(({ id, title, count }) => (
              <li key={id}>
                <a href={`#/${id}`} aria-current={id === view.id ? "page" : undefined}>
                  <Icon name={id} />
                  <span>{title}</span>
                  {count && known.state && <span class="nav-count">{count(known)}</span>}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <ConnectionState known={known} />
      </header>
      <main id="main">
        <h1 ref={heading} tabIndex={-1}>
          {view.title}
        </h1>
        <Interruption known={known} />
        {known.state && <view.show known={known} address={address} />}
        {!known.state && known.connection === "connecting" && <p class="empty">Connecting…</p>}
      </main>
    </div>
  );
}

const words: { [state in Connection]: string } = {
  connecting: "Connecting",
  live: "Live",
  lost: "Connection lost",
  refused: "Link needed",
};

function ConnectionState({ known }: { known: Known }): JSX.Element {
  const { connection, state } = known;
  const now = useNow(known);
  return (
    <div class="connection">
      <p role="status" class={`connection-state ${connection}`}>
        <i class="dot" aria-hidden="true" />
        {words[connection]}
      </p>
      {state && (
        <p class="muted small about">
          {state.kind === "hub" ? "Hub" : "Gateway"}, process {state.pid}
          <br />
          up {age(now - state.startedAt)}
          {state.workspaces.length > 1 && `, ${plural(state.workspaces.length, "workspace")}`}
        </p>
      )}
    </div>
  );
}

/** What to do while the page has no connection. What it showed last stays below. */
function Interruption({ known: { connection, ended } }: { known: Known }): JSX.Element | null {
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
          "The page shows what it knew last, and connects again by itself when the proxy answers."
        ) : (
          <>
            It said: <Foreign text={ended} />. The page shows what it knew last.{" "}
            <code>lsp-proxy dashboard</code> opens the next one.
          </>
        )}
      </p>
    </div>
  );
}
