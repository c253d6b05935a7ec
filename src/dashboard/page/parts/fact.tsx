/** A name and its value in a list of facts. */
import type { ComponentChildren, JSX } from "preact";

export function Fact({
  name,
  value,
  note,
}: {
  name: string;
  value: ComponentChildren;
  note?: string;
}): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <b>{value}</b>
        {note !== undefined && <span class="muted small">{note}</span>}
      </dd>
    </div>
  );
}
