/** A tool with its steps, and the methods outside the LSP specification that it may use. */
import * as z from "zod";
import { found } from "./found.js";
import {
  argName,
  beyond,
  effect,
  identifier,
  json,
  jsonTable,
  milliseconds,
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
  description: z.string().min(1).describe("What an agent reads."),
  default: json.optional().describe("Makes the argument optional."),
  required: z.boolean().optional().describe("`false` makes it optional without a default."),
  enum: z.array(z.string()).min(1).optional().meta(sequence("The only values.")),
  min_length: z.int().min(0).optional().describe("For strings."),
  max_length: positive.optional().describe("For strings."),
  minimum: z.number().optional().describe("For numbers."),
  maximum: z.number().optional().describe("For numbers."),
  beyond: beyond
    .optional()
    .describe(
      "For numbers beyond these bounds: refused, or clamped to them with a warning; refused when absent.",
    ),
});

const params = z.union([
  z.string(),
  z.strictObject({
    base: z.string().optional().describe("A named base."),
    set: jsonTable
      .optional()
      .describe("Laid over the base; a table with the single key `from` is a reference."),
  }),
]);

const retryEmpty = z.strictObject({
  attempts: z.int().min(1).max(20).describe("How often to ask in all."),
  delay_ms: milliseconds.describe("The wait between two tries."),
  while: z
    .enum(["not_ready", "always"])
    .optional()
    .describe("Only while the server has not said that it is ready, or always."),
});

const expect = z.enum(["any", "value", "some"]);

const snippet = z.strictObject({
  show: json.optional().describe("Whether there is one: a boolean, or a reference to an argument."),
  context_lines: json
    .optional()
    .describe("Lines before and after, at most 10: a number, or a reference to an argument."),
  max_chars: json.optional().describe("Characters, 40 to 4000: a number, or a reference to an argument."),
});

const request = z.strictObject({
  method: z.string().min(1).describe("An LSP request."),
  params: params.optional().describe("A base's name, or `{ base, set }`."),
});

/** An entry of a tool's `steps`. */
export const stepSchema = z.strictObject({
  id: stepId.describe("The step's name; later steps refer to it."),
  kind: z
    .enum(["request", "diagnostics", "execute_command", "tool", "batch", "choose", "runtime"])
    .optional()
    .describe("What the step does; a request when absent."),
  method: z.string().min(1).optional().describe("For a request: the method."),
  params: params.optional().describe("For a request: a base's name, or `{ base, set }`."),
  each: z
    .strictObject({
      from: z.string().describe("A step whose items are asked about."),
      limit: z
        .union([
          z.int().min(1).max(1000),
          z.strictObject({ from: z.string().describe("An argument: `input.NAME`.") }),
        ])
        .optional()
        .describe("How many at the most: a number, or a reference to an argument."),
      lacking: z
        .string()
        .regex(/^[A-Za-z_][\w$]*(\.[A-Za-z_][\w$]*)*$/, "a dotted path of members")
        .optional()
        .describe(
          "Only items without this member are asked about, and what is told takes the item's place; all others stay.",
        ),
    })
    .optional()
    .describe("Once per item of an earlier step."),
  optional: z.boolean().optional().describe("Skipped when the server lacks the method."),
  expect: expect.optional().describe("What counts as an answer; anything else is a refusal."),
  merge: z
    .enum(["first", "all"])
    .optional()
    .describe("One server answers, or all are asked and merged; the method says when absent."),
  retry_empty: retryEmpty.optional().describe("Asks again when the answer is empty."),
  wait_ms: milliseconds.max(60_000).optional().describe("For diagnostics: the longest wait."),
  settle_ms: milliseconds
    .max(10_000)
    .optional()
    .describe("For diagnostics: quiet time after which a push counts as settled."),
  command: json.optional().describe("For execute_command: the name, or a reference."),
  arguments: json.optional().describe("For execute_command: the arguments."),
  tool: toolName.optional().describe("For a tool step: the other tool."),
  tools: z
    .array(toolName)
    .min(1)
    .optional()
    .meta(
      set("For a batch: the tools that may be called; every other tool with no stronger effect when absent."),
    ),
  options: argName
    .optional()
    .describe(
      "For a batch: the argument that holds `parallel` and `stop_on_error`; two arguments when absent.",
    ),
  from: z.string().optional().describe("For a choice: the step whose items are looked through."),
  item: json.optional().describe("For a choice: the id of the item, or a reference."),
  args: json.optional().describe("For a tool or runtime step: its arguments."),
  action: z.string().optional().describe("For a runtime step: what to do."),
});

