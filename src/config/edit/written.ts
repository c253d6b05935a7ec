/**
 * The record of what was written into clients' files. After the config has changed, only this record distinguishes our
 * entries from a person's. Without it nothing is lost; less is recognised as ours.
 */
import { join } from "node:path";
import { canonicalPretty, isTable } from "../../base/json.js";
import { sortBy } from "../../base/order.js";
import type { Environment } from "../discover.js";
import { diskFiles, readText, type StateFiles } from "../files.js";
import { stateFolder } from "../state-folder.js";

/** A stanza that was written into a file. */
export interface Written {
  /** The file's real path. */
  file: string;
  /** The client's name for the server. */
  name: string;
  client: string;
  text: string;
}

/** Where the record is stored. */
export interface WrittenStore {
  readonly file: string;
  readonly files: StateFiles;
}

/** The user's record. */
export function openWritten(env: Environment, home: string, files: StateFiles = diskFiles): WrittenStore {
  return { file: join(stateFolder(env, home), "clients.json"), files };
}

/** Everything that was written; nothing when the record is absent or damaged. */
export function listWritten({ file, files }: WrittenStore): Written[] {
  const result = readText(files, file);
  return "text" in result ? parse(result.text) : [];
}

/** Records what a client's file contains now; without a text, that it contains nothing. */
export function noteWritten(
  store: WrittenStore,
  { text, ...key }: Partial<Written> & Omit<Written, "text">,
): void {
  const { file, name, client } = key;
  const rest = listWritten(store).filter(
    (other) => other.file !== file || other.name !== name || other.client !== client,
  );
  const written = text === undefined ? rest : [...rest, { ...key, text }];
  const sorted = sortBy(written, (one) => [one.file, one.name, one.client]);
  if (written.length === 0) store.files.remove(store.file);
  else store.files.replace(store.file, canonicalPretty({ version: 1, written: sorted }));
}

function parse(text: string): Written[] {
  try {
    const tree: unknown = JSON.parse(text);
    if (!isTable(tree) || tree.version !== 1 || !Array.isArray(tree.written)) return [];
    return tree.written.filter(isWritten);
  } catch {
    // A damaged record is replaced by the next write.
    return [];
  }
}

function isWritten(one: unknown): one is Written {
  return isTable(one) && [one.file, one.name, one.client, one.text].every((part) => typeof part === "string");
}
