/** A tool with its steps, and the methods outside the LSP specification that it may use. */
import * as z from "zod";
import {
  argName,
  effect,
  identifier,
  json,
  jsonTable,
  milliseconds,
  nonEmpty,
  optional,
  optionalSet,
  outOfBounds,
  positive,
  sequence,
  set,
  stepId,
  template,
  toolName,
} from "./values.js";

const arg = z.strictObject({
  type: z
    .enum(["string", "integer", "number", "boolean", "string_list", "string_map", "file_edits", "text_edits"])
    .describe(
      "The argument's type. `file_edits` are edits and operations as previews spell them; `text_edits` are LSP's, by file.",
    ),
  description: nonEmpty.describe("What an agent reads."),
  default: optional(json, "Makes the argument optional."),
  required: optional(z.boolean(), "`false` makes it optional without a default."),
  enum: optional(z.array(z.string()).min(1), sequence("The only values.")),
  min_length: optional(z.int().min(0), "For strings."),
  max_length: optional(positive, "For strings."),
  minimum: optional(z.number(), "For numbers."),
  maximum: optional(z.number(), "For numbers."),
  beyond: optional(
    outOfBounds,
    "For numbers beyond these bounds: refused, or clamped to them with a warning; refused when absent.",
  ),
});

const params = z.union([
  z.string(),
  z.strictObject({
    base: optional(z.string(), "A named base."),
    set: optional(jsonTable, "Laid over the base; a table with the single key `from` is a reference."),
  }),
]);

const retryEmpty = z.strictObject({
  attempts: z.int().min(1).max(20).describe("How often to ask in all."),
  delay_ms: milliseconds.describe("The wait between two tries."),
  while: optional(
    z.enum(["not_ready", "always"]),
    "Only while the server has not said that it is ready, or always.",
  ),
});

const expect = z.enum(["any", "value", "some"]);

const snippet = z.strictObject({
  show: optional(json, "Whether there is one: a boolean, or a reference to an argument."),
  context_lines: optional(
    json,
    "Lines before and after, at most 10: a number, or a reference to an argument.",
  ),
  max_chars: optional(json, "Characters, 40 to 4000: a number, or a reference to an argument."),
});

const request = z.strictObject({
  method: nonEmpty.describe("An LSP request."),
  params: optional(params, "A base's name, or `{ base, set }`."),
});

/** An entry of a tool's `steps`. */
export const stepSchema = z.strictObject({
  id: stepId.describe("The step's name; later steps refer to it."),
  kind: optional(
    z.enum(["request", "diagnostics", "execute_command", "tool", "batch", "choose", "runtime"]),
    "What the step does; a request when absent.",
  ),
  method: optional(nonEmpty, "For a request: the method."),
  params: optional(params, "For a request: a base's name, or `{ base, set }`."),
  each: optional(
    z.strictObject({
      from: z.string().describe("A step whose items are asked about."),
      limit: optional(
        z.union([
          z.int().min(1).max(1000),
          z.strictObject({ from: z.string().describe("An argument: `input.NAME`.") }),
        ]),
        "How many at the most: a number, or a reference to an argument.",
      ),
      lacking: optional(
        z.string().regex(/^[A-Za-z_][\w$]*(\.[A-Za-z_][\w$]*)*$/, "a dotted path of members"),
        "Only items without this member are asked about, and what is told takes the item's place; all others stay.",
      ),
    }),
    "Once per item of an earlier step.",
  ),
  optional: optional(z.boolean(), "Skipped when the server lacks the method."),
  expect: optional(expect, "What counts as an answer; anything else is a refusal."),
  merge: optional(
    z.enum(["first", "all"]),
    "One server answers, or all are asked and merged; the method says when absent.",
  ),
  retry_empty: optional(retryEmpty, "Asks again when the answer is empty."),
  wait_ms: optional(milliseconds.max(60_000), "For diagnostics: the longest wait."),
  settle_ms: optional(
    milliseconds.max(10_000),
    "For diagnostics: quiet time after which a push counts as settled.",
  ),
  command: optional(json, "For execute_command: the name, or a reference."),
  arguments: optional(json, "For execute_command: the arguments."),
  tool: optional(toolName, "For a tool step: the other tool."),
  tools: optional(
    z.array(toolName).min(1),
    set("For a batch: the tools that may be called; every other tool with no stronger effect when absent."),
  ),
  options: optional(
    argName,
    "For a batch: the argument that holds `parallel` and `stop_on_error`; two arguments when absent.",
  ),
  from: optional(z.string(), "For a choice: the step whose items are looked through."),
  item: optional(json, "For a choice: the id of the item, or a reference."),
  args: optional(json, "For a tool or runtime step: its arguments."),
  action: optional(z.string(), "For a runtime step: what to do."),
});

