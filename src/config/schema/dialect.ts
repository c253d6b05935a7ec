/** The table `dialect`: the names and forms of arguments and answers. */
import * as z from "zod";
import { argName, jsonTable, optional, outOfBounds, stringMap, template, unlimited } from "./values.js";

const base01 = z.union([z.literal(0), z.literal(1)]);

export const dialect = z.strictObject({
  document: optional(
    z.strictObject({
      field: optional(argName, "The argument's name."),
      form: optional(z.enum(["path", "uri"]), "Paths or `file:` URIs, in and out."),
    }),
    "How a file is given.",
  ),
  position: optional(
    z.strictObject({
      form: optional(z.enum(["flat", "object"]), "Two arguments, or one object."),
      answers: optional(z.enum(["flat", "object"]), "The same in answers; as `form` when absent."),
      line: optional(argName, "The line's name."),
      character: optional(argName, "The character's name."),
      line_base: optional(base01, "The first line's number."),
      character_base: optional(base01, "The first character's number."),
      unit: optional(
        z.enum(["utf-8", "utf-16", "utf-32"]),
        "One character: byte, UTF-16 unit or code point.",
      ),
      fuzz: optional(
        z.boolean(),
        "Whether a position without a symbol may be moved to one beside it, with a warning; true when absent.",
      ),
      used: optional(
        argName,
        "A member of answers with the position that was asked about, zero-based in UTF-16 units, for tools that take a position.",
      ),
      missing: optional(z.enum(["refuse", "first"]), "What a missing line or character means."),
    }),
    "How a position is given.",
  ),
  symbol: optional(
    z.strictObject({
      name: optional(argName, "The name argument's name."),
      kind: optional(argName, "The kind argument's name."),
      extent: optional(
        z.enum(["from_name", "declaration"]),
        "The range of a symbol in answers: from its name to its end, or its whole declaration with `selection_range` for the name.",
      ),
    }),
    "How a symbol is given.",
  ),
  query: optional(argName, "The search text's name."),
  listing: optional(
    z.strictObject({
      size: optional(argName, "The name of the argument for a page's size."),
      cursor: optional(argName, "The name of the argument for a page's cursor."),
      most: optional(
        z.union([z.literal(""), argName]),
        "The name of the argument that limits a list without pages; empty for none.",
      ),
      beyond: optional(
        outOfBounds,
        "What happens to numbers outside their bounds: refused, or clamped with a warning; refused when absent.",
      ),
      refuse_past: optional(
        z.int().min(1).max(500_000),
        "A list with more items than this, or too large to keep for its pages, is refused. When absent, its first items are listed and the answer says so.",
        unlimited("at_most"),
      ),
    }),
    "The arguments for pages and limits of lists.",
  ),
  text: optional(template, "The `content` of tools without `text`: a template's name, or a Handlebars text."),
  echo: optional(argName, "The member of an answer that repeats the call's arguments."),
  members: optional(
    z.record(z.string(), z.union([z.literal(""), argName])),
    "A member's name in answers → its name here; an empty name leaves it out.",
  ),
  items: optional(
    z.record(argName, jsonTable),
    "The form of items by shape, or by the name in a tool's `output.item`: a member's name → a JSON Pointer into the item, `{ at, as, each }`, or a table of members.",
  ),
  answers: optional(
    z.record(argName, jsonTable),
    "Further members of answers by shape, in the same form; the pointers lead into the answer.",
  ),
  errors: optional(
    z.strictObject({
      form: optional(
        z.enum(["result", "text", "protocol"]),
        "A tool result with `isError`, a plain text without it, or a JSON-RPC error.",
      ),
      text: optional(template, "A Handlebars text over `code`, `message`, `number` and `data`."),
      code: optional(argName, "The member of `error` that holds the code; `code` when absent."),
      message: optional(argName, "A member of the answer that repeats the message; none when absent."),
      number: optional(argName, "A member of the answer with the number of `numbers`; none when absent."),
      codes: optional(stringMap, "Our code, a family (`page`) or `*` → the code in the answer."),
      messages: optional(stringMap, "Our code, a family or `*` → the message in the answer."),
      numbers: optional(z.record(z.string(), z.int()), "Our code, a family or `*` → the JSON-RPC number."),
    }),
    "The form of a refusal.",
  ),
  warnings: optional(
    z.strictObject({
      code: optional(argName, "The member that holds the code; `code` when absent."),
      codes: optional(stringMap, "Our code, a family or `*` → the code in the answer."),
    }),
    "The form of a warning in an answer.",
  ),
  result: optional(z.enum(["structured", "text", "both"]), "What the client reads."),
  output_schemas: optional(z.boolean(), "Whether `tools/list` carries output schemas."),
});
