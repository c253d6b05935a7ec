/** The text of a view that has nothing to show, and how that changes. */
import type { ComponentChildren, JSX } from "preact";

export function Empty({ title, children }: { title: string; children?: ComponentChildren }): JSX.Element {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children !== undefined && <p>{children}</p>}
    </div>
  );
}
