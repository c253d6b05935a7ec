/**
 * From what a server answers to changes of files: a `WorkspaceEdit` in either of its forms, the `TextEdit`s of one
 * document, or a code action with its edit and command. Positions are read in the server's own encoding against the
 * very text it was asked about. Nothing is dropped: what cannot be done is a reason to refuse the whole.
 */
import { isTable, type Json } from "../../base/json.js";
import { sortBy } from "../../base/order.js";
import { Refusal } from "../../base/problem.js";
import type { LanguageServer } from "../../lsp/types.js";
import type { Change, TextChange } from "../../workspace/edits/types.js";
import { statOf } from "../../workspace/real-path.js";
import type { CallState } from "../call-state.js";
import { garbled, isRange, listOf } from "../lsp-values.js";
import { Draft, predicate } from "./draft.js";
import { exactExtent } from "./offsets.js";
import { tellProject } from "./project.js";
import { plainSnippet } from "./snippets.js";
import { EditTexts } from "./texts.js";

const what = "an edit";
const SNIPPET = 2;

/** The draft of a server's answer; `since` is the moment from which on its files must be as they were. */
export async function draftOfReply(
  call: CallState,
  server: LanguageServer,
  value: unknown,
  since: number,
): Promise<Draft> {
  if (Array.isArray(value)) {
    const uri = call.evidence.document?.admitted.uri;
    if (uri === undefined) throw garbled(server, what);
    return new ServerEdit(call, server, since, false).read({ changes: { [uri]: value } });
  }
  if (value === null || value === undefined) return new Draft();
  if (!isTable(value)) throw garbled(server, what);
  return typeof value.title === "string"
    ? draftOfAction(call, server, value, since)
    : new ServerEdit(call, server, since).read(value);
}

/** An action's edit comes first, then its command; a bare command has its name where an action has the whole. */
async function draftOfAction(
  call: CallState,
  server: LanguageServer,
  action: Record<string, unknown>,
  since: number,
): Promise<Draft> {
  const draft = isTable(action.edit)
    ? await new ServerEdit(call, server, since).read(action.edit)
    : new Draft();
  const command = isTable(action.command) ? action.command : action;
  if (typeof command.command === "string")
    draft.command = { server, name: command.command, arguments: listOf(command.arguments) as Json[] };
  return draft;
}

class ServerEdit {
  readonly #draft = new Draft();
  readonly #texts: EditTexts;
  #annotations: Record<string, unknown> = {};
  /** Which change is read now, from 1. */
  #number = 0;

  constructor(
    private readonly call: CallState,
    private readonly server: LanguageServer,
    since: number,
    private readonly isWide = true,
  ) {
    this.#texts = new EditTexts(call, server, since);
  }

  async read(edit: Record<string, unknown>): Promise<Draft> {
    const { changes, documentChanges, changeAnnotations } = edit;
    this.#draft.isWide = this.isWide;
    if (this.isWide) await tellProject(this.call, this.server, this.#draft);
    this.#annotations = isTable(changeAnnotations) ? changeAnnotations : {};
    // `documentChanges` win, never both; an empty list beside real changes hides none of them.
    if (Array.isArray(documentChanges) && (documentChanges.length > 0 || !isTable(changes))) {
      for (const change of documentChanges) await this.#change(change);
    } else if (isTable(changes)) {
      for (const [uri, edits] of sortBy(Object.entries(changes), ([name]) => [name]))
        await this.#edit(uri, null, edits);
    } else if ((changes ?? documentChanges ?? null) !== null) throw garbled(this.server, what);
    return this.#draft;
  }

  async #change(change: unknown): Promise<void> {
    if (!isTable(change)) throw garbled(this.server, what);
    if (change.kind !== undefined) return this.#operation(change);
    const { textDocument, edits } = change;
    if (!isTable(textDocument) || typeof textDocument.uri !== "string") throw garbled(this.server, what);
    return this.#edit(textDocument.uri, textDocument.version, edits);
  }

