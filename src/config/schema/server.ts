/** An entry of `servers`. */
import * as z from "zod";
import {
  atMost,
  discovered,
  fixed,
  globs,
  identifier,
  json,
  jsonPointer,
  jsonTable,
  milliseconds,
  nonEmpty,
  optional,
  optionalList,
  optionalSet,
  positive,
  sequence,
  set,
  stringMap,
  unlimited,
} from "./values.js";

const mode = optional(
  z.enum(["connect", "start", "listen"]),
  "`connect` (when absent): the server already runs, and nothing is started. `start`: `command` is started first and listens there. `listen`: the proxy listens there and starts `command`, which connects.",
);

const transport = z.union([
  z.literal("stdio"),
  z.strictObject({
    tcp: z
      .string()
      .regex(/^.+:\d{1,5}$/, "host:port")
      .describe(
        "Host and port. Another host than this machine must be in `allow.hosts`. With `start` and `listen`, port 0 picks a free one; `<port>` in `args` and `env` is replaced by it.",
      ),
    mode,
  }),
  z.strictObject({
    pipe: z
      .string()
      .min(1)
      .describe(
        "Path of a socket or pipe. With `start` and `listen`, `<fresh>` in it is replaced by a new folder; `<pipe>` in `args` and `env` by the whole path.",
      ),
    mode,
  }),
]);

const forward = z.strictObject({
  notification: nonEmpty.describe("The notification that this server sends."),
  to: optional(identifier, "Id of the server that answers; without it the answer is null."),
  request: optional(nonEmpty, "The command (`workspace/executeCommand`) that is sent to the other server."),
  reply: nonEmpty.describe("The notification that carries the answer back."),
});

