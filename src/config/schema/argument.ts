/** An argument of a tool (`args`), with the arguments inside lists and objects. */
import * as z from "zod";
import { argName, json, nonEmpty, optional, outOfBounds, positive, sequence } from "./values.js";

/** The keys of an argument, without the two that hold other arguments. */
const keys = {
  type: z
    .enum([
      "string",
      "integer",
      "number",
      "boolean",
      "list",
      "object",
      "path",
      "uri",
      "position",
      "range",
      "symbol",
      "item",
      "string_list",
      "string_map",
      "file_edits",
      "text_edits",
      "document_changes",
    ])
    .describe(
      "The type of the argument. `path`, `uri`, `position`, `range`, `symbol` and `item` are places: each is checked against the roots. `item` is an item of an earlier answer. `file_edits` are edits and operations in the form of previews; `text_edits` are LSP's, by file; `document_changes` LSP's with operations, in order.",
    ),
  default: optional(json, "The value that a call without the argument has. It makes the argument optional."),
  required: optional(z.boolean(), "`false` makes the argument optional without a default."),
  enum: optional(
    z.array(z.union([z.string(), z.number()])).min(1),
    sequence("The only values that the argument takes: strings, or numbers for a number."),
  ),
  min_length: optional(z.int().min(0), "For strings: the minimum number of characters."),
  max_length: optional(positive, "For strings: the maximum number of characters."),
  pattern: optional(
    nonEmpty.max(200),
    "For strings: a regular expression that the text must match. It has no backreferences, lookaround or nested repetition, and needs `max_length`.",
  ),
  format: optional(
    z.enum(["date", "date-time", "email", "uuid"]),
    "For strings: a format of JSON Schema that the text must have.",
  ),
  minimum: optional(z.number(), "For numbers: the smallest value."),
  maximum: optional(z.number(), "For numbers: the largest value."),
  beyond: optional(
    outOfBounds,
    "What happens to a number outside these bounds: the call is refused, or the nearest allowed number is used with a warning.",
  ),
  min_items: optional(z.int().min(0), "For lists: the minimum number of items."),
  max_items: optional(positive.max(10_000), "For lists: the maximum number of items."),
  exists: optional(
    z.union([z.boolean(), z.literal("any")]),
    "For `path` and `uri`: whether a file or folder must exist there (`true`), must not exist (`false`) or may exist (`any`).",
  ),
  of: optional(
    z.literal("document"),
    "For `position` and `range`: the place is in the file that the call points at, so the argument names no file.",
  ),
  target: optional(
    z.boolean(),
    "The call points at this place: it decides which servers are asked, and fills the parameter base.",
  ),
};

const flat = z.strictObject(keys);

/** An argument as a config writes it; `description` is only absent in parts of arguments. */
export interface ArgConfig extends z.infer<typeof flat> {
  description?: string | undefined;
  no_effect?: boolean | undefined;
  items?: ArgConfig | undefined;
  properties?: { [name: string]: ArgConfig } | undefined;
}

const part: z.ZodType<ArgConfig> = z
  .lazy(() => partSchema)
  .meta({ id: "part", description: "A part of an argument, with the keys of an argument." });

/** New schemas each time: one that two tables share would lose its description in the JSON Schema. */
const parts = () => ({
  items: optional(part, "For lists: what each item is, written like an argument."),
  properties: optional(
    z.record(argName, part),
    "For objects: the members, each written like an argument. Other members are refused.",
  ),
});

/** A part of an argument: an item of a list or a member of an object. */
const partSchema: z.ZodType<ArgConfig> = z.strictObject({
  ...keys,
  ...parts(),
  description: optional(nonEmpty, "What an agent reads about the argument."),
});

export const argSchema: z.ZodType<ArgConfig> = z.strictObject({
  ...keys,
  ...parts(),
  no_effect: optional(
    z.boolean(),
    "`true` for an argument that clients of an older tool send and that nothing refers to.",
  ),
  description: nonEmpty.describe("What an agent reads about the argument."),
});

/** Another name or description of an argument that points, for one tool. */
export const pointingSchema = z.strictObject({
  name: optional(argName, "The name of the argument in this tool."),
  description: optional(nonEmpty.max(400), "What an agent reads about the argument."),
});
