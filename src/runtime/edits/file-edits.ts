/**
 * Creates, renames and deletes files and folders. Servers that registered for it are asked first
 * (`workspace/willRenameFiles` etc.) and may add edits, such as updated imports; those are applied before the
 * operation.
 */
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, parse } from "node:path";
import { lstatOf } from "../../base/file-stamp.js";
import { canonicalText, type JsonObject } from "../../base/json.js";
import { sortBy } from "../../base/order.js";
import { Refusal } from "../../base/problem.js";
import {
  type FileOperation,
  fileMethod,
  fileParams,
  type OperatedFile,
} from "../../lsp/documents/file-operations.js";
import type { LanguageServer } from "../../lsp/types.js";
import { type Change, defaultEditLimits, type TextChange } from "../../workspace/edits/types.js";
import { loadProjects, runningServer } from "../ask/candidates.js";
import type { CallState } from "../call-state.js";
import { hasWord } from "../point/words.js";
import { pathChange } from "./argument-edits.js";
import { admittedOrRefusal, ProposedEdit } from "./proposed-edit.js";
import { readServerEdit } from "./server-edit.js";

const skippedFolders = new Set([".git", "node_modules"]);

export async function createFile(call: CallState, args: JsonObject): Promise<ProposedEdit> {
  const name = pathArgument(args, "path");
  const { path } = await call.gate.admit(name);
  return withServerEdits(call, "Create", { path, isFolder: false }, pathChange("create", args, name));
}

export async function renameFile(call: CallState, args: JsonObject): Promise<ProposedEdit> {
  const from = pathArgument(args, "old_path");
  const to = pathArgument(args, "new_path");
  const { path } = await call.gate.admitEntry(from);
  const { path: newPath } = await call.gate.admitEntry(to);
  const change = pathChange("rename", args, from, to);
  return withServerEdits(call, "Rename", { path, newPath, isFolder: isFolderAt(path) }, change);
}

export async function deleteFile(call: CallState, args: JsonObject): Promise<ProposedEdit> {
  const name = pathArgument(args, "path");
  const { path } = await call.gate.admitEntry(name);
  const file = { path, isFolder: isFolderAt(path) };
  return withServerEdits(call, "Delete", file, pathChange("delete", args, name));
}

/** The edits that servers add, then the operation itself. */
async function withServerEdits(
  call: CallState,
  operation: FileOperation,
  file: OperatedFile,
  change: Change,
): Promise<ProposedEdit> {
  const edit = new ProposedEdit();
  let hasAnswer = false;
  const isCreate = operation === "Create";
  const servers = isCreate ? runningServers(call, file.path) : await startedServers(call, file, edit);
  for (const server of servers) {
    const own = server.wantedFiles("will", operation, [file]);
    // A server that registered for files only is asked about the files in a folder.
    const below = own.length === 0 && file.isFolder ? await operatedFilesIn(file, file.path) : [];
    const files = [...own, ...server.wantedFiles("will", operation, below)];
    if (files.length === 0) continue;
    try {
      const reply = await server.request(fileMethod("will", operation), fileParams(files), {
        signal: call.signal,
        timeoutMs: Math.max(1, Math.floor(call.remainingMs() / 2)),
        onProgress: call.onProgress,
      });
      // Nothing refers to a new file: a server that adds nothing is not part of the answer.
      if (!isCreate || reply.value !== null) call.evidence.answered(server.plan.id, reply.readiness);
      const added = await readServerEdit(call, server, reply.value, call.changeCursor);
      removeKnown(added.changes, edit.changes);
      edit.merge(added);
      hasAnswer = true;
    } catch (error) {
      addDoubt(call, edit, "failed", server.plan.id, error);
    }
  }
  if (!hasAnswer && !isCreate && servers.length > 0)
    call.evidence.warn("answer/references-kept", "No language server updates references to the old name.");
  edit.changes.push(change);
  return edit;
}

