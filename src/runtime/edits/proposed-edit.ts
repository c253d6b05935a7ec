/**
 * Proposed edits and the builder that makes them from ranges. A server's reply or a tool's arguments propose an edit,
 * and the engine checks it later. A position that a text does not have is refused here.
 */

import { existsSync } from "node:fs";
import type { Position, Range } from "vscode-languageserver-protocol";
import type { Code } from "../../base/codes.js";
import { sha256 } from "../../base/hash.js";
import type { Json } from "../../base/json.js";
import { pathAfterMove } from "../../base/paths.js";
import { Fault, Refusal } from "../../base/problem.js";
import { columnsOf, Lines, type PositionEncoding } from "../../base/text.js";
import { Turns } from "../../base/timing.js";
import { readText } from "../../lsp/documents/read-text.js";
import type { LanguageServer } from "../../lsp/types.js";
import type { Point } from "../../protocol/dialect-format.js";
import type { Edits } from "../../workspace/edits/edits.js";
import { reasonOfRefusal } from "../../workspace/edits/errors.js";
import type { Change, PathChange, Reason, TextChange } from "../../workspace/edits/types.js";
import type { Admitted } from "../../workspace/gate-types.js";
import type { CallState } from "../call-state.js";
import type { NamedPlace } from "./files-using.js";

export interface ServerCommand {
  server: LanguageServer;
  name: string;
  arguments: Json[];
}

export class ProposedEdit {
  readonly changes: Change[] = [];
  readonly reasons: Reason[] = [];
  /** Labels of changes that the server wants confirmed. */
  readonly toConfirm: string[] = [];
  /** Why the edit may be incomplete, as sentences. Such an edit is applied only after a preview. */
  readonly doubts: string[] = [];
  /** Ids of servers that do not know the whole project. */
  readonly unsureServers: string[] = [];
  /** Whether a server searched the whole workspace for it. */
  isWorkspaceWide = false;
  /** Whether a file operation was left out, so that later changes may refer to wrong files. */
  lacksOperation = false;
  /** The symbol whose declaration it changes. */
  symbol: NamedPlace | undefined;
  command: ServerCommand | undefined;
  /** The edit to undo, in place of changes; without a token the last one. */
  undo: { token: string | undefined } | undefined;

  merge(other: ProposedEdit): void {
    // One by one: a server's list may be longer than a call takes arguments.
    for (const change of other.changes) this.changes.push(change);
    for (const reason of other.reasons) this.reasons.push(reason);
    for (const label of other.toConfirm) this.toConfirm.push(label);
    for (const doubt of other.doubts) this.doubts.push(doubt);
    for (const id of other.unsureServers) this.unsureServers.push(id);
    this.isWorkspaceWide ||= other.isWorkspaceWide;
    this.lacksOperation ||= other.lacksOperation;
    this.symbol ??= other.symbol;
    this.command ??= other.command;
    this.undo ??= other.undo;
  }

  /** Adds a reason against the edit; the message continues the sentence that begins with the path. */
  refuse(code: Code, path: string, message: string): void {
    this.reasons.push({ code, path, message });
  }

  /** Adds a Refusal as a reason; any other error is thrown. */
  refuseWith(error: unknown, path: string): void {
    if (!(error instanceof Refusal)) throw error;
    this.reasons.push(reasonOfRefusal(error, path));
  }
}

/** Codes of reasons that may only follow from an operation that was left out. */
const pathCode = /^edit\/(missing|exists|not-empty|bad-target|changed)$/;

/** All reasons against an edit: its own, and those that the engine found. */
export function reasonsAgainst({ reasons, lacksOperation }: ProposedEdit, found: Reason[]): Reason[] {
  return [...reasons, ...(lacksOperation ? found.filter(({ code }) => !pathCode.test(code)) : found)];
}

/** The edit engine of a call. Tools that edit are not listed where there is none. */
export function editsOf({ edits }: CallState): Edits {
  if (edits === undefined) throw new Fault("an edit was requested from a runtime that does not edit");
  return edits;
}

/** Where the gate admits a path, or why it does not. */
export async function admittedOrRefusal({ gate }: CallState, name: string): Promise<Admitted | Refusal> {
  return gate.admit(name).catch((error: unknown) => {
    if (error instanceof Refusal) return error;
    throw error;
  });
}

interface BaseText {
  lines: Lines;
  hash: string;
}

/** A text edit with a range in columns of `unit`. */
export interface RangeEdit {
  range: Range;
  newText: string;
  note?: string;
}

/** Builds a proposed edit. Positions refer to the texts as the changes before leave them. */
export class EditBuilder {
  readonly edit = new ProposedEdit();
  readonly #earlier: PathChange[] = [];
  readonly #read = new Map<string, BaseText>();
  #changedFiles: Promise<ReadonlySet<string>> | undefined;

