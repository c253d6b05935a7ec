/** A language server, and the presets of the catalogue. */
import * as z from "zod";
import { unlimited } from "./discovered-rules.js";
import {
  discovered,
  identifier,
  json,
  jsonTable,
  milliseconds,
  nonEmpty,
  optional,
  optionalList,
  optionalSet,
  positive,
  sequence,
  set,
} from "./values.js";

const mode = optional(
  z.enum(["connect", "start", "listen"]),
  "`connect` (when absent): it runs already, and nothing is started. `start`: `command` is started first and listens there. `listen`: the proxy listens there, starts `command`, and it connects.",
);

const transport = z.union([
  z.literal("stdio"),
  z.strictObject({
    tcp: z
      .string()
      .regex(/^.+:\d{1,5}$/, "host:port")
      .describe(
        "Host and port. Another host than this machine must be in `allow.hosts`. With `start` and `listen` port 0 is a free one; `<port>` in `args` and `env` stands for it.",
      ),
    mode,
  }),
  z.strictObject({
    pipe: z
      .string()
      .min(1)
      .describe(
        "Path of a socket or pipe. With `start` and `listen` `<fresh>` in it stands for a new folder of its own; `<pipe>` in `args` and `env` is the whole path.",
      ),
    mode,
  }),
]);

const forward = z.strictObject({
  notification: nonEmpty.describe("The notification that this server sends."),
  to: identifier.describe("Id of the server that answers."),
  request: nonEmpty.describe("The command (`workspace/executeCommand`) that the other server gets."),
  reply: nonEmpty.describe("The notification that carries the answer back."),
});

