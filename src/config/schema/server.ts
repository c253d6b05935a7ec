/** An entry of `servers`. */
import * as z from "zod";
import { check, forward, projectQuery, ready, transport, untrusted } from "./server-parts.js";
import {
  atMost,
  discovered,
  fixed,
  globs,
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
  stringMap,
  unlimited,
} from "./values.js";

export const serverSchema = z.strictObject({
  id: identifier.describe("The name of the server. It must be unique.").meta(discovered("any")),
  kind: fixed(
    z.string(),
    'The preset: a name that `lsp-proxy servers` lists. Keys here override those of the preset. `generic` is no preset; it only gives `args` the default `["--stdio"]`.',
  ),
  adapter: fixed(
    z.string(),
    "A preset whose settings, replies and timeouts are used for another program, the one in `command`.",
  ),
  enabled: optional(z.boolean(), "`false` turns the server off.", "only_false"),
  command: fixed(
    z.union([nonEmpty, z.array(nonEmpty).min(1)]),
    "The program: a name on PATH or an absolute path. A list is for an interpreter and the script that it runs.",
  ),
  args: optionalList(
    z.string(),
    "The arguments of the program. `[]` also removes those of the preset.",
    "fixed",
  ),
  extensions: optionalSet(
    z.string().regex(/^[^./\\*?\s][^/\\*?\s]*$/, "an extension without the dot, `*` or spaces"),
    "The extensions of its files, without the dot.",
    "subset",
  ),
  filenames: optionalSet(nonEmpty, "Whole names of its files, for files without an extension.", "subset"),
  globs: optional(
    globs,
    set("Globs of the paths of its files, for files that `extensions` and `filenames` cannot select."),
    "subset",
  ),
  language_id: fixed(nonEmpty, "The LSP language id of its files, such as `python`."),
  language_ids: fixed(stringMap, "Other language ids for some files: an extension or file name → the id."),
  root_markers: optional(
    globs,
    sequence("Files that mark the root of a project: the root is a folder that has one of them."),
    "fixed",
  ),
  root_pick: fixed(z.enum(["nearest", "farthest"]), "Which marked folder above a file is the root."),
  root_dir: optional(
    nonEmpty,
    "A fixed root instead of `root_markers`. If several servers have the same files, the one with the deepest `root_dir` around a file serves it.",
    "inside",
  ),
  cwd: fixed(nonEmpty, "The working directory of the server."),
  workspace_folders: optionalList(nonEmpty, "Further workspace folders of the server.", "subset"),
  env: fixed(stringMap, "Environment variables that are set for this server."),
  transport: fixed(
    transport,
    '`"stdio"`, `{ tcp = "host:port" }` or `{ pipe = "path" }`; the last two with `mode`, for a server that already runs or uses a socket.',
  ),
  initialize_options: fixed(json, "The `initializationOptions` that the server gets at its start."),
  client_capabilities: fixed(jsonTable, "Client capabilities that are merged over those of the proxy."),
  workspace_configuration: fixed(
    jsonTable,
    "The settings of the server. They answer `workspace/configuration`, and are sent with `workspace/didChangeConfiguration`.",
  ),
  push_configuration: fixed(
    z.boolean(),
    "Whether `workspace_configuration` is sent at the start without a request. `false` is for a server that requests it: it might load its project twice.",
  ),
  initialize_timeout_ms: atMost(milliseconds, "The longest time for `initialize`, in milliseconds."),
  request_timeout_ms: atMost(milliseconds, "The longest time for one request, in milliseconds."),
  request_timeout_overrides_ms: fixed(
    z.record(z.string(), milliseconds),
    "Other times for some methods: the method → the longest time in milliseconds.",
  ),
  never_cancel: optionalSet(
    nonEmpty,
    "Methods whose requests are never cancelled: their answers are ignored instead. For a server that fails after a cancellation.",
    "fixed",
  ),
  warmup_timeout_ms: atMost(
    milliseconds,
    "The longest wait for a starting server to index, in milliseconds.",
  ),
  replies: fixed(
    z.record(z.string(), json),
    "Fixed answers to requests of the server: the method → the answer.",
  ),
  forward: optionalList(
    forward,
    "Rules that forward a notification of this server to another one as a request, and return its answer.",
    "fixed",
  ),
  ready: fixed(ready, "How the server reports that it has indexed."),
  check: fixed(
    check,
    "A request that checks one file immediately, for a server that publishes diagnostics without versions. It is sent when diagnostics are requested and only that file has changed. After the reply the diagnostics are complete.",
  ),
  symbol_limit: fixed(
    positive,
    "The maximum number of symbols of the workspace that the server gives for one query. A list of that length is treated as incomplete.",
  ),
  library_roots: optionalSet(
    nonEmpty,
    "Folders of dependencies and standard libraries that may be read, never edited. Each is absolute, or begins with `~`, `<parents>` (every folder above the workspace), `**`, or a variable: `$NAME` in braces, with `:-default` if it has one. `*` in a name stands for any characters. Folders that do not exist are ignored.",
    "fixed",
  ),
  project_query: fixed(
    projectQuery,
    "A request that tells which project a file belongs to, for a server that knows only the projects of open files. Before a question about the workspace or about the uses of a symbol, a file of a project is opened.",
  ),
  project_files: optionalSet(
    nonEmpty,
    "Project files, such as `tsconfig.json`. One of them must be in the folder of a file or above it, so that the server knows the whole project. Without one, answers and edits across files warn that they may be incomplete. Once there is one, the server is restarted.",
    "fixed",
  ),
  settings_files: optionalSet(
    nonEmpty,
    "Files that are enough for answers about a single file, if there is none of `project_files`.",
    "fixed",
  ),
  project_fix: fixed(nonEmpty, "The advice in that warning: how to create one of `project_files`."),
  idle_shutdown_ms: optional(
    z.int().min(0),
    "The server is stopped after this time without requests, in milliseconds; 0 means never.",
    "at_most_or_never",
  ),
  restart_interval_minutes: fixed(
    z.number().min(0),
    "The server is restarted regularly, after this many minutes; 0 means never.",
  ),
  restart: optional(
    z.strictObject({
      max: atMost(z.int().min(0), "The maximum number of restarts after crashes within `window_ms`."),
      window_ms: optional(
        positive,
        "The time in which `max` restarts are allowed, in milliseconds.",
        "at_least",
      ),
      backoff_ms: fixed(
        z.tuple([z.int().min(0), z.int().min(0)]),
        "The first and the longest wait before a restart, in milliseconds.",
      ),
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
    "Which features the server is used for, if another server has the same files: `{ only = [...] }` or `{ except = [...] }`.",
    "fewer_features",
  ),
  priority: fixed(
    z.int().min(-1000).max(1000),
    "The order of several servers for one file: the highest is asked first.",
  ),
  execute_commands: optionalSet(
    nonEmpty,
    "Commands of the server that tools may run with `workspace/executeCommand`.",
    "subset",
  ),
  limits: optional(
    z.strictObject({
      memory_mb: optional(
        positive,
        "The maximum memory of the server and its child processes, in MB.",
        unlimited("at_most"),
      ),
      open_files: optional(positive, "The maximum number of open files of the server.", unlimited("at_most")),
      processes: optional(
        positive,
        "The maximum number of processes of the server, itself included.",
        unlimited("at_most"),
      ),
      nice: optional(
        z.int().min(0).max(19),
        "The scheduling priority of the server (`nice`), 0 to 19. A higher number leaves more CPU time to other programs.",
        unlimited("at_least"),
      ),
    }),
    "Limits on the process of the server.",
  ),
  sandbox: optional(
    z.enum(["none", "read_only", "no_network", "read_only_no_network"]),
    "How the server is confined: it can write only temporary files and caches, which are deleted when it ends (`read_only`), it has no network (`no_network`), or both. The config and state of the proxy are always read-only. It needs Linux and bubblewrap; for `no_network` alone util-linux is enough. If these programs are missing, the server is not started.",
    "stricter_sandbox",
  ),
  untrusted: optional(
    untrusted,
    "Other settings for untrusted workspaces, for a server that would load code from them, such as packages.",
  ),
  open_on_change: fixed(
    z.boolean(),
    "Whether a changed file is opened in the server, for a server that notices changes only in open files.",
  ),
  warm_imports: fixed(
    z.int().min(0).max(50),
    "How many files that a document imports are opened with it, before a call needs them. Relative paths in quotes count as imports.",
  ),
  diagnostics: optional(
    z.strictObject({
      pull: fixed(
        z.boolean(),
        "Whether diagnostics are requested where the server supports that. Otherwise only published ones count.",
      ),
      on_save: fixed(
        z.boolean(),
        "Whether the server checks a file only after `textDocument/didSave`, so that this notification is sent first.",
      ),
    }),
    "How diagnostics are obtained from a server that differs from the usual.",
  ),
  share_roots: fixed(
    z.boolean(),
    "Whether one process serves all roots, if the server accepts folders while it runs and nothing names its root. Otherwise there is one process for each root.",
  ),
  probe: optional(
    z.strictObject({
      args: z.array(z.string()).meta(sequence("Arguments that print the version.")),
      at_least: z
        .string()
        .regex(/^\d+(\.\d+)*$/, "a version")
        .describe("The oldest version that works."),
    }),
    "How the version of an installed program is checked. The project's own program is not used if it is older.",
    "fixed",
  ),
  install: fixed(z.string(), "A text that tells people how to install the server."),
});
