/** How long a call took, and what for: a bar of waiting, the servers, and the proxy's own work. */
import type { JSX } from "preact";
import type { CallTime } from "../../api.js";
import { duration } from "../format.js";

const parts = [
  ["waiting", "waiting", "waitingMs"],
  ["server", "server", "serverMs"],
  ["own", "own work", "ownMs"],
] as const;

export function TimeSplit({ time }: { time: CallTime }): JSX.Element {
  return (
    <span class="split">
      <span class="split-total">{duration(time.totalMs)}</span>
      <span class="split-bar" aria-hidden="true">
        {parts.map(([name, , key]) => (
          <i key={name} class={name} style={{ flexGrow: Math.max(0, time[key]) }} />
        ))}
      </span>
      <span class="visually-hidden">{splitText(time)}</span>
    </span>
  );
}

/** The same in words, with a key to the colours. */
export function TimeSplitKey({ time }: { time: CallTime }): JSX.Element {
  return (
    <ul class="legend">
      {parts.map(([name, label, key]) => (
        <li key={name}>
          <i class={`swatch ${name}`} aria-hidden="true" />
          <span>{label}</span>
          <b>{duration(time[key])}</b>
        </li>
      ))}
    </ul>
  );
}

function splitText(time: CallTime): string {
  return ` (${parts.map(([, label, key]) => `${label} ${duration(time[key])}`).join(", ")})`;
}
