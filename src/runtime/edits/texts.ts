/**
 * The texts that an edit is about, as the changes before each change leave them. A file that anyone changed while the
 * server was asked, or that the server has in another version, is refused: its positions would mean something else.
 */
import { sha256 } from "../../base/hash.js";
import { isInside } from "../../base/paths.js";
import { Refusal } from "../../base/problem.js";
import { Lines } from "../../base/text.js";
import { readText } from "../../lsp/documents/read-text.js";
import type { LanguageServer } from "../../lsp/types.js";
import type { Admitted } from "../../workspace/types.js";
import type { CallState } from "../call-state.js";

/** A text with the hash of its bytes. */
export interface EditText {
  lines: Lines;
  hash: string;
}

type Step = { kind: "create"; path: string; text: string } | { kind: "rename"; from: string; to: string };

export class EditTexts {
  readonly #steps: Step[] = [];
  readonly #read = new Map<string, EditText>();
  #changed: Promise<ReadonlySet<string>> | undefined;

  /** `since` is the moment from which on no file of the edit may have changed. */
  constructor(
    private readonly call: CallState,
    private readonly server: LanguageServer | undefined,
    private readonly since: number,
  ) {}

  /** A file that an earlier change makes. */
  created(path: string, text: string): void {
    this.#steps.push({ kind: "create", path, text });
  }

  /** A file or folder that an earlier change moves. */
  renamed(from: string, to: string): void {
    this.#steps.push({ kind: "rename", from, to });
  }

  /** The text of a file at this point; throws a Refusal that says why there is none. */
  async of(admitted: Admitted, version: unknown): Promise<EditText> {
    let { path } = admitted;
    for (const step of [...this.#steps].reverse()) {
      if (step.kind === "create" && step.path === path) return textOf(step.text);
      if (step.kind === "rename" && isInside(path, step.to)) path = step.from + path.slice(step.to.length);
    }
    const known = this.#read.get(path) ?? (await this.#readDisk(path, admitted.shown));
    this.#read.set(path, known);
    const open = this.server?.opened(path);
    if (open !== undefined && open.hash !== known.hash) throw changed("changed while the server was asked");
    if (open !== undefined && typeof version === "number" && version !== open.version)
      throw changed("is edited in another version than the server has");
    // Some servers give the version 0 to every file that is not open, where LSP has null.
    if (open === undefined && this.server !== undefined && typeof version === "number" && version !== 0)
      throw changed("is edited in a version that the server was never given");
    return known;
  }

  async #readDisk(path: string, shown: string): Promise<EditText> {
    this.#changed ??= this.call.pool.changedSince(this.since);
    if ((await this.#changed).has(path)) throw changed("changed while the server was asked");
    const { lines, hash } = await readText(path, shown, this.call.plan.limits.maxFileBytes);
    return { lines, hash };
  }
}

function textOf(text: string): EditText {
  return { lines: new Lines(text), hash: sha256(text) };
}

function changed(message: string): Refusal {
  return new Refusal("edit/changed", message);
}