  /**
   * No file may have changed after the change cursor `since`; undefined where no server was asked about the files.
   */
  constructor(
    private readonly call: CallState,
    private readonly server: LanguageServer | undefined,
    private readonly since: number | undefined,
  ) {}

  /** Adds text edits of a file, or a reason under the name `label` if the file is not admitted. */
  async editFile(
    name: string,
    label: string,
    edits: RangeEdit[],
    { unit, version, hash }: { unit: PositionEncoding; version?: unknown; hash?: Json | undefined },
  ): Promise<void> {
    let shown = label;
    try {
      const admitted = await this.call.gate.admit(name);
      shown = admitted.shown;
      const text = await this.baseText(admitted, version);
      if (hash !== undefined && hash !== text.hash)
        throw new Refusal("edit/changed", "does not have the given hash");
      const changes: TextChange[] = [];
      const turns = new Turns(this.call.signal);
      for (const { range, ...edit } of edits) {
        if (turns.isDue) await turns.yield();
        const extent = exactExtent(text.lines, range, unit);
        if (extent === undefined)
          this.edit.refuse("edit/out-of-range", shown, "does not contain a range of the edit");
        else changes.push({ ...extent, ...edit });
      }
      this.edit.changes.push({ kind: "edit", path: admitted.path, sha256: text.hash, changes });
    } catch (error) {
      this.edit.refuseWith(error, shown);
    }
  }

  /** Adds a file operation; throws a Refusal when a path is not admitted. */
  async addOperation(change: PathChange): Promise<void> {
    const { gate } = this.call;
    if (change.kind === "create") {
      const { path } = await gate.admit(change.path);
      const isKept = change.ignoreIfExists && !change.overwrite && existsSync(path);
      if (!isKept) this.#earlier.push({ ...change, path });
    } else if (change.kind === "rename") {
      const from = await gate.admitEntry(change.from);
      const to = await gate.admitEntry(change.to);
      this.#earlier.push({ ...change, from: from.path, to: to.path });
    } else await gate.admitEntry(change.path);
    this.edit.changes.push(change);
  }

  /** The text of a file at this point of the edit; throws a Refusal when the server has another text or version. */
  async baseText(admitted: Admitted, version?: unknown): Promise<BaseText> {
    let { path } = admitted;
    for (const step of this.#earlier.toReversed()) {
      if (step.kind === "create" && step.path === path)
        return { lines: new Lines(step.text), hash: sha256(step.text) };
      if (step.kind === "rename") path = pathAfterMove(path, step.to, step.from);
    }
    const text = this.#read.get(path) ?? (await this.#readDisk(path, admitted.shown));
    this.#read.set(path, text);
    const open = this.server?.opened(path);
    if (open !== undefined && open.hash !== text.hash) throw changed("changed while the server was asked");
    if (typeof version !== "number" || this.server === undefined) return text;
    // Some servers send version 0 instead of null for files that are not open.
    if (version !== (open?.version ?? 0)) throw changed("is edited in another version than the server has");
    return text;
  }

  async #readDisk(path: string, shown: string): Promise<BaseText> {
    if (this.since !== undefined) this.#changedFiles ??= this.call.pool.changedSince(this.since);
    if ((await this.#changedFiles)?.has(path)) throw changed("changed while the server was asked");
    return readText(path, shown, this.call.plan.limits.maxFileBytes);
  }
}

function changed(message: string): Refusal {
  return new Refusal("edit/changed", message);
}

export interface Extent {
  start: number;
  end: number;
}

/** The offset of a position; undefined past the last line and within a character. Past a line's end is its end. */
export function exactOffset(lines: Lines, position: Position, unit: PositionEncoding): number | undefined {
  const { line, character } = position;
  if (!(line >= 0 && line < lines.count && character >= 0)) return undefined;
  const offset = lines.offset(line, character, unit);
  const isExact = pointAt(lines, offset, unit).character === Math.min(character, lines.columns(line, unit));
  return isExact ? offset : undefined;
}

/**
 * The offsets of a range; undefined when the text does not have it. Formatters name the end of a text by the line after
 * its last one, or, when they replace the whole text, by any line past it.
 */
export function exactExtent(lines: Lines, { start, end }: Range, unit: PositionEncoding): Extent | undefined {
  const from = exactOffset(lines, start, unit);
  const isWhole = start.line === 0 && start.character === 0;
  const isNextLine = end.line === lines.count && end.character === 0;
  const isTextEnd = end.line >= lines.count && (isWhole || isNextLine);
  const to = isTextEnd ? lines.text.length : exactOffset(lines, end, unit);
  return from === undefined || to === undefined || to < from ? undefined : { start: from, end: to };
}

export function pointAt(lines: Lines, offset: number, unit: PositionEncoding): Point {
  const line = lines.lineAt(offset);
  const before = lines.text.slice(lines.start(line), offset);
  return { line, character: lines.isPlain(line) ? before.length : columnsOf(before, unit) };
}
