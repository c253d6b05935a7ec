/** Links in a file. One to a file outside the roots is dropped; one that nobody could resolve has no target. */
import { isAbsolute, win32 } from "node:path";
import { fileUri } from "../../base/file-uri.js";
import { isTable, type Json, type JsonObject } from "../../base/json.js";
import { redact } from "../../lsp/wire/redact.js";
import type { CallState } from "../call-state.js";
import { garbled, isRange } from "../lsp-values.js";
import { documentEntries } from "./in-document.js";
import { fileOf, rangeText, table, textOf } from "./rendered.js";
import type { Shape } from "./shape.js";

const what = "a list of links";

/** The shape `links`. */
export const links: Shape = {
  nouns: ["link", "links"],
  async normalize(reply, call) {
    const items: Json[] = [];
    for (const { server, uri, entry } of documentEntries(reply, call, what)) {
      if (!isTable(entry) || !isRange(entry.range)) throw garbled(server, what);
      const span = await call.places.span(server, uri, entry.range);
      const target = targetOf(call, entry.target);
      if (target === undefined) {
        call.evidence.drop({ span, target: entry.target });
        continue;
      }
      const item: JsonObject = { ...span, ...target };
      if (typeof entry.tooltip === "string") item.tooltip = entry.tooltip;
      items.push(item);
    }
    return { items, beside: {} };
  },
  text: (items, _beside, dialect) =>
    items.map((item) => {
      const { url, fragment, tooltip } = table(item);
      const place = fragment === undefined ? "" : `#${textOf(fragment)}`;
      const target = `${fileOf(item, dialect)}${textOf(url)}${place}` || "(not resolved)";
      return `${rangeText(item, dialect)}  ${target}  ${textOf(tooltip)}`.trimEnd();
    }),
};

/** The members that say where a link leads; undefined when that lies outside. */
function targetOf(call: CallState, target: unknown): JsonObject | undefined {
  if (typeof target !== "string" || target === "") return {};
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(target)?.[1]?.toLowerCase();
  if (scheme !== "file" && !isPath(target)) return mayTell(scheme, target) ? { url: target } : undefined;
  const mark = target.indexOf("#");
  const named = mark < 0 ? target : target.slice(0, mark);
  const admitted = call.places.show(scheme === "file" ? named : fileUri(named));
  if (admitted === undefined) return undefined;
  const file = call.places.document(admitted);
  return mark < 0 ? file : { ...file, fragment: target.slice(mark + 1) };
}

/** What should be a URI and is a bare path. */
function isPath(target: string): boolean {
  return isAbsolute(target) || win32.isAbsolute(target);
}

/** Addresses of the web are the document's own words; in those of programs, paths of this machine may stand. */
function mayTell(scheme: string | undefined, target: string): boolean {
  return scheme === undefined || /^(?:https?|mailto)$/.test(scheme) || redact(target, []) === target;
}
