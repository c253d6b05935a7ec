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
      "The argument's type. `path`, `uri`, `position`, `range`, `symbol` and `item` are places: each is checked against the roots. `item` is an item of an earlier answer. `file_edits` are edits and operations in the form of previews; `text_edits` are LSP's, by file; `document_changes` LSP's with operations, in order.",
    ),
  default: optional(json, "Makes the argument optional."),
  required: optional(z.boolean(), "`false` makes it optional without a default."),
  enum: optional(
    z.array(z.union([z.string(), z.number()])).min(1),
    sequence("The only values: strings, or numbers for numbers."),
  ),
  min_length: optional(z.int().min(0), "For strings."),
  max_length: optional(positive, "For strings."),
  pattern: optional(
    nonEmpty.max(200),
    "For strings: a regular expression without backreferences, lookaround or nested repetition. Needs `max_length`.",
  ),
  format: optional(
    z.enum(["date", "date-time", "email", "uuid"]),
    "For strings: a format of JSON Schema. It is checked.",
  ),
  minimum: optional(z.number(), "For numbers."),
  maximum: optional(z.number(), "For numbers."),
  beyond: optional(
    outOfBounds,
    "What happens to numbers outside these bounds: refused, or clamped with a warning; refused when absent.",
  ),
  min_items: optional(z.int().min(0), "For lists."),
  max_items: optional(positive.max(10_000), "For lists; 1000 when absent, 100 for places."),
  exists: optional(
    z.union([z.boolean(), z.literal("any")]),
    "For `path` and `uri`: whether there must be (`true`), must not be (`false`) or may be (`any`) a file or folder; `true` when absent.",
  ),
  of: optional(
    z.literal("document"),
    "For `position` and `range`: in the file that the call points at, instead of a file of its own.",
  ),
  target: optional(
    z.boolean(),
    "The call points at this place: it determines the servers and the `params` bases.",
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
  items: optional(part, "For lists: the argument that each item is."),
  properties: optional(
    z.record(argName, part),
    "For objects: the members, each an argument. Others are refused.",
  ),
});

/** A part of an argument: an item of a list or a member of an object. */
const partSchema: z.ZodType<ArgConfig> = z.strictObject({
  ...keys,
  ...parts(),
  description: optional(nonEmpty, "What an agent reads."),
});

export const argSchema: z.ZodType<ArgConfig> = z.strictObject({
  ...keys,
  ...parts(),
  no_effect: optional(z.boolean(), "Clients of an older tool send it, and nothing refers to it."),
  description: nonEmpty.describe("What an agent reads."),
});

/** Another name or description of an argument that points, for one tool. */
export const pointingSchema = z.strictObject({
  name: optional(argName, "Its name in this tool."),
  description: optional(nonEmpty.max(400), "What an agent reads."),
});
