/**
 * The config's one schema. Types, validation, `configs/schema.json`, `docs/config.md` and `explain` all come from
 * here. Every table is closed. `meta.order` says whether an array is a sequence (order kept) or a set (sorted).
 */
import { z } from "zod";

const set = (description: string) => ({ description, order: "set" as const });
const sequence = (description: string) => ({ description, order: "sequence" as const });

const positive = z.int().min(1);
const milliseconds = z.int().min(0).max(86_400_000);
const json: z.ZodType<JsonValue> = z
  .lazy(() =>
    z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(json), z.record(z.string(), json)]),
  )
  .meta({ id: "json", description: "Any JSON value." });
type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };
const jsonTable = z.record(z.string(), json);

const identifier = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, "1 to 64 letters, digits, `_`, `.` or `-`");
const toolName = z
  .string()
  .regex(
    /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/,
    "1 to 64 letters, digits, `_`, `.` or `-`, beginning with a letter",
  );
const argName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, "1 to 64 letters, digits or `_`");
const stepId = z.string().regex(/^[a-z][a-z0-9_]{0,39}$/, "1 to 40 lower-case letters, digits or `_`");
const effect = z.enum(["read", "edit", "command"]);

const workspace = z.strictObject({
  roots: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .meta(
      sequence(
        "Folders that may be read. Relative to the folder of the config; the first is where relative paths of a call start.",
      ),
    ),
  extra_roots: z
    .array(z.string().min(1))
    .optional()
    .meta(set("Absolute folders that may be read, never written: toolchain sources, vendored code.")),
  deny: z
    .array(z.string().min(1))
    .optional()
    .meta(set("Globs of paths that are refused, relative to each root.")),
});

const allow = z.strictObject({
  commands: z
    .array(z.string().min(1))
    .optional()
    .meta(set("The only programs that may be started: bare names or absolute paths. No globs, no shell.")),
  effects: z.array(effect).optional().meta(set("Which tools are listed and callable.")),
  env: z
    .array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "the name of an environment variable"))
    .optional()
    .meta(set("Environment variables that a language server inherits.")),
});

const limits = z.strictObject({
  max_items: positive.max(5000).optional().describe("Items in one answer."),
  max_bytes: z.int().min(16_384).max(2_000_000).optional().describe("Bytes of one answer."),
  max_message_bytes: z.int().min(65_536).max(1_073_741_824).optional().describe("Bytes of one LSP message."),
  max_file_bytes: z
    .int()
    .min(1024)
    .max(1_073_741_824)
    .optional()
    .describe("Bytes of a file that is sent to a server."),
  timeout_ms: milliseconds.min(100).optional().describe("Longest time for one call."),
  max_servers: positive
    .max(256)
    .optional()
    .describe("Language servers running at once; the idlest stops first."),
  max_open_documents: positive
    .max(10_000)
    .optional()
    .describe("Documents open in one server; the oldest is closed first."),
  cache_bytes: z
    .int()
    .min(0)
    .max(268_435_456)
    .optional()
    .describe("Bytes of answers kept while nothing they depend on has changed; 0 keeps none."),
});

const transport = z.union([
  z.literal("stdio"),
  z.strictObject({
    tcp: z
      .string()
      .regex(/^.+:\d{1,5}$/, "host:port")
      .describe("Host and port that the server listens on."),
  }),
  z.strictObject({ pipe: z.string().min(1).describe("Path of the socket or pipe it listens on.") }),
]);

const forward = z.strictObject({
  notification: z.string().min(1).describe("The notification that this server sends."),
  to: identifier.describe("Id of the server that answers."),
  request: z.string().min(1).describe("The command (`workspace/executeCommand`) that the other server gets."),
  reply: z.string().min(1).describe("The notification that carries the answer back."),
});

