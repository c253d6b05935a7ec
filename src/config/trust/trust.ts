/** The record of the configs and folders that the user trusts. A damaged record trusts nothing: reading it throws. */
import { dirname, join, relative } from "node:path";
import * as z from "zod";
import { statOf } from "../../base/file-stamp.js";
import { canonicalPretty } from "../../base/json.js";
import { sortBy, sortedSet } from "../../base/order.js";
import { here } from "../../base/platform.js";
import { ConfigError } from "../../base/problem.js";
import type { Environment } from "../discover.js";
import { diskFiles, readJson, type StateFiles } from "../files.js";
import { mainWorkingTree, projectFolders } from "../project-folders.js";
import { trustFile } from "../state-folder.js";
import { problemWithoutPlace } from "../text/source.js";

export interface Trust {
  readonly file: string;
  readonly home: string;
  readonly files: StateFiles;
}

const ROOT = 0;

const recordSchema = z.object({
  version: z.literal(1),
  /** Each config is trusted as long as it has this hash. */
  configs: z.array(z.object({ file: z.string(), hash: z.string() })),
  /** Real paths. */
  folders: z.array(z.string()),
});

type TrustRecord = Omit<z.infer<typeof recordSchema>, "version">;

export function openTrust(env: Environment, home: string): Trust {
  return { file: trustFile(env, home), home, files: diskFiles };
}

export function listTrusted(trust: Trust): TrustRecord {
  const risk = riskOf(trust.file);
  if (risk !== undefined) throw damaged(trust, risk, CHANGED_BY_OTHERS);
  const result = readJson(trust.files, trust.file);
  if ("failure" in result) {
    if (result.absent) return { configs: [], folders: [] };
    throw damaged(trust, result.failure);
  }
  const { data } = recordSchema.safeParse(result.value);
  if (!data) throw damaged(trust, "is damaged");
  return data;
}

/** Whether a config with this content is trusted, or the same config in the main working tree of its git worktree. */
export function isTrusted(trust: Trust, file: string, hash: string): boolean {
  const { configs } = listTrusted(trust);
  const isRecorded = (name: string) => configs.some((config) => config.file === name && config.hash === hash);
  if (isRecorded(file)) return true;
  const { root, main } = worktreeOf(trust, dirname(file));
  return root !== undefined && main !== undefined && isRecorded(join(main, relative(root, file)));
}

/** Whether a config that was trusted still is. A record that can no longer be read trusts nothing. */
export function hasKeptTrust(trust: Trust, file: string, hash: string): boolean {
  try {
    return isTrusted(trust, file, hash);
  } catch (error) {
    if (error instanceof ConfigError) return false;
    throw error;
  }
}

/** The repository's root around a folder, and its main working tree where the root is another git worktree. */
function worktreeOf({ files, home }: Trust, folder: string) {
  const { folders, root } = projectFolders(files.realpath(folder), files.realpath(home));
  return { folders, root, main: root === undefined ? undefined : mainWorkingTree(root) };
}

/** Trusts a config with its current hash; an earlier hash is no longer trusted. */
export function addTrusted(trust: Trust, file: string, hash: string): void {
  const { configs, folders } = listTrusted(trust);
  write(trust, { folders, configs: [...configs.filter((config) => config.file !== file), { file, hash }] });
}

/** Stops trusting the configs with these names; returns whether any was trusted. */
export function removeTrusted(trust: Trust, ...names: string[]): boolean {
  const { configs, folders } = listTrusted(trust);
  const rest = configs.filter((config) => !names.includes(config.file));
  if (rest.length === configs.length) return false;
  write(trust, { folders, configs: rest });
  return true;
}

/**
 * Whether the code in a folder may be run: it, a folder of its repository above it, or the main working tree of its git
 * worktree is trusted.
 */
export function isTrustedFolder(trust: Trust, folder: string): boolean {
  const recorded = listTrusted(trust).folders;
  const { folders, main } = worktreeOf(trust, folder);
  return [...folders, ...(main === undefined ? [] : [main])].some((name) => recorded.includes(name));
}

export function addTrustedFolder(trust: Trust, folder: string): void {
  const { configs, folders } = listTrusted(trust);
  write(trust, { configs, folders: [...folders, trust.files.realpath(folder)] });
}

export function removeTrustedFolder(trust: Trust, folder: string): boolean {
  const { configs, folders } = listTrusted(trust);
  const real = trust.files.realpath(folder);
  if (!folders.includes(real)) return false;
  write(trust, { configs, folders: folders.filter((known) => known !== real) });
  return true;
}

function write(trust: Trust, { configs, folders }: TrustRecord): void {
  const record = { configs: sortBy(configs, ({ file }) => [file]), folders: sortedSet(folders) };
  trust.files.replace(trust.file, canonicalPretty({ version: 1, ...record }));
}

const CHANGED_BY_OTHERS =
  "Make yourself the owner of both, and run `chmod go-w` on them; or set XDG_STATE_HOME to another folder.";

/** How another user could have written the record: as the owner of it or its folder, or by their mode. */
function riskOf(file: string): string | undefined {
  const user = process.geteuid?.();
  if (!here.hasModes || user === undefined) return undefined;
  for (const stats of [dirname(file), file].flatMap((path) => statOf(path) ?? [])) {
    // Root can write everywhere anyway; what it reads in a container often belongs to the user outside.
    if (![user, ROOT].includes(stats.uid) && user !== ROOT) return "or its folder belongs to another user";
    if ((stats.mode & 0o002) !== 0) return "or its folder can be written by every user";
  }
  return undefined;
}

function damaged({ file }: Trust, reason: string, fix?: string): ConfigError {
  const message = `\`${file}\` ${reason}; nothing is trusted`;
  const problem = problemWithoutPlace("config/trust-store", message, fix);
  return new ConfigError([{ ...problem, place: { file, line: 1, column: 1 } }]);
}
