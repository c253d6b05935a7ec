/**
 * What was written into clients' files, and for which client: once the config has changed, or another client uses the same entry,
 * only this record can tell ours from a person's. It is a memory, not a lock: without it, less is known and nothing is lost.
 */
import { join } from "node:path";
import { canonicalPretty, isTable } from "../../base/json.js";
import { sortBy } from "../../base/order.js";
import type { Environment } from "../discover.js";
import { diskFiles, readOrExplain, type StateFiles } from "../files.js";
import { stateFolder } from "../state-folder.js";

/** A stanza that stands in a file. */
export interface Written {
  /** The file's real path. */
  file: string;
  /** The client's name for the server. */
  name: string;
  client: string;
  text: string;
}

/** The record on disk. */
export interface WrittenStore {
  readonly file: string;
  readonly files: StateFiles;
}

/** The user's own record. */
export function openWritten(env: Environment, home: string, files: StateFiles = diskFiles): WrittenStore {
  return { file: join(stateFolder(env, home), "clients.json"), files };
}

/** All that was written; nothing when the record is absent or damaged. */
export function listWritten({ file, files }: WrittenStore): Written[] {
  const answer = readOrExplain(files, file);
  if ("failure" in answer) return [];
  const { content } = answer;
  return parse(typeof content === "string" ? content : new TextDecoder().decode(content));
}

/** Records what a client's file has now, or that it has nothing any more. */
export function noteWritten(
  store: WrittenStore,
  { text, ...place }: Partial<Written> & Omit<Written, "text">,
): void {
  const { file, name, client } = place;
  const rest = listWritten(store).filter(
    (other) => other.file !== file || other.name !== name || other.client !== client,
  );
  const written = text === undefined ? rest : [...rest, { ...place, text }];
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
    // Damaged: the next writing makes it anew.
    return [];
  }
}

function isWritten(one: unknown): one is Written {
  return isTable(one) && [one.file, one.name, one.client, one.text].every((part) => typeof part === "string");
}
