/** After an edit: servers know the new texts at once, and the answer says which errors came and went. */
import type { JsonObject } from "../../base/json.js";
import { isInside } from "../../base/paths.js";
import { untilAborted, withDeadline } from "../../base/timing.js";
import type { FileOperation } from "../../lsp/documents/file-operations.js";
import type { AppliedOperation, Preview, Undone } from "../../workspace/edits/types.js";
import type { CallState } from "../call-state.js";
import { compareErrors, type Look, lookAtErrors } from "./errors.js";
import { filesBelow } from "./folder.js";

const beforeMs = 5000;
const tellMs = 5000;
const afterMs = 10_000;
/** Servers that did not tell before are not waited for as long again. */
const briefMs = 2500;
/** Parts of the time that is left. */
const shareBefore = 0.25;
const shareAfter = 0.8;

/** The errors of the files that an edit is going to change. */
export async function lookBefore(call: CallState, { files }: Pick<Preview | Undone, "files">): Promise<Look> {
  const there = files.filter(({ beforeSha256 }) => beforeSha256 !== null).map(({ path }) => path);
  return lookAtErrors(call, there, Math.min(beforeMs, call.remainingMs() * shareBefore));
}

/**
 * Tells servers what has happened and gives what it did to errors as `diagnostics`; none when no server has a say. Of the
 * `unsure` it is not known what it did to files that they were not shown.
 */
export async function aftermath(
  call: CallState,
  done: readonly Undone[],
  before: Look,
  unsure: readonly string[] = [],
): Promise<{ diagnostics?: JsonObject }> {
  if (done.length === 0) return {};
  const operations = done.flatMap((edit) => edit.operations);
  await tellServers(call, operations);
  const files = done.flatMap((edit) => edit.files);
  const kept = files.filter(({ afterSha256 }) => afterSha256 !== null).map(({ path }) => path);
  const moved = operations.flatMap(({ to, folder }) => (to === undefined || folder ? [] : [to]));
  const edited = [...new Set([...kept, ...moved])];
  const own = call.evidence.document?.admitted.path;
  const first = edited.filter((path) => path === own);
  const ordered = [...first, ...edited.filter((path) => path !== own)];
  const retryPlanFor = before.why.length === 0 ? afterMs : briefMs;
  const ms = Math.min(retryPlanFor, call.remainingMs() * shareAfter);
  const after = await lookAtErrors(call, ordered, ms, new Set([...concerned(call, operations), ...unsure]));
  if ([before, after].every(({ errors, why }) => errors.size === 0 && why.length === 0)) return {};
  const delta = compareErrors(call, before, after, ordered, (path) => movedTo(path, operations));
  const { introduced, resolved, errors, notShown, why } = delta;
  const status: JsonObject =
    why.length === 0 ? { status: "known" } : { status: "unknown", why: why.join("; ") };
  return { diagnostics: { ...status, introduced, resolved, errors, not_shown: notShown } };
}

/** The servers of names that are gone: what refers to those stands in other files. */
function concerned(call: CallState, operations: readonly AppliedOperation[]): string[] {
  const gone = operations.filter(({ kind }) => kind !== "create");
  return gone.flatMap(({ path, folder }) =>
    folder ? call.pool.running().map(({ plan }) => plan.id) : call.pool.route(path).map(({ id }) => id),
  );
}

/** Where a file is after the operations. */
function movedTo(path: string, operations: readonly AppliedOperation[]): string {
  return operations.reduce(
    (at, { path: from, to }) => (to !== undefined && isInside(at, from) ? to + at.slice(from.length) : at),
    path,
  );
}

/** Texts first, as every change on disk is told, then names; a server that fails is told of, and nothing more. */
async function tellServers(call: CallState, operations: readonly AppliedOperation[]): Promise<void> {
  try {
    await withDeadline([], tellMs, (signal) => untilAborted(signal, call.pool.checkFiles()));
    for (const operation of operations) {
      const { kind, path, to, folder } = operation;
      const file = { path, isFolder: folder, ...(to === undefined ? {} : { newPath: to }) };
      const below = folder ? await filesBelow(file, to ?? path) : [];
      for (const server of call.pool.running()) {
        const isWanted = server.wantedFiles("did", names[kind], [file]).length > 0;
        server.tellFiles(names[kind], isWanted ? [file] : below);
      }
    }
  } catch (error) {
    call.evidence.warn("answer/edit-incomplete", "Not every language server could be told of the new texts.");
    call.log("warn", "servers were not told of an edit", { cause: String(error) });
  }
}

const names: { [kind in AppliedOperation["kind"]]: FileOperation } = {
  create: "Create",
  rename: "Rename",
  delete: "Delete",
};
