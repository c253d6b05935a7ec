/** The record of what was written into clients' files: it distinguishes our entries from a person's. */
import { join } from "node:path";
import * as z from "zod";
import { canonicalPretty } from "../../base/json.js";
import { sortBy } from "../../base/order.js";
import type { Environment } from "../discover.js";
import { diskFiles, readJson, type StateFiles } from "../files.js";
import { stateFolder } from "../state-folder.js";

const writtenSchema = z.object({
  /** The file's real path. */
  file: z.string(),
  /** The client's name for the server. */
  name: z.string(),
  client: z.string(),
  text: z.string(),
});
const recordSchema = z.object({ version: z.literal(1), written: z.array(z.unknown()) });

export type Written = z.infer<typeof writtenSchema>;

interface WrittenStore {
  readonly file: string;
  readonly files: StateFiles;
}

export function openWritten(env: Environment, home: string, files: StateFiles = diskFiles): WrittenStore {
  return { file: join(stateFolder(env, home), "clients.json"), files };
}

/** Everything that was written; nothing when the record is absent or damaged. */
export function listWritten({ file, files }: WrittenStore): Written[] {
  const result = readJson(files, file);
  const { data } = recordSchema.safeParse("value" in result ? result.value : undefined);
  // A damaged record, or a damaged part of it, is replaced by the next write.
  return (data?.written ?? []).flatMap((one) => writtenSchema.safeParse(one).data ?? []);
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
