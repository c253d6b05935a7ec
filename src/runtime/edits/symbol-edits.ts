/**
 * A declaration replaced, or a text put before or after it. The declaration is the one whose name the call points at,
 * with the extent that the server gives it; a server that gives none is not guessed for.
 */
import type { JsonObject } from "../../base/json.js";
import { Refusal } from "../../base/problem.js";
import type { Lines } from "../../base/text.js";
import type { TextChange } from "../../workspace/edits/types.js";
import type { CallState } from "../call-state.js";
import { toSpan } from "../convert.js";
import { symbolsIn } from "../find-symbol.js";
import { isBefore } from "../symbols.js";
import type { Target } from "../target.js";
import { Draft } from "./draft.js";
import { type Extent, exactExtent } from "./offsets.js";
import { EditTexts } from "./texts.js";

type Write = (lines: Lines, extent: Extent, text: string) => TextChange;

/** The whole declaration gives way to the text. */
export const replaceSymbol = (call: CallState, args: JsonObject) => editSymbol(call, args, replaced);
/** The text stands on lines of its own before the declaration. */
export const insertBeforeSymbol = (call: CallState, args: JsonObject) => editSymbol(call, args, before);
/** The text stands on lines of its own after the declaration. */
export const insertAfterSymbol = (call: CallState, args: JsonObject) => editSymbol(call, args, after);

async function editSymbol(call: CallState, args: JsonObject, write: Write): Promise<Draft> {
  const { target } = call.evidence;
  if (target === undefined) throw new Refusal("point/incomplete", "This tool needs a symbol.");
  const draft = new Draft();
  const extent = await declarationAt(call, target);
  const { lines, hash } = await new EditTexts(call, undefined, call.since).of(target.admitted, null);
  if (hash !== target.document.hash)
    throw new Refusal("edit/changed", `${target.admitted.shown} changed while the server was asked.`);
  const change = write(lines, extent, String(args.text ?? ""));
  draft.changes.push({ kind: "edit", path: target.admitted.path, sha256: hash, changes: [change] });
  return draft;
}

/** The extent of the declaration whose name stands at the target's place. */
async function declarationAt(call: CallState, target: Target): Promise<Extent> {
  const { place, document } = target;
  if (place === undefined) throw new Refusal("point/incomplete", "This tool needs a symbol or a position.");
  const symbols = await symbolsIn(call, target);
  const named = symbols.filter(({ selection, server }) => {
    if (selection === undefined) return false;
    const { start, end } = toSpan(document.lines, selection, server.encoding, "utf-16");
    return !isBefore(place, start) && !isBefore(end, place);
  });
  const extents = named.flatMap(({ range, server }) => {
    const extent = range && exactExtent(document.lines, range, server.encoding);
    return extent === undefined ? [] : [extent];
  });
  // A constructor may have the name of its class as its own: the inner one is meant.
  const inner = extents.reduce<Extent | undefined>(
    (best, extent) =>
      best === undefined || extent.end - extent.start < best.end - best.start ? extent : best,
    undefined,
  );
  if (inner !== undefined) return inner;
  const isFlat = symbols.length > 0 && symbols.every(({ selection }) => selection === undefined);
  throw isFlat
    ? new Refusal("lsp/not-supported", "The server does not tell where declarations begin and end.")
    : new Refusal("point/no-symbol", "No declaration has its name at this position.");
}

function replaced(lines: Lines, { start, end }: Extent, text: string): TextChange {
  const indent = indentBefore(lines.text, start);
  const body = text.replace(/(\r\n|\r|\n)$/, "");
  const isIndented = indent !== undefined && indent !== "" && body.startsWith(indent);
  return { start, end, newText: isIndented ? body.slice(indent.length) : body };
}

function before(lines: Lines, { start }: Extent, text: string): TextChange {
  const indent = indentBefore(lines.text, start);
  const at = indent === undefined ? start : start - indent.length;
  return { start: at, end: at, newText: onLines(text) };
}

function after(lines: Lines, { end }: Extent, text: string): TextChange {
  const rest = /^[ \t;,]*(\r\n|\r|\n|$)/.exec(lines.text.slice(end));
  const at = rest === null ? end : end + rest[0].length;
  const isOwnLine = rest !== null && rest[1] !== "";
  return {
    start: at,
    end: at,
    newText: isOwnLine ? onLines(text) : `\n${text.replace(/(\r\n|\r|\n)$/, "")}`,
  };
}

/** The white space from the line's start to an offset; undefined when something else stands there. */
function indentBefore(text: string, offset: number): string | undefined {
  return /(?:^|[\r\n])([ \t]*)$/.exec(text.slice(0, offset))?.[1];
}

function onLines(text: string): string {
  return /[\r\n]$/.test(text) ? text : `${text}\n`;
}
