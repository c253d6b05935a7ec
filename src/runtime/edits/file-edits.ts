/**
 * Creating, renaming and deleting files and folders. Before the change, the servers that want to hear of it may add
 * edits of their own (`workspace/willRenameFiles` and its kind), as updated imports; those come first, because they are
 * about the files as they still are.
 */
import { lstat } from "node:fs/promises";
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
import type { Change, TextChange } from "../../workspace/edits/types.js";
import { statOf } from "../../workspace/real-path.js";
import { startServer } from "../ask/candidates.js";
import type { CallState } from "../call-state.js";
import { Draft } from "./draft.js";
import { filesBelow, filesIn } from "./folder.js";
import { draftOfReply } from "./server-edit.js";

/** A new file with a text. */
export async function createFile(call: CallState, args: JsonObject): Promise<Draft> {
  const { path } = await call.gate.admit(textArgument(args, "path"));
  const change: Change = {
    kind: "create",
    path: textArgument(args, "path"),
    text: typeof args.text === "string" ? args.text : "",
    overwrite: args.overwrite === true,
    ignoreIfExists: false,
  };
  return announced(call, "Create", { path, isFolder: false }, change);
}

/** A file or folder under another name. */
export async function renameFile(call: CallState, args: JsonObject): Promise<Draft> {
  const [from, to] = [textArgument(args, "old_path"), textArgument(args, "new_path")];
  const { path } = await call.gate.admitEntry(from);
  const { path: newPath } = await call.gate.admitEntry(to);
  const change: Change = {
    kind: "rename",
    from,
    to,
    overwrite: args.overwrite === true,
    ignoreIfExists: false,
  };
  return announced(call, "Rename", { path, newPath, isFolder: await isFolder(path) }, change);
}

/** A file, or a folder with all that is in it, removed. */
export async function deleteFile(call: CallState, args: JsonObject): Promise<Draft> {
  const name = textArgument(args, "path");
  const { path } = await call.gate.admitEntry(name);
  const change: Change = {
    kind: "delete",
    path: name,
    recursive: args.recursive === true,
    ignoreIfNotExists: false,
  };
  return announced(call, "Delete", { path, isFolder: await isFolder(path) }, change);
}

/** What the servers add, then the change itself. */
async function announced(
  call: CallState,
  operation: FileOperation,
  file: OperatedFile,
  change: Change,
): Promise<Draft> {
  const draft = new Draft();
  let isHeard = false;
  const servers = operation === "Create" ? runningFor(call, file.path) : await serversOf(call, file, draft);
  for (const server of servers) {
    const wanted = await wantedBy(server, operation, file);
    if (wanted.length === 0) continue;
    try {
      const reply = await server.request(fileMethod("will", operation), fileParams(wanted), {
        signal: call.signal,
        timeoutMs: Math.max(1, Math.floor(call.remainingMs() / 2)),
        onProgress: call.onProgress,
      });
      // A new file is referred to by nobody: a server that adds nothing has no say in it.
      if (operation !== "Create" || reply.value !== null) call.evidence.heard(server, reply.readiness);
      draft.join(notYetEdited(await draftOfReply(call, server, reply.value, call.since), draft));
      isHeard = true;
    } catch (error) {
      call.signal.throwIfAborted();
      if (!(error instanceof Refusal)) throw error;
      unheard(call, draft, server.plan.id, error, "failed");
    }
  }
  if (!isHeard && operation !== "Create" && servers.length > 0)
    call.evidence.warn("answer/references-kept", "No language server updates what refers to the old name.");
  draft.changes.push(change);
  return draft;
}

/** The file or folder itself, or, for a server that wants to hear of files only, those in the folder. */
async function wantedBy(
  server: LanguageServer,
  operation: FileOperation,
  file: OperatedFile,
): Promise<OperatedFile[]> {
  const own = server.wantedFiles("will", operation, [file]);
  return own.length > 0 || !file.isFolder
    ? own
    : server.wantedFiles("will", operation, await filesBelow(file, file.path));
}

/** Two servers of one language make many of the same edits: those are made once. */
function notYetEdited(draft: Draft, before: Draft): Draft {
  const made = new Set(
    before.changes.flatMap((change) =>
      change.kind === "edit" ? change.changes.map((one) => editKey(change.path, one)) : [],
    ),
  );
  const rest = new Draft();
  rest.join(draft);
  const own = rest.changes.splice(0).map((change): Change => {
    if (change.kind !== "edit") return change;
    return { ...change, changes: change.changes.filter((one) => !made.has(editKey(change.path, one))) };
  });
  rest.changes.push(...own);
  return rest;
}

function editKey(path: string, { start, end, newText }: TextChange): string {
  return canonicalText([path, start, end, newText]);
}

function runningFor(call: CallState, path: string): LanguageServer[] {
  const ids = call.pool.route(path).map(({ id }) => id);
  return call.pool.running().filter(({ plan }) => ids.includes(plan.id));
}

/** The servers of a file, or of the files in a folder, each with one of them open: many know nothing before that. */
async function serversOf(
  call: CallState,
  { path, isFolder: folder }: OperatedFile,
  draft: Draft,
): Promise<LanguageServer[]> {
  const target = await targetOf(call, path);
  // A link that leads nowhere, or outside: nothing of it may be opened, and those who run are asked all the same.
  if (target === undefined) return runningFor(call, path);
  if (statOf(target) === undefined) return [];
  const samples = new Map<string, string>();
  const files = folder ? filesIn(path) : [target];
  for await (const file of files)
    for (const { id } of call.pool.route(file)) if (!samples.has(id)) samples.set(id, file);
  const order = call.plan.servers.map(({ id }) => id);
  const servers: LanguageServer[] = [];
  for (const [id, sample] of sortBy([...samples], ([name]) => [order.indexOf(name)])) {
    try {
      const server = await startServer(call, id, sample, call.signal);
      await server.ensureOpen(sample, call.signal);
      servers.push(server);
    } catch (error) {
      call.signal.throwIfAborted();
      if (!(error instanceof Refusal)) throw error;
      unheard(call, draft, id, error, "was not asked");
    }
  }
  return servers;
}

/** Where a name leads; undefined when that is nowhere, or outside the workspace. */
async function targetOf(call: CallState, path: string): Promise<string | undefined> {
  try {
    return (await call.gate.admit(path)).path;
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/** What a server would have added is missing. */
function unheard(call: CallState, draft: Draft, id: string, { message, code }: Refusal, how: string): void {
  call.evidence.warn("answer/partial-servers", `The server ${id} ${how}: ${message}`, {
    server_id: id,
    code,
  });
  draft.doubts.push(`The server ${id} ${how}, so what refers to the file may not be updated.`);
}

/** Whether a name is a folder itself; a link to one is not, and what lies behind it stays where it is. */
async function isFolder(path: string): Promise<boolean> {
  const facts = await lstat(path).catch(() => undefined);
  return facts?.isDirectory() === true;
}

function textArgument(args: JsonObject, name: string): string {
  const value = args[name];
  if (typeof value === "string" && value !== "") return value;
  throw new Refusal("guard/invalid-arguments", `The path in \`${name}\` is missing.`);
}
