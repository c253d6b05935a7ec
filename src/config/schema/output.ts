/** The `output` of a tool: the shape of its answer, and what the answer has besides. */
import * as z from "zod";
import { memberKeys } from "./step-values.js";
import { argName, json, jsonPointer, optional } from "./values.js";

const snippet = z.strictObject({
  show: optional(json, "Whether each place has its source text: a boolean, or a reference to an argument."),
  context_lines: optional(
    json,
    "Lines before and after the place, 0 to 10: a number, or a reference to an argument.",
  ),
  max_chars: optional(
    json,
    "The maximum number of characters of the text, 40 to 4000: a number, or a reference to an argument.",
  ),
});

export const outputSchema = z.union([
  z.string(),
  z.strictObject({
    shape: z.string().describe("The shape of the answer, such as `locations`, `hover` or `json`."),
    at: optional(
      jsonPointer,
      "For the shapes `text` and `json`: JSON Pointer into the value of the last step.",
    ),
    language: optional(z.string(), "For the shape `text`: the language of the text."),
    apply: optional(
      z.enum(["never", "on_request"]),
      "For edits: whether they are only shown, or also applied when a call asks for it. `on_request` adds the arguments `dry_run`, `edit_token` and `expected_before_sha256`.",
    ),
    backups: optional(
      z.strictObject({
        create: optional(json, "Whether copies are made: a boolean, or a reference to an argument."),
        suffix: optional(json, "What the name of a copy ends with: a string, or a reference to an argument."),
      }),
      "For edits: copies each file next to itself before it is edited.",
    ),
    list: optional(argName, "Another name for the member that holds the items."),
    count: optional(argName, "A further member with the number of items that are shown."),
    symbols: optional(
      z.strictObject({
        list: argName.describe("The member that holds the groups, each with its `symbol` and its items."),
        count: optional(argName, "A further member with the number of symbols."),
      }),
      "Groups the items by symbol, for tools that point by a symbol's name only.",
    ),
    ids: optional(z.boolean(), "`true`: each item has an `id` that is made from its content."),
    outcomes: optional(
      z.enum(["word", "success", "applied"]),
      "How the result of an operation or an edit is written. For batches: `word` gives each operation `outcome` and `answer`; `success` gives it `success` and `result` or `error`. For edits: `applied` adds `applied`, and `failure_reason` if the edit is refused.",
    ),
    ...memberKeys,
    joined: optional(argName, "For hover: the name of a member that has all texts as one."),
    raw: optional(
      argName,
      "For hover: the name of a member that has LSP's form, instead of the list of texts.",
    ),
    item: optional(argName, "The name of a form in `dialect.items` that the items have."),
    marked: optional(
      z.boolean(),
      "For hover: `true` gives each text as `{ kind, value }`, sorted by kind and text.",
    ),
    snippet: optional(snippet, "For locations: the source text at each place."),
    filter: optional(
      z.strictObject({
        severity: optional(json, "For diagnostics: the lowest severity that is shown, `error` to `hint`."),
        depth: optional(json, "For the symbols of a file: how many levels are shown."),
        kinds: optional(
          json,
          "For the symbols of a file: the kinds that are shown, as a list or as one text with commas.",
        ),
        locals: optional(json, "For the symbols of a file: whether variables inside functions are shown."),
        imports: optional(json, "For the symbols of a file: whether imported names are shown."),
        folder: optional(
          json,
          "For the symbols of the workspace: shows only those in this folder, a reference `input.NAME.absolute_path`.",
        ),
      }),
      "Leaves items out. Each filter is a value or a reference to an argument, and the answer has their number as `hidden`.",
    ),
    max_chars: optional(
      json,
      "The maximum number of characters of the answer, at most `mcp.output.max_total_chars_hard`: a number, or a reference to an argument.",
    ),
  }),
]);
