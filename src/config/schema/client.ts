/** An MCP client in `configs/clients.toml`: where its files are, and how it is told of a server. */
import * as z from "zod";

const paths = z.array(z.string().min(1)).min(1);

/** The paths of a file: for every system, or a list for each. */
const filePaths = z.union([
  paths,
  z.strictObject({ linux: paths.optional(), darwin: paths.optional(), win32: paths.optional() }),
]);

const places = z.strictObject({ user: filePaths.optional(), project: filePaths.optional() });

const file = z.strictObject({
  /** The template of what stands in the file, in `templates/clients/`; its ending is the file's language. */
  template: z.string().regex(/^[a-z-]+\.(json|toml)$/),
  /** The table that has an entry for each server; absent for a file that only goes along. */
  entry: paths.optional(),
  /** A single value that is short for a table with one key, which ours may join. */
  spread: z.array(z.strictObject({ at: paths, value: z.string(), key: z.string() })).optional(),
  /** A list that is only joined: one made by us would take the place of another that the client keeps elsewhere. */
  joins: paths.optional(),
  user: filePaths.optional(),
  project: filePaths.optional(),
});

export const clientSchema = z.strictObject({
  id: z.string().regex(/^[a-z][a-z-]*$/),
  title: z.string().min(1),
  /** The program that a person has when they have the client. */
  program: z.string().optional(),
  context: z.string().min(1),
  client_info: z.array(z.string()).min(1),
  tool_name: z.string().includes("SERVER").includes("TOOL").optional(),
  plain_names: z.boolean().optional(),
  /** A tool's name in the client's lists of permissions, where the model sees another. */
  allow_name: z.string().includes("SERVER").includes("TOOL").optional(),
  max_tool_name: z.int().positive().optional(),
  variable: z.string().includes("NAME").optional(),
  environment: z
    .strictObject({ inherits: z.array(z.string()), told: z.enum(["names", "references", "values"]) })
    .optional(),
  /** How long it waits at most, whatever its file says; with what else could change that. */
  waits: z
    .strictObject({
      start_ms: z.int().positive().optional(),
      call_ms: z.int().positive().optional(),
      unless: z.string().optional(),
    })
    .optional(),
  no_http: z.string().optional(),
  handshake: z.iso.date().optional(),
  notes: z.string().min(1),
  /** The folders that it looks for skills in, and the files of what it always tells its model. */
  skills: places.optional(),
  memory: places.optional(),
  files: z.array(file).min(1),
});

export type ClientFacts = z.infer<typeof clientSchema>;
export type ClientFileFacts = ClientFacts["files"][number];
/** Where something of a client's stands. */
export type ClientPaths = z.infer<typeof places>;
