/** Keys of a step that filter, reshape and sort its list, and that say when the step runs; the members of an answer. */
import * as z from "zod";
import { argName, json, jsonPointer, optional, positive, sequence, stepId } from "./values.js";

const argument = z.strictObject({
  from: z.string().describe("The argument that gives the number: `input.NAME`."),
});

const condition = z.strictObject({
  at: jsonPointer.describe("JSON Pointer to the value in an item."),
  is: optional(json, "The value equals this: a text, a number, a boolean, or a reference to an argument."),
  in: optional(json, "The value is one of these: a list, or a reference to an argument."),
  exists: optional(z.boolean(), "Whether the item must have a value there that is not null."),
  more_than: optional(json, "The number there, or the number of items of the list, is larger than this."),
  less_than: optional(json, "The number there, or the number of items of the list, is smaller than this."),
  outside: optional(
    jsonPointer,
    "For `more_than` and `less_than`: counts only locations outside the place at this pointer.",
  ),
});

const picked = z.union([
  jsonPointer,
  z.strictObject({
    at: jsonPointer.describe("JSON Pointer to the value in an item."),
    as: optional(
      z.enum(["path", "range", "position", "location", "kind", "text", "count"]),
      "Converts the value: a URI to a `path`; places to a `range`, `position` or `location`; the number of a symbol's kind to its name (`kind`); markup to `text`; a list to its `count`.",
    ),
    outside: optional(jsonPointer, "For `count`: counts only locations outside the place at this pointer."),
  }),
]);

/** A number of items, or the argument that gives it. */
const most = z.union([z.int().min(1).max(20_000), argument]);

/** Keys of steps that give a list. */
export const listKeys = {
  items: optional(jsonPointer, "JSON Pointer to the list in the reply; empty for the reply itself."),
  flatten: optional(
    jsonPointer,
    "JSON Pointer in an item to the list of its children, which become items too.",
  ),
  where: optional(
    z.array(condition).min(1).max(16),
    sequence("Keeps only items for which all of these hold."),
  ),
  pick: optional(
    z.record(argName, picked),
    "Makes a new item with these members. Each is a JSON Pointer into the old item, or `{ at, as }`.",
  ),
  sort: optional(
    z
      .array(z.string().regex(/^-?(\/.*)?$/, "a JSON Pointer, after `-` for descending order"))
      .min(1)
      .max(8),
    sequence("Sorts the items by these JSON Pointers; `-` before one means descending order."),
  ),
  limit: optional(
    most,
    "The maximum number of items that are kept: a number, or a reference to an argument.",
  ),
};

/** Keys that say when a step runs, and what takes its place. */
export const skipKeys = {
  when: optional(
    z.strictObject({
      capability: optional(z.string(), "A method that a server of the call must offer."),
      command: optional(z.string(), "A command that a server of the call must offer."),
      argument: optional(argName, "An argument that the call must give."),
      is: optional(json, "For `argument`: the value that it must have."),
    }),
    "Conditions of the step. It is skipped unless all of them hold.",
  ),
  or_else: optional(
    stepId,
    "A later step that runs in place of this one, if this one is skipped, not offered, fails or finds nothing.",
  ),
};

/** Members of an answer that has several shapes side by side. */
export const memberKeys = {
  members: optional(
    z.record(
      argName,
      z.strictObject({
        step: stepId.describe("The step whose value the member is."),
        shape: z.string().describe("The shape of the member, or `count` for the number of items."),
        at: optional(jsonPointer, "For `text` and `json`: JSON Pointer into the value of the step."),
        language: optional(z.string(), "For `text`: the language of the text."),
        snippet: optional(z.boolean(), "For `locations`: whether each has its source line."),
        max_items: optional(positive.max(20_000), "The maximum number of items of the member."),
      }),
    ),
    "For the shape `members`: the members of the answer, by name. Each has its step and shape.",
  ),
  columns: optional(
    z.array(argName).min(1),
    sequence("For the shapes `items` and `members`: the order of the members. The others follow by name."),
  ),
};