/** An entry of `servers`. */
export const serverSchema = z.strictObject({
  id: identifier.describe("The server's name, unique.").meta(discovered("any")),
  kind: optional(
    z.string(),
    "A preset in `configs/servers/`; every key here overrides it. `generic` means none.",
    "fixed",
  ),
  adapter: optional(
    z.string(),
    "A preset whose quirks (settings, replies, timeouts) are used and nothing else.",
    "fixed",
  ),
  enabled: optional(z.boolean(), "`false` leaves the server out.", "only_false"),
  command: optional(
    z.union([nonEmpty, z.array(nonEmpty).min(1)]),
    "A bare name or an absolute path; a list when a program runs a script.",
    "fixed",
  ),
  args: optionalList(z.string(), "Arguments. `[]` means none.", "fixed"),
  extensions: optionalSet(
    z.string().regex(/^[^./\\*?\s][^/\\*?\s]*$/, "an extension without the dot, `*` or spaces"),
    "File extensions without the dot.",
    "subset",
  ),
  filenames: optionalSet(nonEmpty, "Whole file names, for files without a telling extension.", "subset"),
  globs: optionalSet(nonEmpty, "Path globs, for the rest.", "subset"),
  language_id: optional(nonEmpty, "The LSP language id of its files.", "fixed"),
  language_ids: optional(
    z.record(z.string(), z.string()),
    "Extension or file name → language id, where it differs.",
    "fixed",
  ),
  root_markers: optionalList(nonEmpty, "Files that mark a project's root.", "fixed"),
  root_pick: optional(z.enum(["nearest", "farthest"]), "Which marked folder is the root.", "fixed"),
  root_dir: optional(nonEmpty, "A fixed root instead of markers.", "inside"),
  cwd: optional(
    nonEmpty,
    "The server's working directory. When absent its root, or the folder of its program where the workspace is not trusted.",
    "fixed",
  ),
  workspace_folders: optionalList(nonEmpty, "More folders told to the server.", "subset"),
  env: optional(z.record(z.string(), z.string()), "Environment variables added for this server.", "fixed"),
  transport: optional(
    transport,
    '`"stdio"`, `{ tcp = "host:port" }` or `{ pipe = "path" }`; the last two with `mode`, for a server that runs already or speaks over a socket.',
    "fixed",
  ),
  initialize_options: optional(json, "`initializationOptions`.", "fixed"),
  client_capabilities: optional(jsonTable, "Laid over the capabilities that the proxy offers.", "fixed"),
  workspace_configuration: optional(
    jsonTable,
    "Answers `workspace/configuration`, and is sent as `workspace/didChangeConfiguration`.",
    "fixed",
  ),
  push_configuration: optional(
    z.boolean(),
    "Whether `workspace_configuration` is sent unasked at the start (true when absent). False for a server that asks for it: told as well, it may load its project twice.",
    "fixed",
  ),
  initialize_timeout_ms: optional(milliseconds, "Longest time for `initialize`.", "at_most"),
  request_timeout_ms: optional(milliseconds, "Longest time for one request.", "at_most"),
  request_timeout_overrides_ms: optional(
    z.record(z.string(), milliseconds),
    "Method → longest time.",
    "fixed",
  ),
  warmup_timeout_ms: optional(
    milliseconds,
    "Longest wait for a starting server to say that it has indexed.",
    "at_most",
  ),
  replies: optional(z.record(z.string(), json), "Static answers to the server's own requests.", "fixed"),
  forward: optionalList(
    forward,
    "Rules that pass a notification of this server to another one as a request, and its answer back.",
    "fixed",
  ),
  ready: optional(
    z.strictObject({
      progress: optional(z.boolean(), "Whether open work-done progress means indexing."),
      notification: optional(z.string(), "A notification that tells the server's state."),
      field: optional(
        z.string().regex(/^(\/.*)?$/, "a JSON Pointer"),
        "JSON Pointer in its parameters to a boolean: ready. With `text`, to a string.",
      ),
      text: optional(
        z.array(nonEmpty).min(1),
        set("The server is ready once the string at `field` has one of these in it; others say nothing."),
      ),
      at_once: optional(
        z.boolean(),
        "Its first answer is complete: it loads what it needs before it answers, and tells nothing of it.",
      ),
      each_folder: optional(
        z.boolean(),
        "It says that it is ready once for each workspace folder, and again for one that is added.",
      ),
    }),
    "How the server says that it has indexed.",
    "fixed",
  ),
  check: optional(
    z.strictObject({
      method: nonEmpty.describe("The request."),
      params: json.describe(
        "Its parameters; `<file>` in a text stands for the file's path, `<uri>` for its URI.",
      ),
      within_ms: milliseconds.describe(
        "An answer that comes later than this after the change says nothing: the server's own check may have begun by then.",
      ),
      pause_ms: milliseconds.describe("How long after the answer the server may wait before it publishes."),
    }),
    "A request that has one file checked at once, for a server that publishes without versions. It is sent after a change of that file alone, when the diagnostics are asked for; its answer says that everything in the text was found.",
    "fixed",
  ),
  project_files: optionalSet(
    nonEmpty,
    "Files of which one must stand in a folder above a file, or in that file's own, for the server to know the whole project. Without one, an edit across files says that it may be incomplete.",
    "fixed",
  ),
  idle_shutdown_ms: optional(
    z.int().min(0),
    "Stops the server after so long without a call; 0 never.",
    "at_most_or_never",
  ),
  restart_interval_minutes: optional(
    z.number().min(0),
    "Restarts the server every so often; 0 never.",
    "fixed",
  ),
  restart: optional(
    z.strictObject({
      max: optional(z.int().min(0), "Restarts after a crash within the window.", "at_most"),
      window_ms: optional(positive, "The window.", "at_least"),
      backoff_ms: optional(
        z.tuple([z.int().min(0), z.int().min(0)]),
        "First and longest wait between restarts.",
        "fixed",
      ),
    }),
    "What happens after a crash.",
  ),
  features: optional(
    z.union([
      z.strictObject({
        only: z.array(z.string()).min(1).meta(set("The features this server is asked for.")),
      }),
      z.strictObject({ except: z.array(z.string()).min(1).meta(set("The features it is not asked for.")) }),
    ]),
    "For a second server on the same files: `{ only = [...] }` or `{ except = [...] }`.",
    "fewer_features",
  ),
  priority: optional(
    z.int().min(-1000).max(1000),
    "Order among servers of one file; the highest is asked first.",
    "fixed",
  ),
  execute_commands: optionalSet(
    nonEmpty,
    "The `workspace/executeCommand` names that a tool may run.",
    "subset",
  ),
  limits: optional(
    z.strictObject({
      memory_mb: optional(positive, "Memory of the server and its children.", unlimited("at_most")),
      open_files: optional(positive, "Open files.", unlimited("at_most")),
      processes: optional(positive, "Processes of the server, itself counted.", unlimited("at_most")),
      nice: optional(z.int().min(0).max(19), "Scheduling priority, 0 to 19.", unlimited("at_least")),
    }),
    "Limits on the server's process.",
  ),
  sandbox: optional(
    z.enum(["none", "read_only", "no_network", "read_only_no_network"]),
    "How the server is confined: read-only (it writes nothing but temporary files and caches that end with it), no network, or both. Our own config and state are read-only in each. Needs Linux and bubblewrap, for `no_network` alone util-linux does as well; where it cannot be had, the server is not started.",
    "stricter_sandbox",
  ),
  untrusted: optional(
    z.strictObject({
      start: optional(
        z.boolean(),
        'Whether it is known to run nothing of a workspace, with what stands beside this. `false`: it is started there only with `sandbox = "read_only_no_network"`. A preset that says nothing means `false`; a server whose words name the program of no preset, `true`. Of several presets (`kind`, `adapter`, the program) the strictest counts.',
        "fixed",
      ),
      loads: optional(
        z.record(z.string().regex(/^\/.+$/, "a JSON Pointer"), nonEmpty),
        "JSON Pointer in `initialize_options` → file. The path there must be absolute and that file, or a folder with it: otherwise the server would look for one in the workspace.",
        "fixed",
      ),
      without: optionalSet(
        z.string().regex(/^\/(initialize_options|workspace_configuration)\/.+$/, "a JSON Pointer"),
        'JSON Pointers in this server\'s table, to what adds code to it, such as plugins. Where anything is there, it is started only with `sandbox = "read_only_no_network"`: what is added may load what the workspace names.',
        "fixed",
      ),
      initialize_options: optional(jsonTable, "Laid over `initialize_options` there.", "fixed"),
      workspace_configuration: optional(jsonTable, "Laid over `workspace_configuration` there.", "fixed"),
    }),
    "What differs in a workspace that is not trusted, for a server that would load code from it: its packages, its configuration.",
  ),
  open_on_change: optional(
    z.boolean(),
    "The server sees changes on disk only in files that are opened.",
    "fixed",
  ),
  diagnostics: optional(
    z.strictObject({
      pull: optional(
        z.boolean(),
        "Whether they are asked for where the server offers that (true when absent); else only what it publishes counts.",
        "fixed",
      ),
      on_save: optional(
        z.boolean(),
        "It looks at a file only when that is saved, and is told so before it is asked.",
        "fixed",
      ),
    }),
    "How its diagnostics come, where that is not as usual.",
  ),
  share_roots: optional(
    z.boolean(),
    "One process for all roots, where the server takes folders while it runs and nothing names its root (true when absent); else one per root.",
    "fixed",
  ),
  install: optional(z.string(), "How to install the server, for people.", "fixed"),
});

