/** Keys of a step that filter, reshape and sort its list, and that say when the step runs; the members of an answer. */
import * as z from "zod";
import { argName, json, jsonPointer, optional, positive, sequence, stepId } from "./values.js";

const argument = z.strictObject({ from: z.string().describe("An argument: `input.NAME`.") });

const condition = z.strictObject({
  at: jsonPointer.describe("JSON Pointer into an item."),
  is: optional(json, "The value equals this: a text, a number, a boolean, or a reference to an argument."),
  in: optional(json, "The value is one of these: a list, or a reference to an argument."),
  exists: optional(z.boolean(), "Whether there is a value, which is not null."),
  more_than: optional(json, "The number, or the number of items of the list, is larger."),
  less_than: optional(json, "The number, or the number of items of the list, is smaller."),
  outside: optional(
    jsonPointer,
    "For `more_than` and `less_than`: counts only locations outside the place at this pointer.",
  ),
});

const picked = z.union([
  jsonPointer,
  z.strictObject({
    at: jsonPointer.describe("JSON Pointer into an item."),
    as: optional(
      z.enum(["path", "range", "position", "location", "kind", "text", "count"]),
      "Converts the value: `path` a URI, `range`, `position` and `location` places, `kind` the number of a symbol's kind, `text` markup, `count` a list.",
    ),
    outside: optional(jsonPointer, "For `count`: counts only locations outside the place at this pointer."),
  }),
]);

/** A number of items, or the argument that gives it. */
const most = z.union([z.int().min(1).max(20_000), argument]);

/** Keys of steps that give a list. */
export const listKeys = {
  items: optional(jsonPointer, "JSON Pointer to the list in the reply."),
  flatten: optional(jsonPointer, "JSON Pointer to the list of children of an item, which become items too."),
  where: optional(z.array(condition).min(1).max(16), sequence("Only items for which all of these hold.")),
  pick: optional(
    z.record(argName, picked),
    "The members of each item: a JSON Pointer, or `{ at, as }`, by their names.",
  ),
  sort: optional(
    z
      .array(z.string().regex(/^-?(\/.*)?$/, "a JSON Pointer, after `-` for descending order"))
      .min(1)
      .max(8),
    sequence("JSON Pointers to sort by; `-` before one for descending order."),
  ),
  limit: optional(most, "How many items are kept at the most: a number, or a reference to an argument."),
};

/** Keys that say when a step runs, and what takes its place. */
export const wayKeys = {
  when: optional(
    z.strictObject({
      capability: optional(z.string(), "A method that a server of the call must offer."),
      command: optional(z.string(), "A command that a server of the call must offer."),
      argument: optional(argName, "An argument that the call must give."),
      is: optional(json, "For `argument`: the value that it must have."),
    }),
    "The step is skipped unless all of these hold.",
  ),
  or_else: optional(
    stepId,
    "The step that runs when this one is empty, skipped, not offered or failed. It does not run otherwise.",
  ),
};

/** Members of an answer that has several shapes side by side. */
export const memberKeys = {
  members: optional(
    z.record(
      argName,
      z.strictObject({
        step: stepId.describe("The step whose value it is."),
        shape: z.string().describe("Its shape, or `count` for the number of items."),
        at: optional(jsonPointer, "For `text` and `json`: JSON Pointer into the value."),
        language: optional(z.string(), "For `text`: the language."),
        snippet: optional(z.boolean(), "For `locations`: whether the source line of each is shown."),
        max_items: optional(positive.max(20_000), "Items at the most; 20 when absent."),
      }),
    ),
    "For the shape `members`: the members of the answer, each with its step and shape.",
  ),
  columns: optional(
    z.array(argName).min(1),
    sequence("For `items` and `members`: the order of the members; the others follow by name."),
  ),
};
