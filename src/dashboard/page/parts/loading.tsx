/** A view that waits for its data, or says why there is none. */
import type { JSX } from "preact";
import { Foreign } from "./foreign.js";

export function Loading({ failure }: { failure: string | undefined }): JSX.Element {
  if (failure === undefined) return <p class="empty">Loading…</p>;
  return (
    <p class="notice bad" role="alert">
      <Foreign text={failure} />
    </p>
  );
}
