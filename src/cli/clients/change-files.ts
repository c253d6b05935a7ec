/**
 * Writes an MCP client's stanza into its files or removes it, and records it. Every edit is tried in memory, and every
 * file is checked to be writable, before the first is written.
 */
import type { HttpPlan } from "../../abi/plan.js";
import { homeOf } from "../../base/home.js";
import { ConfigError, Refusal } from "../../base/problem.js";
import { hasCode } from "../../base/system.js";
import type { ClientFacts } from "../../config/catalogue/clients.js";
import {
  entryIn,
  lacksList,
  type Stanza,
  withoutPlace,
  withoutStanza,
  withStanza,
} from "../../config/edit/stanza.js";
import { listWritten, noteWritten, openWritten, type Written } from "../../config/edit/written.js";
import { configError, type Input, type Io } from "../command.js";
import { withStateLock } from "../files/state-lock.js";
import {
  changeFile,
  checkChangeable,
  currentText,
  realUserFile,
  shownPath,
  type WriteOutcome,
} from "../files/user-file.js";
import { workspaceOf } from "../workspace.js";
import { clientsSharing, EVERY_PROJECT, isOurEntry, knownClients, targetOf } from "./client-files.js";

interface EntryFile {
  path: string;
  stanza: Stanza;
  /** The folder that the file must be in, if any. */
  within: string | undefined;
}

interface ClientChange {
  client: ClientFacts;
  /** The client's name for the server. */
  name: string;
  http: HttpPlan;
  /** The URL of the gateway that entries connect to. */
  gateway: string;
  /** The targets (config, workspace, gateway) of entries for this project. */
  project: readonly (string | undefined)[];
}

/** The recorded stanzas of a file under a name, of all clients. */
export function writtenBefore(path: string, name: string, io: Io): Written[] {
  const file = realUserFile(path);
  const all = listWritten(openWritten(io.env, homeOf(io.env)));
  return all.filter((written) => written.file === file && written.name === name);
}

export async function changeClientFiles(
  parts: readonly EntryFile[],
  change: ClientChange,
  input: Input,
  io: Io,
) {
  const isRemoval = input.isOn("remove");
  const edit = (part: EntryFile, text: string) => {
    checkOwner(part, change, text, input);
    return (isRemoval ? withoutStanza : withStanza)(part.path, text, part.stanza);
  };
  const pending = parts.filter((part) => !isRemoval || !isStillNeeded(part, change, input, io));
  const isSkipped = ({ path, stanza }: EntryFile, text: string) =>
    !isRemoval && lacksList(path, text, stanza);
  const remarks = pending.flatMap((part) => {
    const text = currentText(part.path, part.within);
    if (edit(part, text) !== text && !isSkipped(part, text)) checkChangeable(part.path, part.within);
    return isRemoval ? [] : remarksOn(part, text, change);
  });
  for (const remark of remarks) io.stderr.writeLine(remark);
  for (const part of pending) {
    if (isSkipped(part, currentText(part.path, part.within))) continue;
    const done = changeFile(part.path, (text) => edit(part, text), {
      within: part.within,
      isEmpty: (text) => isRemoval && isEmpty(text),
      needsBackup: (text) => !isAllOurs(part, text),
      isUndone: (backup, after) => isRemoval && isUndone(part, backup, after),
    });
    io.stdout.writeLine(`${done} ${shownPath(part.path, io)}`);
    if (isRemoval) warnSharers(part, done, change, input, io);
  }
  await record(parts, change, isRemoval, io);
}

/** Whether another client uses the same entry of the same file. If so, prints that the entry stays. */
function isStillNeeded(
  { path, stanza, within }: EntryFile,
  change: ClientChange,
  input: Input,
  io: Io,
): boolean {
  const { client, name } = change;
  if (stanza.entry === undefined || input.isOn("force")) return false;
  const ids = writtenBefore(path, name, io)
    .map((written) => written.client)
    .filter((id) => id !== client.id);
  if (ids.length === 0 || entryIn(path, currentText(path, within), stanza) === undefined) return false;
  const titles = knownClients().flatMap(({ id, title }) => (ids.includes(id) ? [title] : []));
  io.stdout.writeLine(
    `left ${shownPath(path, io)}: ${titles.join(", ")} uses the same entry; --force removes it anyway`,
  );
  return true;
}

