/** An entry of `tools` with its steps, and an entry of `methods`. */
import * as z from "zod";
import { argSchema, pointingSchema } from "./argument.js";
import { outputSchema } from "./output.js";
import { listKeys, skipKeys } from "./step-values.js";
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
    base: optional(
      z.string(),
      "A parameter base, such as `text_document_position`: it is filled from what the call points at.",
    ),
    set: optional(
      jsonTable,
      "Parameters that are merged over the base. A table with the single key `from` is a reference.",
    ),
  }),
]);

const retryEmpty = z.strictObject({
  attempts: z.int().min(1).max(20).describe("How many requests are sent in total."),
  delay_ms: milliseconds.describe("The time between two requests."),
  max_delay_ms: optional(
    milliseconds,
    "The longest wait. Each wait is `delay_ms` longer than the one before, up to this.",
  ),
  while: optional(
    z.enum(["not_ready", "always"]),
    "When the request is repeated: only while the server is not ready, or always.",
  ),
});

const expect = z.enum(["any", "value", "some", "none"]);

const request = z.strictObject({
  method: nonEmpty.describe("The LSP request that is sent."),
  params: optional(params, "The parameters: the name of a base, or `{ base, set }`."),
});

const reference = z.strictObject({
  from: z.string().describe("The argument that gives the number: `input.NAME`."),
});

export const stepSchema = z.strictObject({
  id: stepId.describe("The name of the step, by which later steps refer to it."),
  kind: optional(
    z.enum(["request", "notify", "diagnostics", "execute_command", "tool", "batch", "choose", "runtime"]),
    "What the step does.",
  ),
  method: optional(nonEmpty, "For `request` and `notify` (required there): the method."),
  params: optional(params, "For `request` and `notify`: the name of a parameter base, or `{ base, set }`."),
  each: optional(
    z.strictObject({
      from: z
        .string()
        .describe(
          "The step whose items are used: `step.ID`. A tool step may also take the list of an argument.",
        ),
      limit: optional(
        z.union([z.int().min(1).max(1000), reference]),
        "The maximum number of items that are used: a number, or a reference to an argument.",
      ),
      lacking: optional(
        z.string().regex(/^[A-Za-z_][\w$]*(\.[A-Za-z_][\w$]*)*$/, "a dotted path of members"),
        "Sends the request only for items without this member, and replaces each by its answer. The other items stay.",
      ),
      keep: optional(z.boolean(), "`true`: each result is `{ item, answer }` instead of the answer."),
      depth: optional(
        z.int().min(1).max(32),
        "Repeats the request for the items of the answers, this many levels deep. The result is a list of `{ item, depth }` in the order of the tree.",
      ),
      next: optional(
        jsonPointer,
        "With `depth`: JSON Pointer in an item of an answer to the item of the next request.",
      ),
    }),
    "Runs the step once for each item of an earlier step.",
  ),
  optional: optional(z.boolean(), "`true`: the step is skipped if the server does not offer the method."),
  expect: optional(
    expect,
    "Which result the step must have: any, a value that is not null, at least one item, or no items. With another result the call is refused.",
  ),
  merge: optional(
    z.enum(["first", "all"]),
    "Whether the first server answers, or all servers are asked and their answers are merged.",
  ),
  retry_empty: optional(retryEmpty, "Repeats the request while the answer is empty."),
  wait_ms: optional(
    z.union([milliseconds.max(60_000), reference]),
    "For `diagnostics`: the longest wait for them, a number or a reference to an argument.",
  ),
  first_wait_ms: optional(
    milliseconds.max(60_000),
    "For `diagnostics`: the longest wait for the first diagnostics of a file.",
  ),
  settle_ms: optional(
    milliseconds.max(10_000),
    "For `diagnostics`: published diagnostics count as final after this time without new ones.",
  ),
  form: optional(
    jsonTable,
    "For `request` and `execute_command`: converts the reply. It is written like `dialect.items`, with pointers into the reply.",
  ),
  command: optional(json, "For `execute_command` (required there): the name of the command, or a reference."),
  arguments: optional(json, "For `execute_command`: the list of arguments."),
  uris: optionalSet(
    jsonPointer,
    "For `execute_command`: JSON Pointers to the arguments that are URIs or paths, besides members named `uri` or `…Uri`. Required if an argument contains a text from the client.",
  ),
  tool: optional(toolName, "For `tool` (required there): the tool that is called."),
  tools: optional(z.array(toolName).min(1), set("For `batch`: the tools that may be called.")),
  edits: optional(
    z.boolean(),
    "For `batch`: `true` lets it call tools that edit, and gives its tool the effect `edit`, if `allow.effects` has `edit`.",
  ),
  options: optional(
    argName,
    "For `batch`: the name of one argument that holds `parallel`, `stop_on_error`, `atomic` and `dry_run`.",
  ),
  from: optional(z.string(), "For `choose` (required there): the step whose items are searched, `step.ID`."),
  item: optional(json, "For `choose`: the id of the item, or a reference to an argument."),
  args: optional(json, "For `tool` and `runtime`: the arguments of the tool or action."),
  action: optional(
    z.string(),
    "For `runtime` (required there): the action of the proxy, such as `undo_edit`.",
  ),
  ...listKeys,
  ...skipKeys,
});