/** Removes text changes that another server proposed already. */
function removeKnown(added: readonly Change[], earlier: readonly Change[]): void {
  const keyOf = (path: string, { start, end, newText }: TextChange) =>
    canonicalText([path, start, end, newText]);
  const edits = earlier.filter((change) => change.kind === "edit");
  const known = new Set(edits.flatMap(({ path, changes }) => changes.map((one) => keyOf(path, one))));
  for (const change of added.filter((one) => one.kind === "edit"))
    change.changes = change.changes.filter((one) => !known.has(keyOf(change.path, one)));
}

function runningServers(call: CallState, path: string): LanguageServer[] {
  const ids = call.pool.route(path).map(({ id }) => id);
  return call.pool.running().filter(({ plan }) => ids.includes(plan.id));
}

/** Starts the servers of a file, or of the files in a folder, and opens one file in each: many need that to answer. */
async function startedServers(
  call: CallState,
  { path, isFolder: folder }: OperatedFile,
  edit: ProposedEdit,
): Promise<LanguageServer[]> {
  const target = await admittedOrRefusal(call, path);
  // Nothing behind a link that leads nowhere or outside may be opened.
  if (target instanceof Refusal) return runningServers(call, path);
  if (!existsSync(target.path)) return [];
  const samples = new Map<string, string>();
  for await (const file of folder ? filesIn(path) : [target.path])
    for (const { id } of call.pool.route(file)) {
      if (!samples.has(id)) samples.set(id, file);
    }
  const order = call.plan.servers.map(({ id }) => id);
  const servers: LanguageServer[] = [];
  for (const [id, sample] of sortBy([...samples], ([name]) => [order.indexOf(name)])) {
    try {
      const server = await runningServer(call, id, sample, call.signal);
      await server.ensureOpen(sample, call.signal);
      await loadProjects(call, server, call.signal, () => hasWord(parse(path).name));
      servers.push(server);
    } catch (error) {
      addDoubt(call, edit, "was not asked", id, error);
    }
  }
  return servers;
}

/** Notes that the edits of one server are missing; throws what is not its failure. */
function addDoubt(call: CallState, edit: ProposedEdit, problem: string, id: string, error: unknown): void {
  call.signal.throwIfAborted();
  if (!(error instanceof Refusal)) throw error;
  const data = { server_id: id, code: error.code };
  call.evidence.warn("answer/partial-servers", `The server ${id} ${problem}: ${error.message}`, data);
  edit.doubts.push(`The server ${id} ${problem}, so references to the file may not be updated.`);
}

/** Whether a path is a folder itself, not a link to one. */
function isFolderAt(path: string): boolean {
  return lstatOf(path)?.isDirectory() === true;
}

function pathArgument(args: JsonObject, name: string): string {
  const value = args[name];
  if (typeof value === "string" && value !== "") return value;
  throw new Refusal("guard/invalid-arguments", `The path in \`${name}\` is missing.`);
}

/** The operation on each file of a folder, which is at `folder` now. */
export async function operatedFilesIn(operated: OperatedFile, folder: string): Promise<OperatedFile[]> {
  const { path, newPath } = operated;
  const files: OperatedFile[] = [];
  for await (const file of filesIn(folder)) {
    const rest = file.slice(folder.length);
    const moved = newPath === undefined ? {} : { newPath: newPath + rest };
    files.push({ path: path + rest, ...moved, isFolder: false });
  }
  return files;
}

/** The files in a folder, sorted by name within each folder, at most as many as one edit may have. */
export async function* filesIn(folder: string): AsyncGenerator<string> {
  const folders = [folder];
  let count = 0;
  for (let next = folders.shift(); next !== undefined; next = folders.shift()) {
    const entries = await readdir(next, { withFileTypes: true }).catch(() => []);
    for (const entry of sortBy(entries, ({ name }) => [name])) {
      if (entry.isFile()) {
        if (++count > defaultEditLimits.editFiles) return;
        yield join(next, entry.name);
      } else if (entry.isDirectory() && !skippedFolders.has(entry.name)) folders.push(join(next, entry.name));
    }
  }
}