export const serverSchema = z.strictObject({
  id: identifier.describe("The server's name, unique.").meta(discovered("any")),
  kind: fixed(z.string(), "A preset in `configs/servers/`, or `generic`; keys here override it."),
  adapter: fixed(z.string(), "A preset, for its settings, replies and timeouts only."),
  enabled: optional(z.boolean(), "`false` disables the server.", "only_false"),
  command: fixed(
    z.union([nonEmpty, z.array(nonEmpty).min(1)]),
    "A bare name or an absolute path; a list when a program runs a script.",
  ),
  args: optionalList(z.string(), "Arguments. `[]` means none.", "fixed"),
  extensions: optionalSet(
    z.string().regex(/^[^./\\*?\s][^/\\*?\s]*$/, "an extension without the dot, `*` or spaces"),
    "File extensions without the dot.",
    "subset",
  ),
  filenames: optionalSet(nonEmpty, "Whole file names, for files without an extension.", "subset"),
  globs: optional(globs, set("Path globs, for other files."), "subset"),
  language_id: fixed(nonEmpty, "The LSP language id of its files."),
  language_ids: fixed(stringMap, "Extension or file name → another language id."),
  root_markers: optional(globs, sequence("Files that mark a project's root."), "fixed"),
  root_pick: fixed(z.enum(["nearest", "farthest"]), "Which marked folder is the root."),
  root_dir: optional(
    nonEmpty,
    "A fixed root instead of markers. Of servers for the same files, the one with the deepest `root_dir` around a file serves it.",
    "inside",
  ),
  cwd: fixed(
    nonEmpty,
    "The server's working directory. When absent its root, or the folder of its program where the workspace is not trusted.",
  ),
  workspace_folders: optionalList(nonEmpty, "More workspace folders for the server.", "subset"),
  env: fixed(stringMap, "Environment variables added for this server."),
  transport: fixed(
    transport,
    '`"stdio"`, `{ tcp = "host:port" }` or `{ pipe = "path" }`; the last two with `mode`, for a server that already runs or uses a socket.',
  ),
  initialize_options: fixed(json, "`initializationOptions`."),
  client_capabilities: fixed(jsonTable, "Merged over the client capabilities of the proxy."),
  workspace_configuration: fixed(
    jsonTable,
    "Answers `workspace/configuration`, and is sent as `workspace/didChangeConfiguration`.",
  ),
  push_configuration: fixed(
    z.boolean(),
    "Whether `workspace_configuration` is sent at the start without a request (true when absent). False for a server that requests it: otherwise it may load its project twice.",
  ),
  initialize_timeout_ms: atMost(milliseconds, "Longest time for `initialize`."),
  request_timeout_ms: atMost(milliseconds, "Longest time for one request."),
  request_timeout_overrides_ms: fixed(z.record(z.string(), milliseconds), "Method → longest time."),
  never_cancel: optionalSet(
    nonEmpty,
    "Methods whose requests are not cancelled at the server: their answers are ignored instead. For a server that a cancellation breaks.",
    "fixed",
  ),
  warmup_timeout_ms: atMost(milliseconds, "Longest wait for a starting server to index."),
  replies: fixed(z.record(z.string(), json), "Static answers to the server's own requests."),
  forward: optionalList(
    forward,
    "Rules that forward a notification of this server to another one as a request, and return its answer.",
    "fixed",
  ),
  ready: fixed(
    z.strictObject({
      progress: optional(z.boolean(), "Whether open work-done progress means indexing."),
      notification: optional(z.string(), "A notification with the server's state."),
      field: optional(
        jsonPointer,
        "JSON Pointer in its parameters to a boolean that means ready; with `text`, to a string.",
      ),
      text: optional(
        z.array(nonEmpty).min(1),
        set("The server is ready once the string at `field` contains one of these; others are ignored."),
      ),
      at_once: optional(z.boolean(), "Its first answer is complete; it does not report loading."),
      each_folder: optional(
        z.boolean(),
        "It reports that it is ready for each workspace folder, and again after source files were added.",
      ),
    }),
    "How the server reports that it has indexed.",
  ),
  check: fixed(
    z.strictObject({
      method: nonEmpty.describe("The request."),
      params: json.describe(
        "Its parameters; `<file>` in a string is replaced by the file's path, `<uri>` by its URI.",
      ),
      within_ms: milliseconds.describe(
        "An answer later than this after the change is ignored: the server's own check may have begun by then.",
      ),
      pause_ms: milliseconds.describe("How long after the answer the server may wait before it publishes."),
    }),
    "A request that checks one file immediately, for a server that publishes diagnostics without versions. It is sent when the diagnostics are requested after a change of that file alone; after its answer they are complete.",
  ),
  symbol_limit: fixed(
    positive,
    "The most symbols of the workspace that the server reports for one query. A list of that length counts as cut.",
  ),
  library_roots: optionalSet(
    nonEmpty,
    "Folders of dependencies and standard libraries that may be read, never edited: absolute, or beginning with `~`, `<parents>` (every folder above the workspace), `**` or a variable, `$NAME` in braces, with `:-default` if it has one; `*` in a name stands for any characters. Folders that do not exist are ignored.",
    "fixed",
  ),
  project_query: fixed(
    z.strictObject({
      method: nonEmpty.describe("The request."),
      params: json.describe("Its parameters; `<file>` and `<uri>` in a string are replaced by the file."),
      field: jsonPointer.describe("JSON Pointer in the answer to the project's name; empty for none."),
      none: optional(
        z.array(nonEmpty).min(1),
        set("Parts of names that mean that the file belongs to no project."),
      ),
    }),
    "A request that tells which project a file belongs to, for a server that knows only the projects of open files. Before a question about the workspace a file of a project is opened.",
  ),
  project_files: optionalSet(
    nonEmpty,
    "Files of which one must be in a file's folder or in one above it, so that the server knows the whole project. Without one, answers and edits across files warn that they may be incomplete; once there is one, the server is started anew.",
    "fixed",
  ),
  settings_files: optionalSet(
    nonEmpty,
    "Files that are enough for answers about a single file, where there is none of `project_files`.",
    "fixed",
  ),
  project_fix: fixed(nonEmpty, "How to create one of `project_files`, for the warning."),
  idle_shutdown_ms: optional(z.int().min(0), "Idle time until it stops; 0 means never.", "at_most_or_never"),
  restart_interval_minutes: fixed(z.number().min(0), "Restarts it regularly; 0 means never."),
  restart: optional(
    z.strictObject({
      max: atMost(z.int().min(0), "Restarts after a crash within the window."),
      window_ms: optional(positive, "The window.", "at_least"),
      backoff_ms: fixed(z.tuple([z.int().min(0), z.int().min(0)]), "First and longest wait."),
    }),
    "What happens after a crash.",
  ),
  features: optional(
    z.union([
      z.strictObject({
        only: z.array(z.string()).min(1).meta(set("The features that this server is used for.")),
      }),
      z.strictObject({
        except: z.array(z.string()).min(1).meta(set("The features that it is not used for.")),
      }),
    ]),
    "For a second server on the same files: `{ only = [...] }` or `{ except = [...] }`.",
    "fewer_features",
  ),
  priority: fixed(z.int().min(-1000).max(1000), "Among servers of one file the highest is asked first."),
  execute_commands: optionalSet(nonEmpty, "`workspace/executeCommand` names that tools may run.", "subset"),
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
    "How the server is confined: read-only (it writes nothing but temporary files and caches that end with it), no network, or both. Our own config and state are always read-only. Needs Linux and bubblewrap; for `no_network` alone, util-linux is enough. Where it is not available, the server is not started.",
    "stricter_sandbox",
  ),
  untrusted: optional(
    z.strictObject({
      start: fixed(
        z.boolean(),
        'Whether it is known to run no code of a workspace with these settings. `false`: it is started there only with `sandbox = "read_only_no_network"`. The default is `false` for a preset, and `true` for a server whose command names no program of a preset. Of several presets (`kind`, `adapter`, the program) the strictest counts.',
      ),
      loads: fixed(
        z.record(z.string().regex(/^\/.+$/, "a JSON Pointer"), nonEmpty),
        "JSON Pointer in `initialize_options` → file. The path there must be absolute and be that file, or a folder that contains it: otherwise the server would search the workspace.",
      ),
      without: optionalSet(
        z.string().regex(/^\/(initialize_options|workspace_configuration)\/.+$/, "a JSON Pointer"),
        'JSON Pointers in this server\'s table to settings that add code to it, such as plugins. If one is set, the server is started only with `sandbox = "read_only_no_network"`: added code may load files that the workspace names.',
        "fixed",
      ),
      initialize_options: fixed(jsonTable, "Merged over `initialize_options` there."),
      workspace_configuration: fixed(jsonTable, "Merged over `workspace_configuration` there."),
    }),
    "Different settings for untrusted workspaces, for a server that would load code from them: packages, configuration.",
  ),
  open_on_change: fixed(z.boolean(), "The server notices changes on disk only in open files."),
  warm_imports: fixed(
    z.int().min(0).max(50),
    "How many files that a document imports are opened with it, ahead of questions about them; 0 when absent. Relative paths in quotes count as imports.",
  ),
  diagnostics: optional(
    z.strictObject({
      pull: fixed(
        z.boolean(),
        "Whether they are requested where the server supports that (true when absent); else only published ones count.",
      ),
      on_save: fixed(z.boolean(), "It checks a file only when saved, so a save is sent first."),
    }),
    "How its diagnostics are obtained, where that is unusual.",
  ),
  share_roots: fixed(
    z.boolean(),
    "One process for all roots, where the server accepts folders while it runs and nothing names its root (true when absent); else one per root.",
  ),
  probe: optional(
    z.strictObject({
      args: z.array(z.string()).meta(sequence("Arguments that print the version.")),
      at_least: z
        .string()
        .regex(/^\d+(\.\d+)*$/, "a version")
        .describe("The oldest version that works."),
    }),
    "How an installed program is checked to be the right one. The project's own is not used where it is older.",
    "fixed",
  ),
  install: fixed(z.string(), "How to install the server, for people."),
});
