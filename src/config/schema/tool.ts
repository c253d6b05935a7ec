/** An entry of `tools` with its steps, and an entry of `methods`. */
import * as z from "zod";
import { argSchema, pointingSchema } from "./argument.js";
import { listKeys, memberKeys, wayKeys } from "./step-values.js";
import {
  argName,
  effect,
  identifier,
  json,
  jsonPointer,
  jsonTable,
  milliseconds,
  nonEmpty,
  optional,
  optionalSet,
  positive,
  sequence,
  set,
  stepId,
  template,
  toolName,
} from "./values.js";

const params = z.union([
  z.string(),
  z.strictObject({
    base: optional(z.string(), "A named base."),
    set: optional(jsonTable, "Merged over the base; a table with the single key `from` is a reference."),
  }),
]);

const retryEmpty = z.strictObject({
  attempts: z.int().min(1).max(20).describe("Requests in total."),
  delay_ms: milliseconds.describe("The wait between two requests."),
  max_delay_ms: optional(milliseconds, "Each wait is `delay_ms` longer than the one before, up to this."),
  while: optional(z.enum(["not_ready", "always"]), "Only while the server is not ready, or always."),
});

const expect = z.enum(["any", "value", "some", "none"]);

const snippet = z.strictObject({
  show: optional(json, "Whether there is one: a boolean, or a reference to an argument."),
  context_lines: optional(json, "Lines before and after, at most 10: a number, or a reference."),
  max_chars: optional(json, "Characters, 40 to 4000: a number, or a reference to an argument."),
});

const request = z.strictObject({
  method: nonEmpty.describe("An LSP request."),
  params: optional(params, "A base's name, or `{ base, set }`."),
});

const reference = z.strictObject({ from: z.string().describe("An argument: `input.NAME`.") });

export const stepSchema = z.strictObject({
  id: stepId.describe("The step's name; later steps refer to it."),
  kind: optional(
    z.enum(["request", "notify", "diagnostics", "execute_command", "tool", "batch", "choose", "runtime"]),
    "What the step does; a request when absent.",
  ),
  method: optional(nonEmpty, "For a request or a notification: the method."),
  params: optional(params, "For a request or a notification: a base's name, or `{ base, set }`."),
  each: optional(
    z.strictObject({
      from: z.string().describe("The step whose items are used."),
      limit: optional(
        z.union([z.int().min(1).max(1000), reference]),
        "How many at the most: a number, or a reference to an argument.",
      ),
      lacking: optional(
        z.string().regex(/^[A-Za-z_][\w$]*(\.[A-Za-z_][\w$]*)*$/, "a dotted path of members"),
        "Only items without this member are requested, and each is replaced by its answer; the others stay.",
      ),
      keep: optional(z.boolean(), "Each result is `{ item, answer }`."),
      depth: optional(
        z.int().min(1).max(32),
        "Repeats the request for the items of the answers, so many levels deep: the result is the tree, `{ item, depth }` in order.",
      ),
      next: optional(jsonPointer, "With `depth`: JSON Pointer to the next item in an item of an answer."),
    }),
    "Once per item of an earlier step.",
  ),
  optional: optional(z.boolean(), "Skipped when the server lacks the method."),
  expect: optional(expect, "Which results are accepted; any other is refused."),
  merge: optional(z.enum(["first", "all"]), "One server answers, or all answers are merged."),
  retry_empty: optional(retryEmpty, "Repeats the request when the answer is empty."),
  wait_ms: optional(
    z.union([milliseconds.max(60_000), reference]),
    "For diagnostics: the longest wait, a number or a reference to an argument; 5000 when absent.",
  ),
  first_wait_ms: optional(
    milliseconds.max(60_000),
    "For diagnostics: the longest wait for the first ones of a file; twice `wait_ms`, at most 10000, when absent.",
  ),
  settle_ms: optional(
    milliseconds.max(10_000),
    "For diagnostics: time without new ones after which published diagnostics count as final.",
  ),
  form: optional(
    jsonTable,
    "For requests and commands: another form of the reply, as in `dialect.items`; the pointers lead into the reply.",
  ),
  command: optional(json, "For execute_command: the name, or a reference."),
  arguments: optional(json, "For execute_command: the arguments."),
  uris: optionalSet(
    jsonPointer,
    "For execute_command: JSON Pointers of the arguments that are URIs or paths, besides members named `uri` or `…Uri`; needed where the arguments contain a text of the client.",
  ),
  tool: optional(toolName, "For a tool step: the other tool."),
  tools: optional(
    z.array(toolName).min(1),
    set("For a batch: the tools that may be called; every other tool with no stronger effect when absent."),
  ),
  edits: optional(
    z.boolean(),
    "For a batch: where `allow.effects` has `edit`, its tool has that effect, and it may call tools that edit.",
  ),
  options: optional(
    argName,
    "For a batch: the argument with `parallel`, `stop_on_error`, `atomic` and `dry_run`; else one for each.",
  ),
  from: optional(z.string(), "For a choice: the step whose items are searched."),
  item: optional(json, "For a choice: the id of the item, or a reference."),
  args: optional(json, "For a tool or runtime step: its arguments."),
  action: optional(z.string(), "For a runtime step: what to do."),
  ...listKeys,
  ...wayKeys,
});

