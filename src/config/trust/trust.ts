/**
 * What a person has trusted: workspace configs, by the hash they had when they were read, and folders whose programs
 * may be run. A record that cannot be understood trusts nothing and says so.
 */
import { join } from "node:path";
import { codes } from "../../base/codes.js";
import { canonicalPretty, isTable } from "../../base/json.js";
import { sortBy, sortedSet } from "../../base/order.js";
import { ConfigError, type Problem } from "../../base/problem.js";
import type { Environment } from "../discover.js";
import { diskFiles, readOrExplain, type StateFiles } from "../files.js";
import { stateFolder } from "../state-folder.js";

/** The record on disk. Whoever reads it meets a ConfigError when it is damaged. */
export interface Trust {
  readonly file: string;
  readonly files: StateFiles;
}

/** A config that is trusted as long as it has this hash. */
export interface TrustedConfig {
  file: string;
  hash: string;
}

export interface TrustRecord {
  /** By file. */
  configs: TrustedConfig[];
  /** Real paths. */
  folders: string[];
}

/** The user's own record. */
export function openTrust(env: Environment, home: string, files: StateFiles = diskFiles): Trust {
  return { file: join(stateFolder(env, home), "trusted.json"), files };
}

/** Everything that is trusted. */
export function listTrusted(trust: Trust): TrustRecord {
  const answer = readOrExplain(trust.files, trust.file);
  if ("failure" in answer) {
    if (answer.absent) return { configs: [], folders: [] };
    throw damaged(trust, answer.failure);
  }
  const { content } = answer;
  const record = parse(typeof content === "string" ? content : new TextDecoder().decode(content));
  if (!record) throw damaged(trust, "is damaged");
  return record;
}

/** Whether a config is trusted with this very hash. */
export function isTrusted(trust: Trust, file: string, hash: string): boolean {
  return listTrusted(trust).configs.some((config) => config.file === file && config.hash === hash);
}

/** Trusts a config as it is now, in place of what it was. */
export function addTrusted(trust: Trust, file: string, hash: string): void {
  const { configs, folders } = listTrusted(trust);
  write(trust, { folders, configs: [...configs.filter((config) => config.file !== file), { file, hash }] });
}

/** Forgets configs, by every name that they may have; says whether one was known. */
export function removeTrusted(trust: Trust, ...names: string[]): boolean {
  const { configs, folders } = listTrusted(trust);
  const rest = configs.filter((config) => !names.includes(config.file));
  if (rest.length === configs.length) return false;
  write(trust, { folders, configs: rest });
  return true;
}

/** Whether the programs in a folder's own `node_modules` may be run. */
export function isTrustedFolder(trust: Trust, folder: string): boolean {
  return listTrusted(trust).folders.includes(trust.files.realpath(folder));
}

/** Trusts a folder. */
export function addTrustedFolder(trust: Trust, folder: string): void {
  const { configs, folders } = listTrusted(trust);
  write(trust, { configs, folders: [...folders, trust.files.realpath(folder)] });
}

/** Forgets a folder; says whether it was known. */
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

function damaged(trust: Trust, why: string): ConfigError {
  const code = "config/trust-store";
  const problem: Problem = {
    code,
    severity: "error",
    message: `\`${trust.file}\` ${why}; nothing is trusted`,
    pointer: "",
    place: { file: trust.file, line: 1, column: 1 },
    fix: codes[code].fix,
  };
  return new ConfigError([problem]);
}

function parse(text: string): TrustRecord | undefined {
  let tree: unknown;
  try {
    tree = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isTable(tree) || tree.version !== 1) return undefined;
  const { configs, folders } = tree;
  if (!Array.isArray(configs) || !configs.every(isTrustedConfig)) return undefined;
  if (!Array.isArray(folders) || !folders.every((folder) => typeof folder === "string")) return undefined;
  return { configs, folders };
}

function isTrustedConfig(entry: unknown): entry is TrustedConfig {
  return isTable(entry) && typeof entry.file === "string" && typeof entry.hash === "string";
}
