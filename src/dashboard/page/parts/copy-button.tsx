/** A button that copies a text and says so. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

export function CopyButton({ text, what }: { text: string; what: string }): JSX.Element {
  const [said, setSaid] = useState<"Copied" | "Not copied">();
  useEffect(() => {
    if (said === undefined) return;
    const timer = setTimeout(() => setSaid(undefined), 2000);
    return () => clearTimeout(timer);
  }, [said]);
  return (
    <button
      type="button"
      class="copy"
      aria-label={`Copy ${what}`}
      onClick={async () => setSaid((await copy(text)) ? "Copied" : "Not copied")}
    >
      <span aria-live="polite">{said ?? "Copy"}</span>
    </button>
  );
}

/** A browser gives its clipboard only to HTTPS and loopback; elsewhere the older way works. */
async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    (document.querySelector("dialog[open]") ?? document.body).append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }
}
