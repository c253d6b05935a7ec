/**
 * Previews that outlive their process, for whoever makes each call in a process of its own. They stand in the user's state
 * folder, readable by their owner alone. What a token stands for is drafted again when it is applied and must come to the
 * same token, which is made of the changes and of every file's hashes: neither a changed file nor a changed record passes.
 */
import { randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sha256 } from "../../base/hash.js";
import { isTable, type Json } from "../../base/json.js";
import { sortBy } from "../../base/order.js";
import { refuseEdit } from "../../workspace/edits/reasons.js";
import type { Change, Preview } from "../../workspace/edits/types.js";
import type { CallState } from "../call-state.js";
import { Draft } from "./draft.js";
import { editsOf } from "./engine.js";
import type { Held } from "./held.js";

const lifeMs = 30 * 60_000;
const mostKept = 50;
const mostBytes = 16 << 20;
const recordName = /^[0-9a-f]{64}\.json$/;

/** A preview as it is written down. */
interface Kept extends Pick<Held, "readiness"> {
  version: 1;
  at: number;
  binding: string;
  changes: Change[];
  doubts: string[];
  toConfirm: string[];
  unsure: string[];
  /** Hashes before, by shown path. */
  before: [string, string | null][];
}

/** The previews of one workspace. */
export class LastingPreviews {
  readonly #folder: string;

  constructor(stateFolder: string, root: string) {
    this.#folder = join(stateFolder, "previews", sha256(root).slice(0, 16));
  }

  /** Writes a preview down; tells whether its token will be known to later processes. */
  async keep(call: CallState, binding: string, { draft, preview, readiness }: Held): Promise<boolean> {
    // What a command does is known to the very server that offers it.
    if (draft.command !== undefined) return false;
    const { changes, doubts, toConfirm, unsure } = draft;
    const before = beforeOf(preview);
    const kept: Kept = {
      ...{ version: 1, at: Date.now(), binding, changes, doubts, toConfirm, unsure, before },
      readiness,
    };
    const text = JSON.stringify(kept);
    if (text.length > mostBytes) return false;
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      const staged = join(this.#folder, `new-${randomBytes(16).toString("hex")}`);
      await writeFile(staged, text, { mode: 0o600, flag: "wx" });
      await rename(staged, this.#file(preview.token, binding));
      await this.#prune();
      return true;
    } catch (error) {
      call.log("warn", "a preview was not kept", { cause: String(error) });
      return false;
    }
  }

  /** The preview of a token, if one is kept; throws a Refusal when the files are not as they were. */
  async find(call: CallState, token: string, binding: string | undefined): Promise<Held | undefined> {
    const kept = await this.#read(token, binding);
    if (kept === undefined) return undefined;
    const draft = new Draft();
    draft.changes.push(...kept.changes);
    draft.doubts.push(...kept.doubts);
    draft.toConfirm.push(...kept.toConfirm);
    draft.unsure.push(...kept.unsure);
    const preview = await editsOf(call).preview(kept.changes, call.gate);
    if (preview.reasons.length > 0) throw refuseEdit(preview.reasons);
    if (preview.token !== token) throw refuseEdit(changesSince(kept, preview));
    return { draft, preview, readiness: kept.readiness };
  }

  async #read(token: string, binding: string | undefined): Promise<Kept | undefined> {
    const files = binding === undefined ? await this.#filesOf(token) : [this.#file(token, binding)];
    for (const file of files) {
      const text = await readFile(file, "utf8").catch(() => undefined);
      const kept = text === undefined ? undefined : keptIn(text);
      if (kept !== undefined && Date.now() - kept.at <= lifeMs) return kept;
    }
    return undefined;
  }

  /** A token's records begin alike, whichever call made them. */
  async #filesOf(token: string): Promise<string[]> {
    const start = sha256(token).slice(0, 32);
    const names = await readdir(this.#folder).catch(() => []);
    return names
      .filter((name) => recordName.test(name) && name.startsWith(start))
      .map((name) => join(this.#folder, name));
  }

  #file(token: string, binding: string): string {
    return join(this.#folder, `${sha256(token).slice(0, 32)}${sha256(binding).slice(0, 32)}.json`);
  }

  async #prune(): Promise<void> {
    const names = await readdir(this.#folder);
    const files = await Promise.all(
      names.map(async (name) => {
        const facts = await stat(join(this.#folder, name)).catch(() => undefined);
        return { name, at: facts?.mtimeMs ?? 0 };
      }),
    );
    const newest = sortBy(files, ({ at }) => [-at]);
    for (const [index, { name, at }] of newest.entries())
      if (index >= mostKept || Date.now() - at > lifeMs) await rm(join(this.#folder, name), { force: true });
  }
}

/** Reads a record; what it changes is judged by the token that it comes to. */
function keptIn(text: string): Kept | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isTable(value) || value.version !== 1 || typeof value.at !== "number") return undefined;
    const lists = [value.changes, value.doubts, value.toConfirm, value.unsure, value.before];
    return lists.every(Array.isArray) ? (value as unknown as Kept) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function beforeOf({ files }: Preview): [string, string | null][] {
  return files.map(({ shown, beforeSha256 }) => [shown, beforeSha256]);
}

function changesSince({ before }: Kept, now: Preview) {
  const was = new Map<string, Json>(before);
  const changed = beforeOf(now).filter(([shown, hash]) => was.get(shown) !== hash);
  const paths = changed.length > 0 ? changed.map(([shown]) => shown) : ["."];
  return paths.map((path) => ({
    ...{ code: "edit/changed" as const, path, message: "changed since the preview" },
  }));
}
