/** Links in a file. A link to a file outside the roots is dropped; one that was not resolved has no target. */
import { isAbsolute, win32 } from "node:path";
import type { JsonObject } from "../../base/json.js";
import { fileUri } from "../../base/paths.js";
import { redact } from "../../lsp/wire/redact.js";
import { fileOf, rangeText, table, textOf } from "../answer/answer-text.js";
import { garbled, isRange } from "../ask/candidates.js";
import type { CallState } from "../call-state.js";
import { documentItems } from "./in-document.js";
import type { Shape } from "./shape.js";

const what = "a list of links";

/** The shape `links`. */
export const links: Shape = {
  nouns: ["link", "links"],
  normalize: (reply, call) =>
    documentItems(reply, call, what, async (entry, server, uri) => {
      if (!isRange(entry.range)) throw garbled(server, what);
      const span = await call.places.span(server, uri, entry.range);
      const target = targetOf(call, entry.target);
      if (target === undefined) call.evidence.drop({ span, target: entry.target });
      if (target === undefined) return undefined;
      const item: JsonObject = { ...span, ...target };
      if (typeof entry.tooltip === "string") item.tooltip = entry.tooltip;
      return item;
    }),
  text: (items, _beside, dialect) =>
    items.map((item) => {
      const { url, fragment, tooltip } = table(item);
      const place = fragment === undefined ? "" : `#${textOf(fragment)}`;
      const target = `${fileOf(item, dialect)}${textOf(url)}${place}` || "(not resolved)";
      return `${rangeText(item, dialect)}  ${target}  ${textOf(tooltip)}`.trimEnd();
    }),
};

/** The members that name a link's target; undefined when it is outside the roots. */
function targetOf(call: CallState, target: unknown): JsonObject | undefined {
  if (typeof target !== "string" || target === "") return {};
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(target)?.[1]?.toLowerCase();
  if (scheme !== "file" && !isPath(target)) return isPublic(scheme, target) ? { url: target } : undefined;
  const mark = target.indexOf("#");
  const named = mark < 0 ? target : target.slice(0, mark);
  const admitted = call.places.show(scheme === "file" ? named : fileUri(named));
  if (admitted === undefined) return undefined;
  const file = call.places.document(admitted);
  return mark < 0 ? file : { ...file, fragment: target.slice(mark + 1) };
}

/** Whether a server gave a bare path instead of a URI. */
function isPath(target: string): boolean {
  return isAbsolute(target) || win32.isAbsolute(target);
}

/** Web addresses are part of the document; URIs of other schemes may contain paths of this machine. */
function isPublic(scheme: string | undefined, target: string): boolean {
  return scheme === undefined || /^(?:https?|mailto)$/.test(scheme) || redact(target, []) === target;
}
