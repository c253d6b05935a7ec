/** Previews of `lsp-proxy call`, on disk, because each of its calls is a process of its own. */
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { writeAtomically } from "../../base/atomic-write.js";
import { statOf } from "../../base/file-stamp.js";
import { sha256 } from "../../base/hash.js";
import { isTable, parseJson } from "../../base/json.js";
import { sortBy } from "../../base/order.js";
import { refuseEdit } from "../../workspace/edits/errors.js";
import { beforeHashes, changedSince } from "../../workspace/edits/preview.js";
import type { CallState } from "../call-state.js";
import { editsOf, ProposedEdit } from "./proposed-edit.js";
import { LIFETIME_MS, type ShownPreview } from "./session-previews.js";

const MAX_FILES = 50;
const MAX_FILE_CHARS = 16 << 20;

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
      files.push({ path, at: statOf(path)?.mtimeMs ?? 0 });
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
