/** How the surface is spelt. */
import * as z from "zod";
import { open } from "./found.js";
import { argName, beyond, template } from "./values.js";

const base01 = z.union([z.literal(0), z.literal(1)]);

/** The table `dialect`. */
export const dialect = z.strictObject({
  document: z
    .strictObject({
      field: argName.optional().describe("The argument's name."),
      form: z.enum(["path", "uri"]).optional().describe("Paths or `file:` URIs, in and out."),
    })
    .optional()
    .describe("How a file is named."),
  position: z
    .strictObject({
      form: z.enum(["flat", "object"]).optional().describe("Two arguments, or one object."),
      answers: z
        .enum(["flat", "object"])
        .optional()
        .describe("The same for places and ranges in answers; as `form` when absent."),
      line: argName.optional().describe("The line's name."),
      character: argName.optional().describe("The character's name."),
      line_base: base01.optional().describe("The first line's number."),
      character_base: base01.optional().describe("The first character's number."),
      unit: z
        .enum(["utf-8", "utf-16", "utf-32"])
        .optional()
        .describe("What one character is: a byte, a UTF-16 unit, or a code point."),
      fuzz: z
        .boolean()
        .optional()
        .describe(
          "Whether a place where nothing is may stand for one beside it, with a warning; true when absent.",
        ),
      missing: z
        .enum(["refuse", "first"])
        .optional()
        .describe("What a line or character that a call leaves out means; refused when absent."),
    })
    .optional()
    .describe("How a place is named."),
  symbol: z
    .strictObject({
      name: argName.optional().describe("The name argument's name."),
      kind: argName.optional().describe("The kind argument's name."),
      extent: z
        .enum(["from_name", "declaration"])
        .optional()
        .describe(
          "The range of a symbol in answers: from its name to its end, or its whole declaration with `selection_range` for the name.",
        ),
    })
    .optional()
    .describe("How a symbol is named."),
  query: argName.optional().describe("The search text's name."),
  listing: z
    .strictObject({
      size: argName.optional().describe("The name of the argument for a page's size."),
      cursor: argName.optional().describe("The name of the argument for a page's cursor."),
      most: z
        .union([z.literal(""), argName])
        .optional()
        .describe("The name of the argument that caps a list without pages; empty for none."),
      beyond: beyond
        .optional()
        .describe(
          "For numbers beyond their bounds: refused, or clamped with a warning; refused when absent.",
        ),
      refuse_past: z
        .int()
        .min(1)
        .max(500_000)
        .optional()
        .describe(
          "A listing with more items than this, or too large to keep for its pages, is refused. When absent, the first of its items are listed and the answer says so.",
        )
        .meta(open("least")),
    })
    .optional()
    .describe("How a page or a cap is asked for."),
  text: template
    .optional()
    .describe("How `content` reads where a tool has no `text`: a template's name, or a Handlebars text."),
  echo: argName.optional().describe("The member of an answer that gives the call's own arguments back."),
  members: z
    .record(z.string(), z.union([z.literal(""), argName]))
    .optional()
    .describe("A member's name in answers → its spelling; an empty spelling leaves it out."),
  errors: z
    .strictObject({
      form: z
        .enum(["result", "text", "protocol"])
        .optional()
        .describe("A tool result with `isError`, a plain text without it, or a JSON-RPC error."),
      text: template.optional().describe("A Handlebars text over `code`, `message`, `number` and `data`."),
      code: argName.optional().describe("The member of `error` that holds the code; `code` when absent."),
      message: argName
        .optional()
        .describe("A member of the answer that says the message again; none when absent."),
      number: argName
        .optional()
        .describe("A member of the answer that holds the number of `numbers`; none when absent."),
      codes: z
        .record(z.string(), z.string())
        .optional()
        .describe("Our code, a family of codes (`page`) or `*` → the code that is told."),
      messages: z
        .record(z.string(), z.string())
        .optional()
        .describe("Our code, a family or `*` → the message that is told."),
      numbers: z
        .record(z.string(), z.int())
        .optional()
        .describe("Our code, a family or `*` → the number of the JSON-RPC error."),
    })
    .optional()
    .describe("How a refusal is told."),
  warnings: z
    .strictObject({
      code: argName.optional().describe("The member that holds the code; `code` when absent."),
      codes: z
        .record(z.string(), z.string())
        .optional()
        .describe("Our code, a family or `*` → the code that is told."),
    })
    .optional()
    .describe("How a remark beside an answer is told."),
  result: z.enum(["structured", "text", "both"]).optional().describe("What the client really reads."),
  output_schemas: z.boolean().optional().describe("Whether `tools/list` carries output schemas."),
});
