/**
 * Tables inside an entry of `servers`: its transport, its state, its requests, its settings in untrusted workspaces.
 */
import * as z from "zod";
import {
  fixed,
  identifier,
  json,
  jsonPointer,
  jsonTable,
  milliseconds,
  nonEmpty,
  optional,
  optionalSet,
  set,
} from "./values.js";

const mode = optional(
  z.enum(["connect", "start", "listen"]),
  "`connect`: the server already runs, and nothing is started. `start`: `command` is started first and listens there. `listen`: the proxy listens there and starts `command`, which connects.",
);

export const transport = z.union([
  z.literal("stdio"),
  z.strictObject({
    tcp: z
      .string()
      .regex(/^.+:\d{1,5}$/, "host:port")
      .describe(
        "The host and port of the server. Another host than this machine must be in `allow.hosts`. With `start` and `listen`, port 0 picks a free port, and `<port>` in `args` and `env` is replaced by it.",
      ),
    mode,
  }),
  z.strictObject({
    pipe: z
      .string()
      .min(1)
      .describe(
        "The path of a socket or pipe. With `start` and `listen`, `<fresh>` in it is replaced by a new folder, and `<pipe>` in `args` and `env` by the whole path.",
      ),
    mode,
  }),
]);

export const forward = z.strictObject({
  notification: nonEmpty.describe("The notification that this server sends."),
  to: optional(identifier, "The id of the server that answers. Without it the answer is null."),
  request: optional(nonEmpty, "The command (`workspace/executeCommand`) that is sent to the other server."),
  reply: nonEmpty.describe("The notification that carries the answer back."),
});

export const ready = z.strictObject({
  progress: optional(z.boolean(), "Whether an open progress report of the server means that it is indexing."),
  notification: optional(z.string(), "A notification that tells the state of the server."),
  field: optional(
    jsonPointer,
    "JSON Pointer in the parameters of `notification` to a boolean that means ready; with `text`, to a string.",
  ),
  text: optional(
    z.array(nonEmpty).min(1),
    set("The server is ready once the string at `field` contains one of these. Other strings are ignored."),
  ),
  at_once: optional(
    z.boolean(),
    "Whether the server counts as ready from its start. For a server whose first answer is complete and that does not report loading.",
  ),
  each_folder: optional(
    z.boolean(),
    "Whether the server reports for each workspace folder that it is ready, and again after source files were added.",
  ),
});

export const check = z.strictObject({
  method: nonEmpty.describe("The request that is sent."),
  params: json.describe(
    "The parameters of the request. `<file>` in a string is replaced by the path of the file, `<uri>` by its URI.",
  ),
  within_ms: milliseconds.describe(
    "An answer that comes later than this after the change is ignored, in milliseconds: the server's own check may have begun by then.",
  ),
  pause_ms: milliseconds.describe(
    "How long after the answer the server may wait before it publishes diagnostics, in milliseconds.",
  ),
});

export const projectQuery = z.strictObject({
  method: nonEmpty.describe("The request that is sent."),
  params: json.describe(
    "The parameters of the request. `<file>` in a string is replaced by the path of the file, `<uri>` by its URI.",
  ),
  field: jsonPointer.describe(
    "JSON Pointer in the answer to the name of the project. No name, or an empty one, means no project.",
  ),
  none: optional(
    z.array(nonEmpty).min(1),
    set("Parts of names that mean that the file belongs to no project."),
  ),
  markers: optional(
    z.array(nonEmpty).min(1),
    set(
      "Names of files whose folder is a project of its own. A file of each such project is opened, for at most 20 projects. Other files are opened if they contain the name in question, at most half of `limits.max_open_documents`.",
    ),
  ),
});

export const untrusted = z.strictObject({
  start: fixed(
    z.boolean(),
    'Whether it is known that the server, with these settings, runs no code of a workspace. `false`: it is started there only with `sandbox = "read_only_no_network"`. Of several presets (`kind`, `adapter`, the program) the strictest applies.',
  ),
  loads: fixed(
    z.record(z.string().regex(/^\/.+$/, "a JSON Pointer"), nonEmpty),
    "Files that the server loads: a JSON Pointer in `initialize_options` → the file. The path there must be absolute and be that file, or a folder that contains it. Otherwise the server would search the workspace for it.",
  ),
  without: optionalSet(
    z.string().regex(/^\/(initialize_options|workspace_configuration)\/.+$/, "a JSON Pointer"),
    'JSON Pointers in this server\'s table to settings that add code to it, such as plugins. If one is set, the server is started only with `sandbox = "read_only_no_network"`: added code may load files that the workspace names.',
    "fixed",
  ),
  initialize_options: fixed(
    jsonTable,
    "Values that are merged over `initialize_options` in an untrusted workspace.",
  ),
  workspace_configuration: fixed(
    jsonTable,
    "Values that are merged over `workspace_configuration` in an untrusted workspace.",
  ),
});