export const serverSchema = z.strictObject({
  id: identifier.describe("The server's name, unique."),
  kind: z
    .string()
    .optional()
    .describe("A preset in `configs/servers/`; every key here overrides it. `generic` means none."),
  adapter: z
    .string()
    .optional()
    .describe("A preset whose quirks (settings, replies, timeouts) are used and nothing else."),
  enabled: z.boolean().optional().describe("`false` leaves the server out."),
  command: z
    .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
    .optional()
    .describe("A bare name or an absolute path; a list when a program runs a script."),
  args: z.array(z.string()).optional().meta(sequence("Arguments. `[]` means none.")),
  extensions: z
    .array(z.string().regex(/^[^./\\*?\s][^/\\*?\s]*$/, "an extension without the dot, `*` or spaces"))
    .optional()
    .meta(set("File extensions without the dot.")),
  filenames: z
    .array(z.string().min(1))
    .optional()
    .meta(set("Whole file names, for files without a telling extension.")),
  globs: z.array(z.string().min(1)).optional().meta(set("Path globs, for the rest.")),
  language_id: z.string().min(1).optional().describe("The LSP language id of its files."),
  language_ids: z
    .record(z.string(), z.string())
    .optional()
    .describe("Extension or file name → language id, where it differs."),
  root_markers: z.array(z.string().min(1)).optional().meta(sequence("Files that mark a project's root.")),
  root_pick: z.enum(["nearest", "farthest"]).optional().describe("Which marked folder is the root."),
  root_dir: z.string().min(1).optional().describe("A fixed root instead of markers."),
  cwd: z.string().min(1).optional().describe("The server's working directory; its root when absent."),
  workspace_folders: z.array(z.string().min(1)).optional().meta(sequence("More folders told to the server.")),
  env: z.record(z.string(), z.string()).optional().describe("Environment variables added for this server."),
  transport: transport
    .optional()
    .describe('`"stdio"`, `{ tcp = "host:port" }` or `{ pipe = "path" }` for a server that runs elsewhere.'),
  initialize_options: json.optional().describe("`initializationOptions`."),
  client_capabilities: jsonTable.optional().describe("Laid over the capabilities that the proxy offers."),
  workspace_configuration: jsonTable
    .optional()
    .describe("Answers `workspace/configuration`, and is sent as `workspace/didChangeConfiguration`."),
  initialize_timeout_ms: milliseconds.optional().describe("Longest time for `initialize`."),
  request_timeout_ms: milliseconds.optional().describe("Longest time for one request."),
  request_timeout_overrides_ms: z
    .record(z.string(), milliseconds)
    .optional()
    .describe("Method → longest time."),
  warmup_timeout_ms: milliseconds
    .optional()
    .describe("Longest wait for a starting server to say that it has indexed."),
  replies: z.record(z.string(), json).optional().describe("Static answers to the server's own requests."),
  forward: z
    .array(forward)
    .optional()
    .meta(
      sequence(
        "Rules that pass a notification of this server to another one as a request, and its answer back.",
      ),
    ),
  ready: z
    .strictObject({
      progress: z.boolean().optional().describe("Whether open work-done progress means indexing."),
      notification: z.string().optional().describe("A notification that tells the server's state."),
      field: z
        .string()
        .regex(/^(\/.*)?$/, "a JSON Pointer")
        .optional()
        .describe("JSON Pointer in its parameters to a boolean: ready."),
    })
    .optional()
    .describe("How the server says that it has indexed."),
  idle_shutdown_ms: z
    .int()
    .min(0)
    .optional()
    .describe("Stops the server after so long without a call; 0 never."),
  restart_interval_minutes: z
    .number()
    .min(0)
    .optional()
    .describe("Restarts the server every so often; 0 never."),
  restart: z
    .strictObject({
      max: z.int().min(0).optional().describe("Restarts after a crash within the window."),
      window_ms: positive.optional().describe("The window."),
      backoff_ms: z
        .tuple([z.int().min(0), z.int().min(0)])
        .optional()
        .describe("First and longest wait between restarts."),
    })
    .optional()
    .describe("What happens after a crash."),
  features: z
    .union([
      z.strictObject({
        only: z.array(z.string()).min(1).meta(set("The features this server is asked for.")),
      }),
      z.strictObject({ except: z.array(z.string()).min(1).meta(set("The features it is not asked for.")) }),
    ])
    .optional()
    .describe("For a second server on the same files: `{ only = [...] }` or `{ except = [...] }`."),
  priority: z
    .int()
    .min(-1000)
    .max(1000)
    .optional()
    .describe("Order among servers of one file; the highest is asked first."),
  execute_commands: z
    .array(z.string().min(1))
    .optional()
    .meta(set("The `workspace/executeCommand` names that a tool may run.")),
  limits: z
    .strictObject({
      memory_mb: positive.optional().describe("Memory of the server and its children."),
      open_files: positive.optional().describe("Open files."),
      nice: z.int().min(0).max(19).optional().describe("Scheduling priority, 0 to 19."),
    })
    .optional()
    .describe("Limits on the server's process."),
  sandbox: z
    .enum(["none", "read_only", "no_network"])
    .optional()
    .describe("How the server is confined, where the system offers it."),
  open_on_change: z
    .boolean()
    .optional()
    .describe("The server sees changes on disk only in files that are opened."),
  share_roots: z
    .boolean()
    .optional()
    .describe(
      "One process for all roots, where the server takes folders while it runs and nothing names its root (true when absent); else one per root.",
    ),
  install: z.string().optional().describe("How to install the server, for people."),
});

