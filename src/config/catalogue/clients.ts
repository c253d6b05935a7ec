/** The known MCP clients, from `configs/clients.toml`, and the paths of their files on this machine. */
import { isAbsolute, join } from "node:path";
import * as z from "zod";
import type { Environment } from "../discover.js";
import type { Files } from "../files.js";
import { readSource } from "../text/read.js";

const paths = z.array(z.string().min(1)).min(1);

/** The paths of a file: for every system, or a list for each. */
const filePaths = z.union([
  paths,
  z.strictObject({ linux: paths.optional(), darwin: paths.optional(), win32: paths.optional() }),
]);

const places = z.strictObject({ user: filePaths.optional(), project: filePaths.optional() });

const file = z.strictObject({
  /** The template of the file's content, in `templates/clients/`; its extension is the file's language. */
  template: z.string().regex(/^[a-z-]+\.(json|toml)$/),
  /** The table that has an entry for each server; absent for a file without entries. */
  entry: paths.optional(),
  /** A shorthand value; it is expanded to a table before our keys are added. */
  spread: z.array(z.strictObject({ at: paths, value: z.string(), key: z.string() })).optional(),
  /** A list that must already exist: creating it would hide the client's own list. */
  joins: paths.optional(),
  user: filePaths.optional(),
  project: filePaths.optional(),
});

const clientSchema = z.strictObject({
  id: z.string().regex(/^[a-z][a-z-]*$/),
  title: z.string().min(1),
  program: z.string().optional(),
  context: z.string().min(1),
  client_info: z.array(z.string()).min(1),
  tool_name: z.string().includes("SERVER").includes("TOOL").optional(),
  plain_names: z.boolean().optional(),
  /** A tool's name in the client's permissions, where it differs from the one that the model sees. */
  allow_name: z.string().includes("SERVER").includes("TOOL").optional(),
  max_tool_name: z.int().positive().optional(),
  variable: z.string().includes("NAME").optional(),
  /**
   * How a server learns its project: `cwd`, `roots`, or a variable for the folder.
   * An entry of a scope without it is for one project.
   */
  workspace: z
    .strictObject({ user: z.string().min(1).optional(), project: z.string().min(1).optional() })
    .optional(),
  environment: z
    .strictObject({ inherits: z.array(z.string()), passes: z.enum(["names", "references", "values"]) })
    .optional(),
  /** Its longest waits, whatever its file says, and the environment variable that changes them. */
  waits: z
    .strictObject({
      start_ms: z.int().positive().optional(),
      call_ms: z.int().positive().optional(),
      changed_by: z.string().optional(),
    })
    .optional(),
  no_http: z.string().optional(),
  handshake: z.iso.date().optional(),
  notes: z.string().min(1),
  /** The folders of its skills, and the files that it always shows to its model. */
  skills: places.optional(),
  memory: places.optional(),
  files: z.array(file).min(1),
});

export type ClientFacts = z.infer<typeof clientSchema>;
export type ClientFileFacts = ClientFacts["files"][number];
export type ClientPaths = z.infer<typeof places>;

/** Whether a file is the user's or the project's. */
export type Scope = "user" | "project";

/** The facts that the paths of a client depend on. */
interface PathContext {
  workspace: string;
  home: string;
  env: Environment;
  platform: string;
}

export function readClients(shipped: string, files: Files): ClientFacts[] {
  const file = join(shipped, "clients.toml");
  const { tree } = readSource(file, files.read(file) ?? "");
  return z.array(clientSchema).parse(tree.clients);
}

/** The absolute paths that a client's file may have; none where the client has no such file. */
export function clientPaths(facts: ClientPaths, scope: Scope, where: PathContext): string[] {
  const declared = facts[scope] ?? [];
  const paths = Array.isArray(declared) ? declared : (platformPaths(declared, where.platform) ?? []);
  const places = (some: string[]) => some.flatMap((path) => resolved(path, where) ?? []);
  // A client with an environment variable for its folder does not look into its usual one.
  const fromVariable = places(paths.filter((path) => path.startsWith("$")));
  return fromVariable.length > 0 ? fromVariable : places(paths);
}

function platformPaths(table: { [platform: string]: string[] | undefined }, platform: string) {
  return table[platform] ?? (platform === "win32" ? undefined : table.linux);
}

function resolved(path: string, { workspace, home, env }: PathContext): string | undefined {
  if (path.startsWith("~/")) return join(home, path.slice(2));
  const [, name, rest] = /^\$([A-Z_]+)\/(.*)$/.exec(path) ?? [];
  if (name === undefined || rest === undefined) return join(workspace, path);
  const folder = env[name];
  // A relative folder would depend on the current directory.
  return folder !== undefined && isAbsolute(folder) ? join(folder, rest) : undefined;
}
