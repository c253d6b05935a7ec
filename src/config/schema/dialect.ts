/** The table `dialect`: the names and forms of arguments and answers. */
import * as z from "zod";
import { argName, jsonTable, optional, outOfBounds, stringMap, template, unlimited } from "./values.js";

const base01 = z.union([z.literal(0), z.literal(1)]);

export const dialect = z.strictObject({
  document: optional(
    z.strictObject({
      field: optional(argName, "The name of the argument for a file."),
      form: optional(z.enum(["path", "uri"]), "Whether arguments and answers have paths or `file:` URIs."),
    }),
    "How arguments and answers name a file.",
  ),
  position: optional(
    z.strictObject({
      form: optional(z.enum(["flat", "object"]), "Whether a position is two arguments or one object."),
      answers: optional(z.enum(["flat", "object"]), "The same as `form`, for answers."),
      line: optional(argName, "The name of the line."),
      character: optional(argName, "The name of the character."),
      line_base: optional(base01, "The number of the first line."),
      character_base: optional(base01, "The number of the first character."),
      unit: optional(
        z.enum(["utf-8", "utf-16", "utf-32"]),
        "The unit in which characters are counted: bytes, UTF-16 units or code points.",
      ),
      fuzz: optional(
        z.boolean(),
        "Whether a position next to a symbol counts as a position on it, with a warning.",
      ),
      used: optional(
        argName,
        "A member of answers with the position that was asked about, zero-based and in UTF-16 units. Only for tools that take a position.",
      ),
      missing: optional(
        z.enum(["refuse", "first"]),
        "What a call without a line or character means: it is refused, or it means the first one.",
      ),
    }),
    "How arguments and answers give a position.",
  ),
  symbol: optional(
    z.strictObject({
      name: optional(argName, "The name of the argument for a symbol's name."),
      kind: optional(argName, "The name of the argument for a symbol's kind."),
      extent: optional(
        z.enum(["from_name", "declaration"]),
        "The range of a symbol in answers: from its name to its end, or its whole declaration with `selection_range` for the name.",
      ),
    }),
    "How arguments and answers give a symbol.",
  ),
  query: optional(argName, "The name of the argument for the text of a search."),
  listing: optional(
    z.strictObject({
      size: optional(argName, "The name of the argument for the size of a page."),
      cursor: optional(argName, "The name of the argument for the cursor of the next page."),
      most: optional(
        z.union([z.literal(""), argName]),
        "The name of the argument that limits a list without pages; empty for none.",
      ),
      beyond: optional(
        outOfBounds,
        "What happens to a number outside its bounds: the call is refused, or the nearest allowed number is used with a warning.",
      ),
      refuse_past: optional(
        z.int().min(1).max(500_000),
        "A list with more items than this, or too large to store for paging, is refused.",
        unlimited("at_most"),
      ),
    }),
    "The arguments for pages and limits of lists.",
  ),
  text: optional(
    template,
    "The text of an answer, for tools without `text`: the name of a template in `templates/text/`, or a Handlebars text.",
  ),
  echo: optional(argName, "A member of answers that repeats the arguments of the call."),
  members: optional(
    z.record(z.string(), z.union([z.literal(""), argName])),
    "Other names for members of answers: our name → the new name. An empty name leaves the member out.",
  ),
  items: optional(
    z.record(argName, jsonTable),
    "The form of items, by shape or by the name in a tool's `output.item`. Each member is a JSON Pointer into the item, `{ at, as, each }`, or a table of members.",
  ),
  answers: optional(
    z.record(argName, jsonTable),
    "Further members of answers, by shape. They are written like `items`, with pointers into the answer.",
  ),
  errors: optional(
    z.strictObject({
      form: optional(
        z.enum(["result", "text", "protocol"]),
        "What a refusal is: a tool result with `isError`, a plain text without it, or a JSON-RPC error.",
      ),
      text: optional(
        template,
        "The text of a refusal: a Handlebars text over `code`, `message`, `number` and `data`.",
      ),
      code: optional(argName, "The member of `error` that holds the code."),
      message: optional(argName, "A member of the answer that repeats the message."),
      number: optional(argName, "A member of the answer that holds the number from `numbers`."),
      codes: optional(
        stringMap,
        "Other codes: our code, a family such as `page`, or `*` → the code in the answer.",
      ),
      messages: optional(stringMap, "Other messages: our code, a family or `*` → the message in the answer."),
      numbers: optional(
        z.record(z.string(), z.int()),
        "JSON-RPC numbers: our code, a family or `*` → the number.",
      ),
    }),
    "The form of a refused call in the answer.",
  ),
  warnings: optional(
    z.strictObject({
      code: optional(argName, "The member of a warning that holds the code."),
      codes: optional(stringMap, "Other codes: our code, a family or `*` → the code in the answer."),
    }),
    "The form of warnings in answers.",
  ),
  result: optional(
    z.enum(["structured", "text", "both"]),
    "What an answer has: structured content, text, or both.",
  ),
  output_schemas: optional(z.boolean(), "Whether `tools/list` has the output schema of each tool."),
});