function warnSharers(
  part: EntryFile,
  done: WriteOutcome,
  { client }: ClientChange,
  input: Input,
  io: Io,
): void {
  if (part.stanza.entry === undefined || done === "nothing to change in") return;
  const titles = clientsSharing(part.path, client.id, workspaceOf(input, io), io).map(({ title }) => title);
  if (titles.length > 0)
    io.stderr.writeLine(
      `${titles.join(", ")} also reads ${shownPath(part.path, io)}, and has no entry there now`,
    );
}

/** Unexpected effects of the change: a replaced entry of another project, or a list or value that is left as it is. */
function remarksOn({ path, stanza }: EntryFile, text: string, { project }: ClientChange): string[] {
  const [old, now] = [text, stanza.text].map((source) => targetOf(entryIn(path, source, stanza)));
  const isOther = old !== undefined && now !== undefined && !project.includes(old);
  const name = stanza.entry?.at(-1);
  const list = stanza.existingList?.join(".");
  const keeps = now === EVERY_PROJECT ? `--workspace DIR pins it to one` : "--name keeps both";
  return [
    ...(isOther ? [`\`${name}\` in ${path} was for ${old} and is for ${now} now; ${keeps}`] : []),
    ...(lacksList(path, text, stanza)
      ? [`${path} has no list \`${list}\`, and none is created: it would replace another`]
      : []),
    ...withoutPlace(path, text, stanza).map(
      (key) => `\`${key}\` in ${path} is a value, not a table, and stays`,
    ),
  ];
}

async function record(parts: readonly EntryFile[], change: ClientChange, isRemoval: boolean, io: Io) {
  const { client, name } = change;
  const store = openWritten(io.env, homeOf(io.env));
  const changed = parts.flatMap(({ path, stanza, within }) => {
    const known = writtenBefore(path, name, io).find((written) => written.client === client.id);
    const isThere = !isRemoval && !lacksList(path, currentText(path, within), stanza);
    const text = isThere ? stanza.text : undefined;
    return known?.text === text ? [] : [{ file: realUserFile(path), name, client: client.id, text }];
  });
  if (changed.length === 0) return;
  try {
    await withStateLock(io, () => {
      for (const written of changed) noteWritten(store, written);
    });
  } catch (error) {
    // The client's files are written. A later change only knows less about them.
    if (!(error instanceof Refusal || error instanceof ConfigError || hasCode(error))) throw error;
    io.stderr.writeLine(`the change could not be recorded in ${store.file}: ${error.message}`);
  }
}

function isEmpty(text: string): boolean {
  return /^\s*(\{\s*\}\s*)?$/.test(text);
}

/** Whether a file contains only our stanza, and so did not exist before. */
function isAllOurs({ path, stanza }: EntryFile, text: string): boolean {
  const rest = withoutStanza(path, text, stanza);
  return rest !== text && isEmpty(rest);
}

/**
 * Whether adding the stanza to the backup and removing it again gives the new text. Then the two differ only in empty
 * tables or line ends.
 */
function isUndone({ path, stanza }: EntryFile, backup: string, after: string): boolean {
  try {
    if (withoutStanza(path, backup, stanza) !== backup) return false;
    return withoutStanza(path, withStanza(path, backup, stanza), stanza) === after;
  } catch (error) {
    // A backup that cannot be parsed or has no place for the entry does not belong to this file.
    if (error instanceof ConfigError) return false;
    throw error;
  }
}

/** Refuses to touch an entry of that name that is not ours, unless forced. */
function checkOwner({ path, stanza }: EntryFile, change: ClientChange, text: string, input: Input): void {
  const entry = entryIn(path, text, stanza);
  if (entry === undefined || input.isOn("force") || isOurEntry(entry, change.http, change.gateway)) return;
  throw configError("client/taken", `\`${stanza.entry?.at(-1)}\` in ${path} is not an entry of lsp-proxy`);
}