/** A preset: what a file in `configs/servers/` may say. */
export const presetSchema = serverSchema.extend({
  kinds: z
    .array(z.string())
    .optional()
    .meta(set("Other names for this preset, such as lspi's `rust_analyzer`.")),
  languages: z
    .array(z.string())
    .optional()
    .meta(set("The languages it serves, for people and for detection.")),
  rank: z.int().optional().describe("Among presets for one language the highest is preferred."),
  probe: z
    .strictObject({
      args: z.array(z.string()).meta(sequence("Arguments that print the version.")),
      at_least: z
        .string()
        .regex(/^\d+(\.\d+)*$/, "a version")
        .describe("The oldest version that will do."),
    })
    .optional()
    .describe("How detection makes sure that an installed program is the right one."),
  homepage: z.string().optional().describe("Where it comes from."),
});

const arg = z.strictObject({
  type: z.enum(["string", "integer", "number", "boolean", "string_list"]).describe("The argument's type."),
  description: z.string().min(1).describe("What an agent reads."),
  default: json.optional().describe("Makes the argument optional."),
  required: z.boolean().optional().describe("`false` makes it optional without a default."),
  enum: z.array(z.string()).min(1).optional().meta(sequence("The only values.")),
  min_length: z.int().min(0).optional().describe("For strings."),
  max_length: positive.optional().describe("For strings."),
  minimum: z.number().optional().describe("For numbers."),
  maximum: z.number().optional().describe("For numbers."),
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

const template = z.string().min(1).max(8000);

const request = z.strictObject({
  method: z.string().min(1).describe("An LSP request."),
  params: params.optional().describe("A base's name, or `{ base, set }`."),
});

const step = z.strictObject({
  id: stepId.describe("The step's name; later steps refer to it."),
  kind: z
    .enum(["request", "diagnostics", "execute_command", "tool", "batch", "runtime"])
    .optional()
    .describe("What the step does; a request when absent."),
  method: z.string().min(1).optional().describe("For a request: the method."),
  params: params.optional().describe("For a request: a base's name, or `{ base, set }`."),
  each: z
    .strictObject({
      from: z.string().describe("A step whose items are asked about."),
      limit: z.int().min(1).max(1000).optional().describe("How many at the most."),
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
  args: json.optional().describe("For a tool or runtime step: its arguments."),
  action: z.string().optional().describe("For a runtime step: what to do."),
});

export const toolSchema = z.strictObject({
  name: toolName.describe("The tool's name, unique."),
  title: z.string().min(1).max(80).optional().describe("A short title for people."),
  description: z.string().min(1).max(1000).optional().describe("What an agent reads to choose the tool."),
  effect: effect.optional().describe("What it may do; `read` when absent."),
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
  steps: z.array(step).min(1).optional().meta(sequence("Several steps.")),
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
        apply: z.enum(["never", "on_request"]).optional().describe("For edits."),
        list: argName.optional().describe("The member that holds the items, when it is not the shape's own."),
        ids: z.boolean().optional().describe("Gives each item an `id` made of its content."),
        snippet: snippet.optional().describe("For locations: the text of the file beside each place."),
        max_chars: json
          .optional()
          .describe("A lower cap on the characters of the answer: a number, or a reference to an argument."),
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
  max_items: positive.max(5000).optional().describe("Items in one answer."),
  require: z
    .array(argName)
    .optional()
    .meta(set("Pointing arguments, as the dialect spells them, that every call must give.")),
  default_items: positive
    .max(5000)
    .optional()
    .describe("Items in an answer to a call that asks for no number; `max_items` when absent."),
  max_bytes: z.int().min(16_384).max(2_000_000).optional().describe("Bytes of one answer."),
  timeout_ms: milliseconds.min(100).optional().describe("Longest time for one call."),
});

export const methodSchema = z.strictObject({
  method: z.string().min(1).describe("A method outside the LSP specification."),
  servers: z.array(identifier).optional().meta(set("The servers that have it; all when absent.")),
  capability: z
    .string()
    .optional()
    .describe("Dotted path in the server's capabilities that promises it; assumed when absent."),
  result: jsonTable.optional().describe("JSON Schema of the result."),
});

const base01 = z.union([z.literal(0), z.literal(1)]);

const dialect = z.strictObject({
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
    })
    .optional()
    .describe("How a place is named."),
  symbol: z
    .strictObject({
      name: argName.optional().describe("The name argument's name."),
      kind: argName.optional().describe("The kind argument's name."),
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
      text: template.optional().describe("A Handlebars text over `code`, `message` and `data`."),
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
  result: z.enum(["structured", "text", "both"]).optional().describe("What the client really reads."),
  output_schemas: z.boolean().optional().describe("Whether `tools/list` carries output schemas."),
});

const mcp = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z0-9_-]{1,40}$/, "1 to 40 lower-case letters, digits, `_` or `-`")
    .optional()
    .describe("The name told to the client."),
  context: z.string().optional().describe("A profile in `configs/profiles/`."),
  read_only: z.boolean().optional().describe("`true` hides and refuses every tool that is not `read`."),
  instructions: z
    .string()
    .max(1000)
    .optional()
    .describe("What a client tells its model; written from the tools when absent."),
  tools: z
    .strictObject({
      allow: z
        .array(toolName)
        .optional()
        .meta(set("When not empty: the only tools that are listed and callable.")),
      exclude: z.array(toolName).optional().meta(set("Tools that are neither listed nor callable.")),
    })
    .optional()
    .describe("Which tools there are."),
  output: z
    .strictObject({
      max_total_chars_default: z
        .int()
        .min(10_000)
        .max(2_000_000)
        .optional()
        .describe("Characters of one answer."),
      max_total_chars_hard: z
        .int()
        .min(10_000)
        .max(2_000_000)
        .optional()
        .describe("What a call may ask for at the most."),
    })
    .optional()
    .describe("Size of answers."),
});

