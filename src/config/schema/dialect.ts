/** How the surface is spelt. */
import * as z from "zod";
import { unlimited } from "./discovered-rules.js";
import { argName, optional, outOfBounds, template } from "./values.js";

const base01 = z.union([z.literal(0), z.literal(1)]);

/** The table `dialect`. */
export const dialect = z.strictObject({
  document: optional(
    z.strictObject({
      field: optional(argName, "The argument's name."),
      form: optional(z.enum(["path", "uri"]), "Paths or `file:` URIs, in and out."),
    }),
    "How a file is named.",
  ),
  position: optional(
    z.strictObject({
      form: optional(z.enum(["flat", "object"]), "Two arguments, or one object."),
      answers: optional(
        z.enum(["flat", "object"]),
        "The same for places and ranges in answers; as `form` when absent.",
      ),
      line: optional(argName, "The line's name."),
      character: optional(argName, "The character's name."),
      line_base: optional(base01, "The first line's number."),
      character_base: optional(base01, "The first character's number."),
      unit: optional(
        z.enum(["utf-8", "utf-16", "utf-32"]),
        "What one character is: a byte, a UTF-16 unit, or a code point.",
      ),
      fuzz: optional(
        z.boolean(),
        "Whether a place where nothing is may stand for one beside it, with a warning; true when absent.",
      ),
      missing: optional(
        z.enum(["refuse", "first"]),
        "What a line or character that a call leaves out means; refused when absent.",
      ),
    }),
    "How a place is named.",
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
    "How a symbol is named.",
  ),
  query: optional(argName, "The search text's name."),
  listing: optional(
    z.strictObject({
      size: optional(argName, "The name of the argument for a page's size."),
      cursor: optional(argName, "The name of the argument for a page's cursor."),
      most: optional(
        z.union([z.literal(""), argName]),
        "The name of the argument that caps a list without pages; empty for none.",
      ),
      beyond: optional(
        outOfBounds,
        "For numbers beyond their bounds: refused, or clamped with a warning; refused when absent.",
      ),
      refuse_past: optional(
        z.int().min(1).max(500_000),
        "A listing with more items than this, or too large to keep for its pages, is refused. When absent, the first of its items are listed and the answer says so.",
        unlimited("at_most"),
      ),
    }),
    "How a page or a cap is asked for.",
  ),
  text: optional(
    template,
    "How `content` reads where a tool has no `text`: a template's name, or a Handlebars text.",
  ),
  echo: optional(argName, "The member of an answer that gives the call's own arguments back."),
  members: optional(
    z.record(z.string(), z.union([z.literal(""), argName])),
    "A member's name in answers → its spelling; an empty spelling leaves it out.",
  ),
  errors: optional(
    z.strictObject({
      form: optional(
        z.enum(["result", "text", "protocol"]),
        "A tool result with `isError`, a plain text without it, or a JSON-RPC error.",
      ),
      text: optional(template, "A Handlebars text over `code`, `message`, `number` and `data`."),
      code: optional(argName, "The member of `error` that holds the code; `code` when absent."),
      message: optional(argName, "A member of the answer that says the message again; none when absent."),
      number: optional(
        argName,
        "A member of the answer that holds the number of `numbers`; none when absent.",
      ),
      codes: optional(
        z.record(z.string(), z.string()),
        "Our code, a family of codes (`page`) or `*` → the code that is told.",
      ),
      messages: optional(
        z.record(z.string(), z.string()),
        "Our code, a family or `*` → the message that is told.",
      ),
      numbers: optional(
        z.record(z.string(), z.int()),
        "Our code, a family or `*` → the number of the JSON-RPC error.",
      ),
    }),
    "How a refusal is told.",
  ),
  warnings: optional(
    z.strictObject({
      code: optional(argName, "The member that holds the code; `code` when absent."),
      codes: optional(z.record(z.string(), z.string()), "Our code, a family or `*` → the code that is told."),
    }),
    "How a remark beside an answer is told.",
  ),
  result: optional(z.enum(["structured", "text", "both"]), "What the client really reads."),
  output_schemas: optional(z.boolean(), "Whether `tools/list` carries output schemas."),
});
