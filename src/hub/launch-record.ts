/**
 * The launch record: what the config of one command line compiled to. It lets a session find the key of its hub without
 * loading the compiler. A record counts only while every file that was read has the same content.
 */
import { join } from "node:path";
import { writeAtomically } from "../base/atomic-write.js";
import { readRegularFile } from "../base/guarded-open.js";
import { sha256 } from "../base/hash.js";
import type { Environment } from "../base/home.js";
import { canonicalText, isTable, type JsonObject, parseJson } from "../base/json.js";

/** A command line, and where it was given. */
export interface HubLaunch {
  /** The flags that choose the config and the workspace. */
  flags: JsonObject;
  cwd: string;
  /** The real path. */
  workspace: string;
  version: string;
}

export interface LaunchRecord {
  /** Digest of all that the hub was started with, apart from the environment. */
  start: string;
  /** The names of the variables that the servers, or the search for them, may use. */
  env: readonly string[];
  /** Every file that was read, with its hash; null for one that did not exist. */
  files: { readonly [path: string]: string | null };
}

/** Variables that decide which config is read and which servers are found. */
const LAUNCH_VARIABLES = [
  "HOME",
  "LSPI_CONFIG_PATH",
  "PATH",
  "XDG_CONFIG_HOME",
  "XDG_DATA_HOME",
  "XDG_STATE_HOME",
];
/** Names of files are short: the path of a socket has a limit. */
const NAME_LENGTH = 24;
const MAX_RECORD_BYTES = 1_048_576;
const MAX_FILE_BYTES = 33_554_432;

/** The file of a launch's record, without its ending. */
export function launchFile(folder: string, launch: HubLaunch, env: Environment): string {
  const name = sha256(canonicalText({ ...launch, env: valuesOf(LAUNCH_VARIABLES, env) }));
  return join(folder, name.slice(0, NAME_LENGTH));
}

/** The key of a hub: its start, and the values of the variables in its environment. */
export function hubKey({ start, env: names }: Pick<LaunchRecord, "start" | "env">, env: Environment): string {
  return sha256(canonicalText([start, valuesOf(names, env)])).slice(0, NAME_LENGTH);
}

function valuesOf(names: readonly string[], env: Environment): JsonObject {
  return Object.fromEntries(names.map((name) => [name, env[name] ?? null]));
}

export function writeRecord(file: string, record: LaunchRecord): void {
  writeAtomically(`${file}.json`, canonicalText(record), { mode: 0o600 });
}

/** The record; undefined where there is none that can be read. */
export function readRecord(file: string): LaunchRecord | undefined {
  const value = parseJson(contentOf(`${file}.json`, MAX_RECORD_BYTES)?.toString("utf8") ?? "");
  if (!isTable(value) || typeof value.start !== "string") return undefined;
  const { start, env, files } = value;
  if (!Array.isArray(env) || !env.every((name) => typeof name === "string") || !isTable(files))
    return undefined;
  const hashes = Object.entries(files).map(([path, hash]) => [path, typeof hash === "string" ? hash : null]);
  return { start, env, files: Object.fromEntries(hashes) };
}

/** Whether every file still has the content that was read. */
export function isFresh({ files }: Pick<LaunchRecord, "files">): boolean {
  return Object.entries(files).every(([path, hash]) => hashOf(path) === hash);
}

export function hashesOf(files: readonly string[]): { [path: string]: string | null } {
  return Object.fromEntries(files.map((path) => [path, hashOf(path)]));
}

function hashOf(path: string): string | null {
  const content = contentOf(path, MAX_FILE_BYTES);
  return content === undefined ? null : sha256(content);
}

function contentOf(path: string, maxBytes: number): Buffer | undefined {
  try {
    return readRegularFile(path, maxBytes)?.bytes;
  } catch {
    return undefined;
  }
}