/** An entry of `tools`. */
export const toolSchema = z.strictObject({
  name: toolName.describe("The tool's name, unique."),
  title: z.string().min(1).max(80).optional().describe("A short title for people."),
  description: z.string().min(1).max(1000).optional().describe("What an agent reads to choose the tool."),
  effect: effect.optional().describe("What it may do; `read` when absent.").meta(found("fixed")),
  servers: z.array(identifier).optional().meta(set("The servers it may ask; all when absent.")),
  input: z
    .union([z.string(), z.array(z.string()).min(1)])
    .optional()
    .meta(
      set(
        "What a call points at: `workspace`, `document`, `position`, `range`, `symbol`, `text`, `query`, or a list of them.",
      ),
    ),
  args: z.record(argName, arg).optional().describe("Further arguments."),
  request: request.optional().describe("One request: the short form of one step."),
  steps: z.array(stepSchema).min(1).optional().meta(sequence("Several steps.")),
  output: z
    .union([
      z.string(),
      z.strictObject({
        shape: z.string().describe("The form of the answer."),
        at: z
          .string()
          .regex(/^(\/.*)?$/, "a JSON Pointer")
          .optional()
          .describe("JSON Pointer into the last step's value."),
        language: z.string().optional().describe("For text: the language."),
        apply: z
          .enum(["never", "on_request"])
          .optional()
          .describe(
            "For edits: only shown, or applied when a call asks; brings `dry_run`, `edit_token` and `expected_before_sha256`.",
          ),
        backups: z
          .strictObject({
            create: json.optional().describe("Whether: a boolean, or a reference to an argument."),
            suffix: json
              .optional()
              .describe("The end of the copy's name: a text, or a reference to an argument."),
          })
          .optional()
          .describe("For edits: copies each edited file beside itself before it is applied."),
        list: argName.optional().describe("The member that holds the items, when it is not the shape's own."),
        count: argName
          .optional()
          .describe("A member that says how many items are shown, beside `total` and `shown`."),
        symbols: z
          .strictObject({
            list: argName.describe("The member that holds `[{ symbol, <items> }]`."),
            count: argName.optional().describe("A member that says how many symbols these are."),
          })
          .optional()
          .describe("For tools that take a symbol's name: the items stand under the symbol that has it."),
        ids: z.boolean().optional().describe("Gives each item an `id` made of its content."),
        outcomes: z
          .enum(["word", "success"])
          .optional()
          .describe(
            "For batches: each operation with `outcome` and `answer`, or with `success` and `result` or `error`.",
          ),
        marked: z
          .boolean()
          .optional()
          .describe("For hover: each text as `{ kind, value }`, `markdown` or `plaintext`."),
        snippet: snippet.optional().describe("For locations: the text of the file beside each place."),
        max_chars: json
          .optional()
          .describe(
            "The answer's own budget of characters, `mcp.output.max_total_chars_hard` at the most: a number, or a reference to an argument.",
          ),
      }),
    ])
    .optional()
    .describe("The answer's shape, or `{ shape, at, … }`."),
  text: template
    .optional()
    .describe("How `content` reads: the name of a template in `templates/text/`, or a Handlebars text."),
  empty: z.string().min(1).max(400).optional().describe("What `content` says when nothing was found."),
  retry_empty: retryEmpty.optional().describe("For the short form: asks again when the answer is empty."),
  expect: expect.optional().describe("For the short form: what counts as an answer."),
  merge: z.enum(["first", "all"]).optional().describe("For the short form: one server answers, or all."),
  page: z.boolean().optional().describe("Adds `page_size` and `cursor`."),
  max_items: positive.max(20_000).optional().describe("Items in one answer."),
  require: z
    .array(argName)
    .optional()
    .meta(set("Pointing arguments, as the dialect spells them, that every call must give.")),
  default_items: positive
    .max(20_000)
    .optional()
    .describe(
      "Items in an answer, or in a page, to a call that asks for no number; without it `max_items`, or 100 in a page.",
    ),
  max_bytes: z.int().min(16_384).max(8_000_000).optional().describe("Bytes of one answer."),
  timeout_ms: milliseconds.min(100).optional().describe("Longest time for one call."),
});

/** An entry of `methods`. */
export const methodSchema = z.strictObject({
  method: z.string().min(1).describe("A method outside the LSP specification."),
  servers: z.array(identifier).optional().meta(set("The servers that have it; all when absent.")),
  capability: z
    .string()
    .optional()
    .describe("Dotted path in the server's capabilities that promises it; assumed when absent."),
  result: jsonTable.optional().describe("JSON Schema of the result. A reply that violates it is refused."),
});
