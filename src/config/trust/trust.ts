/**
 * The record of what the user trusts: workspace configs, by their hash, and folders whose programs may be run.
 * A damaged record trusts nothing, and reading it throws a ConfigError.
 */
import { join } from "node:path";
import { codes } from "../../base/codes.js";
import { canonicalPretty, isTable } from "../../base/json.js";
import { sortBy, sortedSet } from "../../base/order.js";
import { ConfigError } from "../../base/problem.js";
import type { Environment } from "../discover.js";
import { diskFiles, readText, type StateFiles } from "../files.js";
import { stateFolder } from "../state-folder.js";

/** Where the record is stored. */
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
  configs: TrustedConfig[];
  /** Real paths. */
  folders: string[];
}

/** The user's record. */
export function openTrust(env: Environment, home: string, files: StateFiles = diskFiles): Trust {
  return { file: join(stateFolder(env, home), "trusted.json"), files };
}

/** Everything that is trusted. */
export function listTrusted(trust: Trust): TrustRecord {
  const result = readText(trust.files, trust.file);
  if ("failure" in result) {
    if (result.absent) return { configs: [], folders: [] };
    throw damaged(trust, result.failure);
  }
  const record = parse(result.text);
  if (!record) throw damaged(trust, "is damaged");
  return record;
}

/** Whether a config is trusted with this hash. */
export function isTrusted(trust: Trust, file: string, hash: string): boolean {
  return listTrusted(trust).configs.some((config) => config.file === file && config.hash === hash);
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

/** Whether the programs in a folder's own `node_modules` may be run. */
export function isTrustedFolder(trust: Trust, folder: string): boolean {
  return listTrusted(trust).folders.includes(trust.files.realpath(folder));
}

/** Trusts a folder. */
export function addTrustedFolder(trust: Trust, folder: string): void {
  const { configs, folders } = listTrusted(trust);
  write(trust, { configs, folders: [...folders, trust.files.realpath(folder)] });
}

/** Stops trusting a folder; returns whether it was trusted. */
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

function damaged({ file }: Trust, reason: string): ConfigError {
  const code = "config/trust-store";
  const message = `\`${file}\` ${reason}; nothing is trusted`;
  const place = { file, line: 1, column: 1 };
  return new ConfigError([{ code, severity: "error", message, pointer: "", place, fix: codes[code].fix }]);
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
