/**
 * Previews that can still be applied: those of a session, in memory, and those of `lsp-proxy call`, on disk, because each
 * of its calls is a process of its own. A token is bound to the tool and the arguments that produced it.
 */
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { LRUCache } from "lru-cache";
import { writeAtomically } from "../../base/atomic-write.js";
import { factsOf } from "../../base/file-stamp.js";
import { sha256 } from "../../base/hash.js";
import { isTable, parseJson } from "../../base/json.js";
import { sortBy } from "../../base/order.js";
import { Refusal } from "../../base/problem.js";
import type { Readiness } from "../../lsp/types.js";
import { refuseEdit } from "../../workspace/edits/errors.js";
import { beforeHashes, changedSince } from "../../workspace/edits/preview.js";
import type { Preview } from "../../workspace/edits/types.js";
import type { CallState } from "../call-state.js";
import { editsOf, ProposedEdit } from "./proposed-edit.js";

/** A preview as it was shown, with what is needed to apply it. */
export interface ShownPreview {
  edit: ProposedEdit;
  preview: Preview;
  /** The readiness of the servers that made it; undefined when none was asked. */
  readiness: Readiness | undefined;
}

const LIFETIME_MS = 30 * 60_000;
const MAX_SESSION_PREVIEWS = 100;
const MAX_SESSION_BYTES = 64 << 20;
const MAX_FILES = 50;
const MAX_FILE_CHARS = 16 << 20;

/** The previews of one session; the oldest are dropped first. */
export class SessionPreviews {
  readonly #previews: LRUCache<string, ShownPreview & { binding: string }>;

  constructor(maxBytes = MAX_SESSION_BYTES) {
    this.#previews = new LRUCache({
      max: MAX_SESSION_PREVIEWS,
      ttl: LIFETIME_MS,
      maxSize: maxBytes,
      // One large preview is always kept.
      sizeCalculation: ({ preview }) => Math.min(sizeOf(preview), maxBytes),
    });
  }

  keep(binding: string, shown: ShownPreview): void {
    this.#previews.set(`${shown.preview.token}\n${binding}`, { ...shown, binding });
  }

  /** The preview of a token; without a binding, the newest one of any call. */
  find(token: string, binding: string | undefined): ShownPreview {
    const found = [...this.#previews.values()].find(
      (one) => one.preview.token === token && (binding === undefined || one.binding === binding),
    );
    const message = "No recent preview with this tool and these arguments has this edit_token.";
    if (found === undefined) throw new Refusal("edit/unknown-token", message);
    return found;
  }

  drop(token: string): void {
    for (const [key, { preview }] of [...this.#previews.entries()])
      if (preview.token === token) this.#previews.delete(key);
  }
}

/** An estimate: up to two bytes per UTF-16 code unit, and some for each text and operation. */
function sizeOf({ files, operations }: Preview): number {
  const texts = files.flatMap(({ before, diff, changes }) => [
    ...[before ?? "", diff],
    ...changes.map(({ newText }) => newText),
  ]);
  return texts.reduce((sum, text) => sum + 200 + 2 * text.length, 500 * (operations.length + 1));
}

interface SavedPreview extends Pick<ProposedEdit, "changes" | "doubts" | "toConfirm"> {
  readiness: ShownPreview["readiness"];
  version: 1;
  at: number;
  unsure: string[];
  before: [string, string | null][];
}

/** The previews of one workspace on disk. The token covers all changes and hashes: a modified record is refused. */
export class SavedPreviews {
  readonly #folder: string;

  constructor(stateFolder: string, root: string) {
    this.#folder = join(stateFolder, "previews", sha256(root).slice(0, 16));
  }

  /** Saves a preview; false when later processes will not know its token. */
  async keep(call: CallState, binding: string, { edit, preview, readiness }: ShownPreview): Promise<boolean> {
    // A command can only be run by the server process that offered it.
    if (edit.command !== undefined) return false;
    const { changes, doubts, toConfirm, unsureServers: unsure } = edit;
    const before = [...beforeHashes(preview)];
    const [version, at] = [1, Date.now()] as const;
    const saved: SavedPreview = { version, at, changes, doubts, toConfirm, unsure, before, readiness };
    const text = JSON.stringify(saved);
    if (text.length > MAX_FILE_CHARS) return false;
    try {
      const path = join(this.#folder, fileName(preview.token, binding));
      writeAtomically(path, text, { mode: 0o600, folderMode: 0o700 });
      await this.#prune();
      return true;
    } catch (error) {
      call.log("warn", "a preview was not saved", { cause: String(error) });
      return false;
    }
  }

  /** The preview of a token, if one is saved; throws a Refusal when the files have changed. */
  async find(call: CallState, token: string, binding: string | undefined): Promise<ShownPreview | undefined> {
    const saved = await this.#read(token, binding);
    if (saved === undefined) return undefined;
    const { changes, doubts, toConfirm, unsure: unsureServers } = saved;
    const edit = Object.assign(new ProposedEdit(), { changes, doubts, toConfirm, unsureServers });
    const preview = await editsOf(call).preview(saved.changes, call.gate);
    if (preview.reasons.length > 0) throw refuseEdit(preview.reasons);
    if (preview.token !== token) throw refuseEdit(changedSince(new Map(saved.before), preview));
    return { edit, preview, readiness: saved.readiness };
  }

  /** Without a binding, any preview of the token is read. */
  async #read(token: string, binding: string | undefined): Promise<SavedPreview | undefined> {
    const start = binding === undefined ? hashPart(token) : fileName(token, binding);
    for (const name of await readdir(this.#folder).catch(() => [])) {
      if (!name.startsWith(start) || !name.endsWith(".json")) continue;
      const saved = parseJson(await readFile(join(this.#folder, name), "utf8").catch(() => ""));
      if (isSaved(saved) && Date.now() - saved.at <= LIFETIME_MS) return saved;
    }
    return undefined;
  }

  async #prune(): Promise<void> {
    const names = await readdir(this.#folder);
    const files: { path: string; at: number }[] = [];
    for (const path of names.map((name) => join(this.#folder, name)))
      files.push({ path, at: factsOf(path)?.mtimeMs ?? 0 });
    for (const [index, { path, at }] of sortBy(files, (file) => [-file.at]).entries())
      if (index >= MAX_FILES || Date.now() - at > LIFETIME_MS) await rm(path, { force: true });
  }
}

function fileName(token: string, binding: string): string {
  return `${hashPart(token)}${hashPart(binding)}.json`;
}

function hashPart(text: string): string {
  return sha256(text).slice(0, 32);
}

/** The changes of a record need no check here: they must produce the token. */
function isSaved(value: unknown): value is SavedPreview {
  if (!isTable(value) || value.version !== 1 || typeof value.at !== "number") return false;
  return [value.changes, value.doubts, value.toConfirm, value.unsure, value.before].every(Array.isArray);
}