/** An entry of `tools`. */
export const toolSchema = z.strictObject({
  name: toolName.describe("The tool's name, unique."),
  title: optional(z.string().min(1).max(80), "A short title for people."),
  description: optional(z.string().min(1).max(1000), "What an agent reads to choose the tool."),
  effect: optional(effect, "What it may do; `read` when absent.", "fixed"),
  servers: optionalSet(identifier, "The servers it may ask; all when absent."),
  input: optional(
    z.union([z.string(), z.array(z.string()).min(1)]),
    set(
      "What a call points at: `workspace`, `document`, `position`, `range`, `symbol`, `text`, `query`, or a list of them.",
    ),
  ),
  args: optional(z.record(argName, arg), "Further arguments."),
  request: optional(request, "One request: the short form of one step."),
  steps: optional(z.array(stepSchema).min(1), sequence("Several steps.")),
  output: optional(
    z.union([
      z.string(),
      z.strictObject({
        shape: z.string().describe("The form of the answer."),
        at: optional(
          z.string().regex(/^(\/.*)?$/, "a JSON Pointer"),
          "JSON Pointer into the last step's value.",
        ),
        language: optional(z.string(), "For text: the language."),
        apply: optional(
          z.enum(["never", "on_request"]),
          "For edits: only shown, or applied when a call asks; brings `dry_run`, `edit_token` and `expected_before_sha256`.",
        ),
        backups: optional(
          z.strictObject({
            create: optional(json, "Whether: a boolean, or a reference to an argument."),
            suffix: optional(json, "The end of the copy's name: a text, or a reference to an argument."),
          }),
          "For edits: copies each edited file beside itself before it is applied.",
        ),
        list: optional(argName, "The member that holds the items, when it is not the shape's own."),
        count: optional(argName, "A member that says how many items are shown, beside `total` and `shown`."),
        symbols: optional(
          z.strictObject({
            list: argName.describe("The member that holds `[{ symbol, <items> }]`."),
            count: optional(argName, "A member that says how many symbols these are."),
          }),
          "For tools that take a symbol's name: the items stand under the symbol that has it.",
        ),
        ids: optional(z.boolean(), "Gives each item an `id` made of its content."),
        outcomes: optional(
          z.enum(["word", "success"]),
          "For batches: each operation with `outcome` and `answer`, or with `success` and `result` or `error`.",
        ),
        marked: optional(
          z.boolean(),
          "For hover: each text as `{ kind, value }`, `markdown` or `plaintext`.",
        ),
        snippet: optional(snippet, "For locations: the text of the file beside each place."),
        max_chars: optional(
          json,
          "The answer's own budget of characters, `mcp.output.max_total_chars_hard` at the most: a number, or a reference to an argument.",
        ),
      }),
    ]),
    "The answer's shape, or `{ shape, at, … }`.",
  ),
  text: optional(
    template,
    "How `content` reads: the name of a template in `templates/text/`, or a Handlebars text.",
  ),
  empty: optional(z.string().min(1).max(400), "What `content` says when nothing was found."),
  retry_empty: optional(retryEmpty, "For the short form: asks again when the answer is empty."),
  expect: optional(expect, "For the short form: what counts as an answer."),
  merge: optional(z.enum(["first", "all"]), "For the short form: one server answers, or all."),
  page: optional(z.boolean(), "Adds `page_size` and `cursor`."),
  max_items: optional(positive.max(20_000), "Items in one answer."),
  require: optionalSet(argName, "Pointing arguments, as the dialect spells them, that every call must give."),
  default_items: optional(
    positive.max(20_000),
    "Items in an answer, or in a page, to a call that asks for no number; without it `max_items`, or 100 in a page.",
  ),
  max_bytes: optional(z.int().min(16_384).max(8_000_000), "Bytes of one answer."),
  timeout_ms: optional(milliseconds.min(100), "Longest time for one call."),
});

/** An entry of `methods`. */
export const methodSchema = z.strictObject({
  method: nonEmpty.describe("A method outside the LSP specification."),
  servers: optionalSet(identifier, "The servers that have it; all when absent."),
  capability: optional(
    z.string(),
    "Dotted path in the server's capabilities that promises it; assumed when absent.",
  ),
  result: optional(jsonTable, "JSON Schema of the result."),
});