export const toolSchema = z.strictObject({
  name: toolName.describe("The name of the tool. It must be unique."),
  title: optional(z.string().min(1).max(80), "A short title that clients show to people."),
  description: optional(z.string().min(1).max(1000), "What an agent reads to choose the tool."),
  effect: optional(effect, "What the tool may do: only read, edit files, or run commands.", "fixed"),
  annotations: optional(
    z.strictObject({
      read_only: optional(z.boolean(), "Whether the tool changes nothing."),
      destructive: optional(z.boolean(), "Whether the tool may remove or overwrite something."),
      idempotent: optional(
        z.boolean(),
        "Whether a second call with the same arguments changes nothing more.",
      ),
      open_world: optional(z.boolean(), "Whether the tool reaches beyond the workspace."),
    }),
    "The annotations that clients get about the effects of the tool.",
  ),
  servers: optionalSet(identifier, "The servers that the tool may ask, by id or kind."),
  server: optional(
    z.strictObject({ from: z.string().describe("The argument that names the server: `input.NAME`.") }),
    "Lets a call choose one of `servers` by an argument.",
  ),
  input: optional(
    z.union([z.string(), z.array(z.string()).min(1)]),
    set(
      "What a call points at: `workspace`, `document`, `position`, `range`, `symbol`, `text`, `query`, or a list of them.",
    ),
  ),
  args: optional(z.record(argName, argSchema), "Further arguments of the tool, by name."),
  pointing: optional(
    z.record(argName, pointingSchema),
    "Other names and descriptions for the arguments that `input` adds, by their names in the dialect.",
  ),
  request: optional(request, "The short form of a tool with one step: the request that it sends."),
  steps: optional(
    z.array(stepSchema).min(1),
    sequence("What the tool does, step by step. A tool has either `steps` or `request`."),
  ),
  output: optional(outputSchema, "The shape of the answer, or a table with `shape` and further keys."),
  text: optional(
    template,
    "The text of the answer: the name of a template in `templates/text/`, or a Handlebars text.",
  ),
  empty: optional(z.string().min(1).max(400), "The text of the answer when nothing was found."),
  retry_empty: optional(retryEmpty, "With `request`: repeats it while the answer is empty."),
  expect: optional(expect, "With `request`: which result it must have, as in a step."),
  merge: optional(
    z.enum(["first", "all"]),
    "With `request`: whether the first server answers, or all are asked and merged.",
  ),
  page: optional(
    z.boolean(),
    "`true`: the list is returned in pages, with the arguments `page_size` and `cursor`.",
  ),
  max_items: optional(
    positive.max(20_000),
    "The maximum number of items in one answer. It can lower `limits.max_items`, not raise it.",
  ),
  refuse_past: optional(
    positive.max(500_000),
    "A list with more items than this is refused. Of this and `dialect.listing.refuse_past`, the smaller one counts.",
  ),
  require: optionalSet(
    argName,
    "Arguments of `input` that every call must give, by their names in the dialect.",
  ),
  default_items: optional(
    positive.max(20_000),
    "The number of items in an answer or a page, when the call gives no number.",
  ),
  max_bytes: optional(
    z.int().min(16_384).max(8_000_000),
    "The maximum number of bytes of one answer. It can lower `limits.max_bytes`, not raise it.",
  ),
  timeout_ms: optional(
    milliseconds.min(100),
    "The longest time for one call. It can lower `limits.timeout_ms`, not raise it.",
  ),
});

export const methodSchema = z.strictObject({
  method: nonEmpty.describe("The name of a method that is not in the LSP specification."),
  servers: optionalSet(identifier, "The servers that have the method, by id or kind."),
  capability: optional(
    z.string(),
    "Dotted path in a server's capabilities that says whether it offers the method.",
  ),
  uris: optionalSet(
    jsonPointer,
    "JSON Pointers to the parameters that are URIs or paths, besides members named `uri` or `…Uri`. Required if a parameter contains a text from the client.",
  ),
  result: optional(jsonTable, "JSON Schema of the result. A reply that does not fit it is refused."),
  notification: optional(z.boolean(), "Whether the method is a notification, which has no reply."),
});
