/**
 * Retries a call while files change under it. Positions and hashes are true of one text: when a file that an answer
 * shows changed while it was asked about, the call runs again, a few times; after that the answer carries a warning.
 */
import type { StepPlan, ToolPlan } from "../../abi/plan.js";
import { type FileStamp, stampOf } from "../../base/file-stamp.js";
import { sortedSet } from "../../base/order.js";
import { Turns, untilAborted } from "../../base/timing.js";
import { readText } from "../../lsp/documents/read-text.js";
import { actions } from "../../protocol/actions.js";
import type { EditActivity } from "../../workspace/edits/types.js";
import type { Admitted } from "../../workspace/gate-types.js";
import type { CallState } from "../call-state.js";

const MAX_ATTEMPTS = 3;
/** File system clocks are coarse: a file changed this shortly before may have changed just after. */
const CLOCK_GRAIN_MS = 20;

const EDITED_MEANWHILE =
  "The workspace was edited during each attempt; the answer may show a part of an edit.";

/** Stamps by absolute path; undefined for what is gone or not a file. */
export type Stamps = ReadonlyMap<string, FileStamp | undefined>;

/** One of the times that a call runs. */
export interface Attempt {
  /** Wall-clock time before the first file was read. */
  startedAt: number;
  /** How many edits of this process had begun to write. */
  edits: number;
  isFirst: boolean;
  isLast: boolean;
}

/** A file changed under a call that can run again. */
class FilesChanged extends Error {}

/** Whether a call may be asked again: it only reads what language servers answer. */
export function isRepeatableTool(tool: ToolPlan): boolean {
  return tool.effect === "read" && tool.steps.every(readsServers);
}

function readsServers(step: StepPlan): boolean {
  if (step.kind === "runtime") return actions[step.action].place;
  return step.kind === "request" || step.kind === "diagnostics";
}

/** Runs a call, and runs it again while files change under it; rejects as soon as the signal aborts. */
export async function retryWhileFilesChange<T>(
  signal: AbortSignal,
  run: (attempt: Attempt) => Promise<T>,
  edits?: EditActivity,
): Promise<T> {
  for (let count = 1; ; count++) {
    try {
      if (edits?.writing) await untilAborted(signal, edits.writing);
      const isFirst = count === 1;
      const isLast = count === MAX_ATTEMPTS;
      const attempt = { startedAt: Date.now(), edits: edits?.begun ?? 0, isFirst, isLast };
      return await untilAborted(signal, run(attempt));
    } catch (error) {
      if (!(error instanceof FilesChanged) || signal.aborted) throw error;
    }
  }
}

/** Makes the call run again when its files changed; on the last attempt adds a warning. Returns the files' stamps. */
export async function assertFilesUnchanged(call: CallState): Promise<Stamps> {
  const { attempt, evidence, places } = call;
  const shown = places.shown();
  const own = evidence.document?.admitted;
  const paths = new Set(shown.map(({ path }) => path));
  if (own !== undefined) paths.add(own.path);
  const stamps = await stampsOf(paths, new Turns(call.signal));
  if (attempt === undefined) return stamps;
  const changed = await changedSince(attempt.startedAt, call, shown, stamps);
  // An edit may also have removed a file from the answer, which then does not show that it changed.
  const wasEdited = call.edits !== undefined && call.edits.begun !== attempt.edits;
  if (changed.length === 0 && !wasEdited) return stamps;
  if (!attempt.isLast) throw new FilesChanged();
  if (changed.length === 0) {
    evidence.warn("answer/changed-meanwhile", EDITED_MEANWHILE);
    return stamps;
  }
  const names = changed.slice(0, 3).join(", ");
  const more = changed.length > 3 ? ` and ${changed.length - 3} more` : "";
  evidence.warn(
    "answer/changed-meanwhile",
    `${names}${more} changed during each attempt; positions in it may be wrong.`,
  );
  return stamps;
}

/**
 * The files of the answer that changed after a time, as they are shown.
 * A text is read only where the clock leaves doubt.
 */
async function changedSince(
  startedAt: number,
  { evidence, plan }: CallState,
  shown: readonly Admitted[],
  stamps: Stamps,
): Promise<string[]> {
  const { document } = evidence;
  const own = document?.admitted;
  const changed = shown
    .filter(({ path }) => path !== own?.path && (stamps.get(path)?.changedAt ?? 0) >= startedAt)
    .map((file) => file.shown);
  if (document !== undefined && own !== undefined) {
    const isOlder = (stamps.get(own.path)?.changedAt ?? startedAt) < startedAt - CLOCK_GRAIN_MS;
    const { maxFileBytes } = plan.limits;
    if (!evidence.documentsUnchanged || (!isOlder && (await hasOtherText(own, document.hash, maxFileBytes))))
      changed.push(own.shown);
  }
  return sortedSet(changed);
}

async function hasOtherText({ path, shown }: Admitted, hash: string, maxBytes: number): Promise<boolean> {
  const text = await readText(path, shown, maxBytes).catch(() => undefined);
  return text?.hash !== hash;
}

export async function stampsOf(paths: Iterable<string>, turns: Turns): Promise<Stamps> {
  const stamps = new Map<string, FileStamp | undefined>();
  for (const path of paths) {
    stamps.set(path, stampOf(path));
    if (turns.isDue) await turns.yield();
  }
  return stamps;
}
