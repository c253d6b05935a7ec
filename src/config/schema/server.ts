/** A language server, and the presets of the catalogue. */
import * as z from "zod";
import { found, open } from "./found.js";
import { identifier, json, jsonTable, milliseconds, positive, sequence, set } from "./values.js";

const mode = z
  .enum(["connect", "start", "listen"])
  .optional()
  .describe(
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
  notification: z.string().min(1).describe("The notification that this server sends."),
  to: identifier.describe("Id of the server that answers."),
  request: z.string().min(1).describe("The command (`workspace/executeCommand`) that the other server gets."),
  reply: z.string().min(1).describe("The notification that carries the answer back."),
});

/** An entry of `servers`. */
export const serverSchema = z.strictObject({
  id: identifier.describe("The server's name, unique.").meta(found("free")),
  kind: z
    .string()
    .optional()
    .describe("A preset in `configs/servers/`; every key here overrides it. `generic` means none.")
    .meta(found("fixed")),
  adapter: z
    .string()
    .optional()
    .describe("A preset whose quirks (settings, replies, timeouts) are used and nothing else.")
    .meta(found("fixed")),
  enabled: z.boolean().optional().describe("`false` leaves the server out.").meta(found("only_false")),
  command: z
    .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
    .optional()
    .describe("A bare name or an absolute path; a list when a program runs a script.")
    .meta(found("fixed")),
  args: z.array(z.string()).optional().meta(sequence("Arguments. `[]` means none.")).meta(found("fixed")),
  extensions: z
    .array(z.string().regex(/^[^./\\*?\s][^/\\*?\s]*$/, "an extension without the dot, `*` or spaces"))
    .optional()
    .meta(set("File extensions without the dot."))
    .meta(found("within")),
  filenames: z
    .array(z.string().min(1))
    .optional()
    .meta(set("Whole file names, for files without a telling extension."))
    .meta(found("within")),
  globs: z.array(z.string().min(1)).optional().meta(set("Path globs, for the rest.")).meta(found("within")),
  language_id: z
    .string()
    .min(1)
    .optional()
    .describe("The LSP language id of its files.")
    .meta(found("fixed")),
  language_ids: z
    .record(z.string(), z.string())
    .optional()
    .describe("Extension or file name → language id, where it differs.")
    .meta(found("fixed")),
  root_markers: z
    .array(z.string().min(1))
    .optional()
    .meta(sequence("Files that mark a project's root."))
    .meta(found("fixed")),
  root_pick: z
    .enum(["nearest", "farthest"])
    .optional()
    .describe("Which marked folder is the root.")
    .meta(found("fixed")),
  root_dir: z.string().min(1).optional().describe("A fixed root instead of markers.").meta(found("inside")),
  cwd: z
    .string()
    .min(1)
    .optional()
    .describe(
      "The server's working directory. When absent its root, or the folder of its program where the workspace is not trusted.",
    )
    .meta(found("fixed")),
  workspace_folders: z
    .array(z.string().min(1))
    .optional()
    .meta(sequence("More folders told to the server."))
    .meta(found("within")),
  env: z
    .record(z.string(), z.string())
    .optional()
    .describe("Environment variables added for this server.")
    .meta(found("fixed")),
  transport: transport
    .optional()
    .describe(
      '`"stdio"`, `{ tcp = "host:port" }` or `{ pipe = "path" }`; the last two with `mode`, for a server that runs already or speaks over a socket.',
    )
    .meta(found("fixed")),
  initialize_options: json.optional().describe("`initializationOptions`.").meta(found("fixed")),
  client_capabilities: jsonTable
    .optional()
    .describe("Laid over the capabilities that the proxy offers.")
    .meta(found("fixed")),
  workspace_configuration: jsonTable
    .optional()
    .describe("Answers `workspace/configuration`, and is sent as `workspace/didChangeConfiguration`.")
    .meta(found("fixed")),
  push_configuration: z
    .boolean()
    .optional()
    .describe(
      "Whether `workspace_configuration` is sent unasked at the start (true when absent). False for a server that asks for it: told as well, it may load its project twice.",
    )
    .meta(found("fixed")),
  initialize_timeout_ms: milliseconds
    .optional()
    .describe("Longest time for `initialize`.")
    .meta(found("least")),
  request_timeout_ms: milliseconds.optional().describe("Longest time for one request.").meta(found("least")),
  request_timeout_overrides_ms: z
    .record(z.string(), milliseconds)
    .optional()
    .describe("Method → longest time.")
    .meta(found("fixed")),
  warmup_timeout_ms: milliseconds
    .optional()
    .describe("Longest wait for a starting server to say that it has indexed.")
    .meta(found("least")),
  replies: z
    .record(z.string(), json)
    .optional()
    .describe("Static answers to the server's own requests.")
    .meta(found("fixed")),
  forward: z
    .array(forward)
    .optional()
    .meta(
      sequence(
        "Rules that pass a notification of this server to another one as a request, and its answer back.",
      ),
    )
    .meta(found("fixed")),
  ready: z
    .strictObject({
      progress: z.boolean().optional().describe("Whether open work-done progress means indexing."),
      notification: z.string().optional().describe("A notification that tells the server's state."),
      field: z
        .string()
        .regex(/^(\/.*)?$/, "a JSON Pointer")
        .optional()
        .describe("JSON Pointer in its parameters to a boolean: ready. With `text`, to a string."),
      text: z
        .array(z.string().min(1))
        .min(1)
        .optional()
        .meta(
          set("The server is ready once the string at `field` has one of these in it; others say nothing."),
        ),
      at_once: z
        .boolean()
        .optional()
        .describe(
          "Its first answer is complete: it loads what it needs before it answers, and tells nothing of it.",
        ),
      each_folder: z
        .boolean()
        .optional()
        .describe(
          "It says that it is ready once for each workspace folder, again for one that is added, and again after source files were added.",
        ),
    })
    .optional()
    .describe("How the server says that it has indexed.")
    .meta(found("fixed")),
  check: z
    .strictObject({
      method: z.string().min(1).describe("The request."),
      params: json.describe(
        "Its parameters; `<file>` in a text stands for the file's path, `<uri>` for its URI.",
      ),
      within_ms: milliseconds.describe(
        "An answer that comes later than this after the change says nothing: the server's own check may have begun by then.",
      ),
      pause_ms: milliseconds.describe("How long after the answer the server may wait before it publishes."),
    })
    .optional()
    .describe(
      "A request that has one file checked at once, for a server that publishes without versions. It is sent after a change of that file alone, when the diagnostics are asked for; its answer says that everything in the text was found.",
    )
    .meta(found("fixed")),
  project_files: z
    .array(z.string().min(1))
    .optional()
    .meta(
      set(
        "Files of which one must stand in a folder above a file, or in that file's own, for the server to know the whole project. Without one, an edit across files says that it may be incomplete.",
      ),
    )
    .meta(found("fixed")),
  idle_shutdown_ms: z
    .int()
    .min(0)
    .optional()
    .describe("Stops the server after so long without a call; 0 never.")
    .meta(found("sooner")),
  restart_interval_minutes: z
    .number()
    .min(0)
    .optional()
    .describe("Restarts the server every so often; 0 never.")
    .meta(found("fixed")),
  restart: z
    .strictObject({
      max: z
        .int()
        .min(0)
        .optional()
        .describe("Restarts after a crash within the window.")
        .meta(found("least")),
      window_ms: positive.optional().describe("The window.").meta(found("most")),
      backoff_ms: z
        .tuple([z.int().min(0), z.int().min(0)])
        .optional()
        .describe("First and longest wait between restarts.")
        .meta(found("fixed")),
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
    .describe("For a second server on the same files: `{ only = [...] }` or `{ except = [...] }`.")
    .meta(found("fewer")),
  priority: z
    .int()
    .min(-1000)
    .max(1000)
    .optional()
    .describe("Order among servers of one file; the highest is asked first.")
    .meta(found("fixed")),
  execute_commands: z
    .array(z.string().min(1))
    .optional()
    .meta(set("The `workspace/executeCommand` names that a tool may run."))
    .meta(found("within")),
  limits: z
    .strictObject({
      memory_mb: positive.optional().describe("Memory of the server and its children.").meta(open("least")),
      open_files: positive.optional().describe("Open files.").meta(open("least")),
      processes: positive.optional().describe("Processes of the server, itself counted.").meta(open("least")),
      nice: z.int().min(0).max(19).optional().describe("Scheduling priority, 0 to 19.").meta(open("most")),
    })
    .optional()
    .describe("Limits on the server's process."),
  sandbox: z
    .enum(["none", "read_only", "no_network", "read_only_no_network"])
    .optional()
    .describe(
      "How the server is confined: read-only (it writes nothing but temporary files and caches that end with it), no network, or both. Our own config and state are read-only in each. Needs Linux and bubblewrap, for `no_network` alone util-linux does as well; where it cannot be had, the server is not started.",
    )
    .meta(found("confined")),
  untrusted: z
    .strictObject({
      start: z
        .boolean()
        .optional()
        .describe(
          'Whether it is known to run nothing of a workspace, with what stands beside this. `false`: it is started there only with `sandbox = "read_only_no_network"`. A preset that says nothing means `false`; a server whose words name the program of no preset, `true`. Of several presets (`kind`, `adapter`, the program) the strictest counts.',
        )
        .meta(found("fixed")),
      loads: z
        .record(z.string().regex(/^\/.+$/, "a JSON Pointer"), z.string().min(1))
        .optional()
        .describe(
          "JSON Pointer in `initialize_options` → file. The path there must be absolute and that file, or a folder with it: otherwise the server would look for one in the workspace.",
        )
        .meta(found("fixed")),
      without: z
        .array(z.string().regex(/^\/(initialize_options|workspace_configuration)\/.+$/, "a JSON Pointer"))
        .optional()
        .meta(
          set(
            'JSON Pointers in this server\'s table, to what adds code to it, such as plugins. Where anything is there, it is started only with `sandbox = "read_only_no_network"`: what is added may load what the workspace names.',
          ),
        )
        .meta(found("fixed")),
      initialize_options: jsonTable
        .optional()
        .describe("Laid over `initialize_options` there.")
        .meta(found("fixed")),
      workspace_configuration: jsonTable
        .optional()
        .describe("Laid over `workspace_configuration` there.")
        .meta(found("fixed")),
    })
    .optional()
    .describe(
      "What differs in a workspace that is not trusted, for a server that would load code from it: its packages, its configuration.",
    ),
  open_on_change: z
    .boolean()
    .optional()
    .describe("The server sees changes on disk only in files that are opened.")
    .meta(found("fixed")),
  diagnostics: z
    .strictObject({
      pull: z
        .boolean()
        .optional()
        .describe(
          "Whether they are asked for where the server offers that (true when absent); else only what it publishes counts.",
        )
        .meta(found("fixed")),
      on_save: z
        .boolean()
        .optional()
        .describe("It looks at a file only when that is saved, and is told so before it is asked.")
        .meta(found("fixed")),
    })
    .optional()
    .describe("How its diagnostics come, where that is not as usual."),
  share_roots: z
    .boolean()
    .optional()
    .describe(
      "One process for all roots, where the server takes folders while it runs and nothing names its root (true when absent); else one per root.",
    )
    .meta(found("fixed")),
  install: z.string().optional().describe("How to install the server, for people.").meta(found("fixed")),
});

/** A preset: what a file in `configs/servers/` may say. */
export const presetSchema = serverSchema.extend({
  kinds: z
    .array(z.string())
    .optional()
    .meta(set("Other names for this preset, such as lspi's `rust_analyzer`.")),
  known_as: z
    .record(z.string(), z.array(z.string().min(1)).min(1).meta(set("Its names there.")))
    .optional()
    .describe(
      "What another program that brings servers of its own calls this one, by the name that `import` has for that program; only where it is not `id` or one of `kinds`.",
    ),
  languages: z
    .array(z.string())
    .optional()
    .meta(set("The languages it serves, for people and for detection.")),
  rank: z.int().optional().describe("Among presets for the same files the highest is preferred."),
  preferred: z
    .string()
    .min(1)
    .optional()
    .describe("Why it comes before the others for the same files, by measurement where there is one."),
  companion: z
    .boolean()
    .optional()
    .describe(
      "It stands beside a language's own server (lint, spelling, style) and is never detected, only added.",
    ),
  stack: z
    .string()
    .min(1)
    .optional()
    .describe(
      "A stack in `configs/stacks/` that it works in; alone it does not, so `init` and `add` write the stack.",
    ),
  interpreter: z
    .boolean()
    .optional()
    .describe(
      "Its program runs any code that its arguments name: without `allow.commands` it may be started only as the preset says.",
    ),
  command_env: z
    .string()
    .optional()
    .describe("A variable of the environment that names another program for it."),
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
  install_on: z
    .strictObject({
      linux: z.string().min(1).optional().describe("On Linux: Debian's package where there is one."),
      macos: z.string().min(1).optional().describe("On macOS."),
      windows: z.string().min(1).optional().describe("On Windows."),
    })
    .optional()
    .describe("How to install it where one system has a better way than `install`."),
  homepage: z.string().optional().describe("Where it comes from."),
});