export const toolSchema = z.strictObject({
  name: toolName.describe("The tool's name, unique."),
  title: optional(z.string().min(1).max(80), "A short title for people."),
  description: optional(z.string().min(1).max(1000), "What an agent reads to choose the tool."),
  effect: optional(effect, "What it may do; `read` when absent.", "fixed"),
  annotations: optional(
    z.strictObject({
      read_only: optional(z.boolean(), "It changes nothing; true for the effect `read` when absent."),
      destructive: optional(
        z.boolean(),
        "It may remove or overwrite; false for the effect `read` when absent.",
      ),
      idempotent: optional(z.boolean(), "A second call with the same arguments changes nothing more."),
      open_world: optional(z.boolean(), "It reaches beyond the workspace; true for commands when absent."),
    }),
    "What clients are told about its effects; follows from `effect` when absent.",
  ),
  servers: optionalSet(identifier, "The servers it may ask; all when absent."),
  server: optional(
    z.strictObject({ from: z.string().describe("An argument: `input.NAME`.") }),
    "The argument by which a call chooses one of these servers.",
  ),
  input: optional(
    z.union([z.string(), z.array(z.string()).min(1)]),
    set(
      "What a call refers to: `workspace`, `document`, `position`, `range`, `symbol`, `text`, `query`, or a list of them.",
    ),
  ),
  args: optional(z.record(argName, argSchema), "Further arguments."),
  pointing: optional(
    z.record(argName, pointingSchema),
    "Other names and descriptions of the pointing arguments, by the dialect's names.",
  ),
  request: optional(request, "One request: the short form of one step."),
  steps: optional(z.array(stepSchema).min(1), sequence("Several steps.")),
  output: optional(
    z.union([
      z.string(),
      z.strictObject({
        shape: z.string().describe("The form of the answer."),
        at: optional(jsonPointer, "JSON Pointer into the last step's value."),
        language: optional(z.string(), "For text: the language."),
        apply: optional(
          z.enum(["never", "on_request"]),
          "For edits: only shown, or applied when a call requests it; adds `dry_run`, `edit_token` and `expected_before_sha256`.",
        ),
        backups: optional(
          z.strictObject({
            create: optional(json, "Whether: a boolean, or a reference to an argument."),
            suffix: optional(json, "The suffix of the copy's name: a string, or a reference to an argument."),
          }),
          "For edits: copies each edited file next to itself first.",
        ),
        list: optional(argName, "The member that holds the items, when it is not the shape's own."),
        count: optional(argName, "A member with the number of items shown, besides `total` and `shown`."),
        symbols: optional(
          z.strictObject({
            list: argName.describe("The member that holds `[{ symbol, <items> }]`."),
            count: optional(argName, "A member with the number of symbols."),
          }),
          "For tools that take a symbol's name: the items are grouped by symbol.",
        ),
        ids: optional(z.boolean(), "Gives each item an `id` derived from its content."),
        outcomes: optional(
          z.enum(["word", "success", "applied"]),
          "For batches: each operation with `outcome` and `answer`, or with `success` and `result` or `error`. For edits: `applied`, and `failure_reason` if the edit is refused.",
        ),
        ...memberKeys,
        joined: optional(argName, "For hover: a member of this name has all texts as one."),
        raw: optional(
          argName,
          "For hover: a member of this name has LSP's form, instead of the list of texts.",
        ),
        item: optional(argName, "The form of the items in `dialect.items`, if it is not that of the shape."),
        marked: optional(
          z.boolean(),
          "For hover: each text as `{ kind, value }`, with its kind, sorted by kind and text.",
        ),
        snippet: optional(snippet, "For locations: the text of the file at each place."),
        filter: optional(
          z.strictObject({
            severity: optional(json, "For diagnostics: the mildest severity that is shown."),
            depth: optional(json, "For the symbols of a file: the levels that are shown."),
            kinds: optional(
              json,
              "For the symbols of a file: the kinds that are shown, as a list or as one text with commas.",
            ),
            locals: optional(
              json,
              "For the symbols of a file: whether variables inside functions are shown.",
            ),
            imports: optional(json, "For the symbols of a file: whether imported names are shown."),
            folder: optional(
              json,
              "For the symbols of the workspace: only those in this folder, as `input.NAME.absolute_path`.",
            ),
          }),
          "Items that are left out, each a value or a reference to an argument. The answer has their number as `hidden`.",
        ),
        max_chars: optional(
          json,
          "The most characters of the answer, at most `mcp.output.max_total_chars_hard`: a number, or a reference to an argument.",
        ),
      }),
    ]),
    "The answer's shape, or `{ shape, at, … }`.",
  ),
  text: optional(template, "The `content`: a template's name in `templates/text/`, or a Handlebars text."),
  empty: optional(z.string().min(1).max(400), "The text of `content` when nothing was found."),
  retry_empty: optional(retryEmpty, "For the short form: repeats the request when the answer is empty."),
  expect: optional(expect, "For the short form: which results are accepted."),
  merge: optional(z.enum(["first", "all"]), "For the short form: one server answers, or all."),
  page: optional(z.boolean(), "Adds `page_size` and `cursor`."),
  max_items: optional(positive.max(20_000), "Items in one answer."),
  refuse_past: optional(
    positive.max(500_000),
    "As `dialect.listing.refuse_past`, for this tool; the smaller one counts.",
  ),
  require: optionalSet(argName, "Position arguments, with the dialect's names, that every call must give."),
  default_items: optional(
    positive.max(20_000),
    "Items in an answer, or in a page, when a call gives no number; when absent `max_items`, or 100 in a page.",
  ),
  max_bytes: optional(z.int().min(16_384).max(8_000_000), "Bytes of one answer."),
  timeout_ms: optional(milliseconds.min(100), "Longest time for one call."),
});

export const methodSchema = z.strictObject({
  method: nonEmpty.describe("A method outside the LSP specification."),
  servers: optionalSet(identifier, "The servers that have it; all when absent."),
  capability: optional(z.string(), "Dotted path in the server's capabilities; assumed when absent."),
  uris: optionalSet(
    jsonPointer,
    "JSON Pointers of the parameters that are URIs or paths, besides members named `uri` or `…Uri`; needed where the parameters contain a text of the client.",
  ),
  result: optional(jsonTable, "JSON Schema of the result. A reply that violates it is refused."),
  notification: optional(z.boolean(), "Whether it is a notification, which has no reply."),
});