  async #edit(uri: string, version: unknown, edits: unknown): Promise<void> {
    if (!Array.isArray(edits)) throw garbled(this.server, what);
    this.#number++;
    if (edits.length === 0) return;
    let shown: string | undefined;
    try {
      const admitted = await this.call.gate.admit(uri);
      shown = admitted.shown;
      const text = await this.#texts.of(admitted, version);
      const changes: TextChange[] = [];
      for (const edit of edits) {
        if (!isTable(edit) || !isRange(edit.range)) throw garbled(this.server, what);
        const extent = exactExtent(text.lines, edit.range, this.server.encoding);
        if (extent === undefined)
          this.#draft.refuse("edit/out-of-range", admitted.shown, "does not have a range of the edit");
        else changes.push({ ...extent, newText: this.#newText(edit, admitted.shown), ...this.#note(edit) });
      }
      this.#draft.changes.push({ kind: "edit", path: admitted.path, sha256: text.hash, changes });
    } catch (error) {
      this.#refuse(error, shown);
    }
  }

  #newText(edit: Record<string, unknown>, shown: string): string {
    const { newText, snippet, insertTextFormat } = edit;
    const source = isTable(snippet) ? snippet.value : insertTextFormat === SNIPPET ? newText : undefined;
    if (source === undefined && typeof newText === "string") return newText;
    if (typeof source !== "string") throw garbled(this.server, what);
    const plain = plainSnippet(source);
    if (plain === undefined) {
      this.#draft.refuse("edit/snippet", shown, "gets a snippet that only an editor can fill in");
      return "";
    }
    this.call.evidence.warn("answer/snippet-stripped", `A snippet in ${shown} was taken as plain text.`);
    return plain;
  }

  async #operation(change: Record<string, unknown>): Promise<void> {
    const { kind, uri, oldUri, newUri } = change;
    const options = isTable(change.options) ? change.options : {};
    const is = (name: string) => options[name] === true;
    const note = this.#note(change);
    this.#number++;
    try {
      let made: Change;
      if (kind === "create" && typeof uri === "string") {
        const flags = { overwrite: is("overwrite"), ignoreIfExists: is("ignoreIfExists") };
        made = { kind, path: uri, text: "", ...flags, ...note };
        const { path } = await this.call.gate.admit(uri);
        const stays = flags.ignoreIfExists && !flags.overwrite && statOf(path) !== undefined;
        if (!stays) this.#texts.created(path, "");
      } else if (kind === "rename" && typeof oldUri === "string" && typeof newUri === "string") {
        const flags = { overwrite: is("overwrite"), ignoreIfExists: is("ignoreIfExists") };
        made = { kind, from: oldUri, to: newUri, ...flags, ...note };
        const { gate } = this.call;
        this.#texts.renamed((await gate.admitEntry(oldUri)).path, (await gate.admitEntry(newUri)).path);
      } else if (kind === "delete" && typeof uri === "string") {
        const flags = { recursive: is("recursive"), ignoreIfNotExists: is("ignoreIfNotExists") };
        made = { kind, path: uri, ...flags, ...note };
        await this.call.gate.admitEntry(uri);
      } else throw garbled(this.server, what);
      this.#draft.changes.push(made);
    } catch (error) {
      this.#draft.lacksOperation = true;
      this.#refuse(error);
    }
  }

  /** The label of an annotation; what it asks to have confirmed is told. */
  #note({ annotationId }: Record<string, unknown>): { note?: string } {
    const found = typeof annotationId === "string" ? this.#annotations[annotationId] : undefined;
    if (!isTable(found) || typeof found.label !== "string") return {};
    if (found.needsConfirmation === true && !this.#draft.toConfirm.includes(found.label)) {
      this.#draft.toConfirm.push(found.label);
      this.call.evidence.warn(
        "answer/needs-confirmation",
        `The server wants this part of the edit to be confirmed: ${found.label}.`,
        typeof found.description === "string" ? { description: found.description } : undefined,
      );
    }
    return { note: found.label };
  }

  /** What the gate or the file itself refuses is one reason among others; a file outside is never named. */
  #refuse(error: unknown, shown?: string): void {
    if (!(error instanceof Refusal) || error.code === "lsp/garbled") throw error;
    this.#draft.refuse(error.code, shown ?? `change ${this.#number}`, predicate(error, shown));
  }
}
