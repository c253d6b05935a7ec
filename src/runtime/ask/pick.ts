/**
 * Picks members of an item. Places are converted: a file must be inside the roots, positions get the dialect's form.
 */
import type { Picked } from "../../abi/handler.js";
import { define, getAt, isTable, type Json, type JsonObject } from "../../base/json.js";
import type { LanguageServer } from "../../lsp/types.js";
import { kindWord } from "../../protocol/kinds.js";
import type { CallState } from "../call-state.js";
import { withoutOutside } from "../shapes/texts.js";
import { isPosition, isRange, locationIn, markupText, type ReplyPart } from "./candidates.js";
import { countOf } from "./counts.js";

/** The members of an item; undefined when a file that it names is outside the roots. A missing value has no member. */
export async function pickMembers(
  call: CallState,
  { server, value: item }: ReplyPart,
  pick: { [member: string]: Picked },
): Promise<JsonObject | undefined> {
  const file = Object.values(pick).find(({ as }) => as === "path");
  const own = file && getAt(item, file.at);
  const uri = typeof own === "string" ? own : call.evidence.document?.admitted.uri;
  const out: JsonObject = {};
  for (const [name, { at, as, outside }] of Object.entries(pick)) {
    const value = getAt(item, at);
    const shown =
      as === "count"
        ? (countOf(call, item, value, outside) ?? 0)
        : await converted(call, server, value, as, uri);
    if (shown === null) {
      call.evidence.drop([as ?? "", value ?? null]);
      return undefined;
    }
    if (shown !== undefined) define(out, name, shown);
  }
  return out;
}

/** A value in its form: undefined when there is none of that form, null when it is outside the roots. */
async function converted(
  call: CallState,
  server: LanguageServer | undefined,
  value: unknown,
  as: Picked["as"],
  uri: string | undefined,
): Promise<Json | null | undefined> {
  const { places } = call;
  switch (as) {
    case "path": {
      if (typeof value !== "string") return undefined;
      const admitted = places.show(value);
      return admitted === undefined ? null : Object.values(places.document(admitted))[0];
    }
    case "location": {
      const location = locationIn(isTable(value) && isTable(value.location) ? value.location : value);
      if (location === undefined || server === undefined) return undefined;
      const admitted = places.show(location.uri);
      if (admitted === undefined) return null;
      return { ...places.document(admitted), ...(await places.span(server, location.uri, location.range)) };
    }
    case "range":
      if (!isRange(value) || server === undefined || uri === undefined) return undefined;
      return places.rangeValue(await places.lines(server, uri), server, value);
    case "position":
      if (!isPosition(value) || server === undefined || uri === undefined) return undefined;
      return places.pointValue(await places.lines(server, uri), server, value);
    case "kind":
      return typeof value === "number" ? kindWord(value) : undefined;
    case "text":
      return markupText(value);
    default:
      return value === undefined || value === null ? undefined : withoutOutside(value as Json, call);
  }
}
