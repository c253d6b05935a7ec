/** Picks one action of a list by its id. */
import type { Json, JsonObject } from "../../base/json.js";
import { getAt } from "../../base/pointer.js";
import { Refusal } from "../../base/problem.js";
import type { CallState } from "../call-state.js";
import { identifiedActions } from "../shapes/code-actions.js";
import type { ReplyData } from "./candidates.js";

const mostShown = 30;

/** No action is chosen yet: the answer is the list to choose from. */
export class Choices extends Error {
  constructor(readonly actions: JsonObject[]) {
    super("an action is to be chosen");
    this.name = "Choices";
  }
}

/** A reply with only the chosen action, still bound to its server. */
export async function choose(
  call: CallState,
  reply: ReplyData,
  path: string[],
  id: Json | undefined,
): Promise<ReplyData> {
  const parts =
    path.length === 0
      ? reply.parts
      : reply.parts.map((part) => ({ ...part, value: getAt(part.value, path) }));
  const actions = await identifiedActions({ ...reply, parts }, call);
  if (id === undefined) throw new Choices(actions.map(({ item }) => item));
  const found = actions.find(({ item }) => item.id === id);
  if (found === undefined)
    throw new Refusal(
      "edit/no-action",
      actions.length === 0
        ? "The servers offer no action here."
        : "None of the actions on offer has that id.",
      {
        data: { actions: actions.slice(0, mostShown).map(({ item }) => short(item)), total: actions.length },
      },
    );
  if (found.item.disabled !== undefined)
    throw new Refusal("edit/no-action", `The action is disabled: ${String(found.item.disabled)}.`);
  return { parts: [{ server: found.server, value: found.entry }], perItem: false };
}

function short({ id, title, kind }: JsonObject): JsonObject {
  return { id: id ?? null, title: title ?? null, ...(kind === undefined ? {} : { kind }) };
}
