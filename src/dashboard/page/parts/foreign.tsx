/**
 * Text that others wrote: always a text node, and every character that a browser hides or obeys is shown by its code.
 */
import type { JSX } from "preact";
import { escapeLine, splitHidden } from "../../../base/hidden-characters.js";

/** A value inside a line: line ends are shown too, and tabs except in code. */
export function Foreign({ text, isCode }: { text: string; isCode?: boolean }): JSX.Element {
  return <bdi>{shown(splitHidden(text), isCode ? "\t" : "")}</bdi>;
}

/** A long name or path, which a narrow column may break after its separators. */
export function ForeignName({ text }: { text: string }): JSX.Element {
  return (
    <>
      {text.split(/(?<=[_/.:])/).map((part) => (
        <>
          <Foreign text={part} />
          <wbr />
        </>
      ))}
    </>
  );
}

/** Text of several lines, in a box that scrolls and can be reached by the keyboard. */
export function ForeignBlock({ text, label }: { text: string; label: string }): JSX.Element {
  const parts = splitHidden(text.replaceAll("\r\n", "\n"));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by the keyboard.
    <section class="block" dir="ltr" tabIndex={0} aria-label={label}>
      {shown(parts, "\n\t")}
    </section>
  );
}

/** For places that take only a string, such as an attribute or an option. */
export const visible = escapeLine;

/** Odd parts are hidden characters. */
function shown(parts: string[], kept: string): (string | JSX.Element)[] {
  return parts.map((part, index) =>
    index % 2 === 0 || kept.includes(part) ? part : <span class="hidden-character">{codeOf(part)}</span>,
  );
}

function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
