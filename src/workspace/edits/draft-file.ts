/**
 * One file of an edit that is being drafted: what it was, and what the changes so far make of it. Several edits of one
 * text are one edit; an edit of the text that they make begins anew.
 */
import type { Code } from "../../base/codes.js";
import { sha256 } from "../../base/hash.js";
import type { Found } from "./disk.js";
import { applyChanges, checkChanges, type Decoded, decodeText, encodeText, fitLineEnds } from "./text.js";
import type { TextChange } from "./types.js";

/** A file on disk as it was read; `text` is null when it is none, and undefined when nobody has needed it yet. */
export interface Origin {
  path: string;
  found: Found;
  sha256: string;
  text: Decoded | null | undefined;
}

type Complaint = { code: Code; message: string };

export class DraftFile {
  /** Where the changes so far put it. */
  path: string;
  /** Whether a later change removes it. */
  removed = false;

  #origin: Origin | null;
  #base: Decoded | null;
  #baseSha256: string;
  #changes: TextChange[] = [];
  /** Whether `#base` is still the text on disk. */
  #direct = true;

  private constructor(origin: Origin | null, path: string, base: Decoded | null, baseSha256: string) {
    this.#origin = origin;
    this.path = path;
    this.#base = base;
    this.#baseSha256 = baseSha256;
  }

  /** A file that is there. */
  static onDisk(origin: Origin, path: string): DraftFile {
    return new DraftFile(origin, path, origin.text ?? null, origin.sha256);
  }

  /** A file that the edit makes. */
  static created(path: string, text: string): DraftFile {
    const decoded = withoutMark(text);
    return new DraftFile(null, path, decoded, sha256(encodeText(decoded)));
  }

  /** The file on disk; null for a new one. */
  get origin(): Origin | null {
    return this.#origin;
  }

  /** Takes in the content of a file of which only the hash was known. */
  look(origin: Origin): void {
    this.#origin = origin;
    this.#base = origin.text ?? null;
    this.#baseSha256 = origin.sha256;
  }

  /** Changes the text whose hash is given; tells what is wrong instead, and changes nothing then. */
  edit(hash: string, changes: TextChange[]): Complaint[] {
    const now = this.bytes();
    if (this.#base === null || now === null)
      return [{ code: "guard/not-a-file", message: "is not UTF-8 text" }];
    if (hash !== this.#baseSha256) {
      const nowSha256 = sha256(now);
      if (hash !== nowSha256)
        return [{ code: "edit/changed", message: "has another content than the edit was made for" }];
      this.#begin(decodeText(now) ?? this.#base, nowSha256);
    }
    const { text } = this.#base;
    const all = [...this.#changes, ...fitLineEnds(text, changes)];
    const complaints = checkChanges(text, all);
    if (complaints.length === 0) this.#changes = all;
    return complaints;
  }

  /** Gives the file a whole new text. */
  replace(text: string): void {
    const decoded = withoutMark(text);
    this.#begin(decoded, sha256(encodeText(decoded)));
  }

  /** The text that the file will have; null when it is not text or was not looked at. */
  after(): Decoded | null {
    if (this.#base === null || this.#changes.length === 0) return this.#base;
    return { text: applyChanges(this.#base.text, this.#changes), marked: this.#base.marked };
  }

  /** The bytes that the file will have; null when its content stays and was not looked at. */
  bytes(): Buffer | null {
    const after = this.after();
    return after === null ? null : encodeText(after);
  }

  /** The changes, while they are about the text on disk. */
  directChanges(): TextChange[] | undefined {
    return this.#direct ? this.#changes : undefined;
  }

  #begin(base: Decoded, hash: string): void {
    this.#base = base;
    this.#baseSha256 = hash;
    this.#changes = [];
    this.#direct = false;
  }
}

function withoutMark(text: string): Decoded {
  return text.startsWith("\ufeff") ? { text: text.slice(1), marked: true } : { text, marked: false };
}
