/**
 * A declaration replaced, or a text put before or after it. The declaration is the one whose name the call points at,
 * with the extent that the server gives it; a server that gives none is not guessed for.
 */
import type { JsonObject } from "../../base/json.js";
import { sortBy } from "../../base/order.js";
import { Refusal } from "../../base/problem.js";
import type { Lines } from "../../base/text.js";
import type { TextChange } from "../../workspace/edits/types.js";
import { toSpan } from "../answer/places.js";
import type { CallState } from "../call-state.js";
import { symbolsIn } from "../point/find-symbol.js";
import { type FoundSymbol, isBefore } from "../point/symbols.js";
import type { Target } from "../point/target.js";
import { Draft } from "./draft.js";
import { exactExtent } from "./offsets.js";
import { after, before, type Declaration, replaced } from "./standing.js";
import { EditTexts } from "./texts.js";

type Write = (lines: Lines, declaration: Declaration, text: string) => TextChange;

const enumMember = "enum_member";

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
  const declaration = await declarationAt(call, target);
  const { lines, hash } = await new EditTexts(call, undefined, call.since).of(target.admitted, null);
  if (hash !== target.document.hash)
    throw new Refusal("edit/changed", `${target.admitted.shown} changed while the server was asked.`);
  const change = write(lines, declaration, String(args.text ?? ""));
  draft.changes.push({ kind: "edit", path: target.admitted.path, sha256: hash, changes: [change] });
  return draft;
}

/** The declaration whose name stands at the target's place. */
async function declarationAt(call: CallState, target: Target): Promise<Declaration> {
  const { place, document } = target;
  if (place === undefined) throw new Refusal("point/incomplete", "This tool needs a symbol or a position.");
  const symbols = await symbolsIn(call, target);
  const isMeant = ({ what: { selection }, server }: FoundSymbol) => {
    if (selection === undefined) return false;
    const { start, end } = toSpan(document.lines, selection, server.encoding, "utf-16");
    return !isBefore(place, start) && !isBefore(end, place);
  };
  const declared = symbols.filter(isMeant).flatMap(({ range, what: { selection, kind }, server }) => {
    const extent = range && exactExtent(document.lines, range, server.encoding);
    const name = selection && exactExtent(document.lines, selection, server.encoding);
    return extent === undefined || name === undefined ? [] : [{ extent, name, kind }];
  });
  // A constructor may have the name of its class as its own: the inner one is meant.
  const [inner] = sortBy(declared, ({ extent }) => [extent.end - extent.start]);
  if (inner !== undefined) {
    const others = symbols.filter((symbol) => !isMeant(symbol));
    const taken = new Set(
      others.flatMap(({ what: { selection } }) => (selection ? [selection.start.line] : [])),
    );
    const { extent, name, kind } = inner;
    return { extent, name, isEnumMember: kind === enumMember, taken };
  }
  const isFlat = symbols.length > 0 && symbols.every(({ what }) => what.selection === undefined);
  throw isFlat
    ? new Refusal("lsp/not-supported", "The server does not tell where declarations begin and end.")
    : new Refusal("point/no-symbol", "No declaration has its name at this position.");
}