const http = z.strictObject({
  bind: z.string().optional().describe("Address to listen on."),
  port: z.int().min(0).max(65535).optional().describe("Port; 0 picks one."),
  path: z
    .string()
    .regex(/^\/[A-Za-z0-9_\-/]*$/, "a path that begins with `/`")
    .optional()
    .describe("Path of the endpoint."),
  token_env: z.string().optional().describe("Environment variable that holds the token."),
  token_file: z.string().optional().describe("File that holds the token."),
  allowed_origins: z.array(z.string()).optional().meta(set("Origins that a browser may call from.")),
  allowed_hosts: z.array(z.string()).optional().meta(set("Values of `Host` that are served.")),
  max_sessions: positive.max(1024).optional().describe("Sessions at once."),
});

export const configSchema = z.strictObject({
  $schema: z.string().optional().describe("For editors: where the schema of a JSON config stands. Ignored."),
  version: z.literal(1).optional().describe("The config language's version."),
  extends: z
    .array(z.string().min(1))
    .optional()
    .meta(
      sequence(
        "Layers below this file: names in `configs/` (`tools/core`, `servers/pyright`, `profiles/full`) or paths that begin with `./` or `../`. Never URLs.",
      ),
    ),
  workspace: workspace.optional().describe("What may be seen."),
  allow: allow.optional().describe("What may be done."),
  limits: limits.optional().describe("Ceilings; a tool or a call may lower them, never raise."),
  servers: z.array(serverSchema).optional().meta(set("Language servers, merged by `id`.")),
  tools: z.array(toolSchema).optional().meta(set("Tools, merged by `name`.")),
  methods: z
    .array(methodSchema)
    .optional()
    .meta(set("Methods outside the LSP specification, merged by `method`.")),
  dialect: dialect.optional().describe("How the surface is spelt."),
  mcp: mcp.optional().describe("The agent's side."),
  http: http.optional().describe("The HTTP gateway: checked already, not served yet."),
});

/** A config after layering and validation. Keys are as written; defaults come with the Plan. */
export type Config = z.infer<typeof configSchema>;
export type ServerConfig = z.infer<typeof serverSchema>;
export type PresetConfig = z.infer<typeof presetSchema>;
export type ToolConfig = z.infer<typeof toolSchema>;
export type StepConfig = z.infer<typeof step>;