/** A preset: what a file in `configs/servers/` may say. */
export const presetSchema = serverSchema.extend({
  kinds: optionalSet(z.string(), "Other names for this preset, such as lspi's `rust_analyzer`."),
  known_as: optional(
    z.record(z.string(), z.array(nonEmpty).min(1).meta(set("Its names there."))),
    "What another program that brings servers of its own calls this one, by the name that `import` has for that program; only where it is not `id` or one of `kinds`.",
  ),
  languages: optionalSet(z.string(), "The languages it serves, for people and for detection."),
  rank: optional(z.int(), "Among presets for the same files the highest is preferred."),
  preferred: optional(
    nonEmpty,
    "Why it comes before the others for the same files, by measurement where there is one.",
  ),
  companion: optional(
    z.boolean(),
    "It stands beside a language's own server (lint, spelling, style) and is never detected, only added.",
  ),
  stack: optional(
    nonEmpty,
    "A stack in `configs/stacks/` that it works in; alone it does not, so `init` and `add` write the stack.",
  ),
  interpreter: optional(
    z.boolean(),
    "Its program runs any code that its arguments name: without `allow.commands` it may be started only as the preset says.",
  ),
  command_env: optional(z.string(), "A variable of the environment that names another program for it."),
  probe: optional(
    z.strictObject({
      args: z.array(z.string()).meta(sequence("Arguments that print the version.")),
      at_least: z
        .string()
        .regex(/^\d+(\.\d+)*$/, "a version")
        .describe("The oldest version that will do."),
    }),
    "How detection makes sure that an installed program is the right one.",
  ),
  install_on: optional(
    z.strictObject({
      linux: optional(nonEmpty, "On Linux: Debian's package where there is one."),
      macos: optional(nonEmpty, "On macOS."),
      windows: optional(nonEmpty, "On Windows."),
    }),
    "How to install it where one system has a better way than `install`.",
  ),
  homepage: optional(z.string(), "Where it comes from."),
});
