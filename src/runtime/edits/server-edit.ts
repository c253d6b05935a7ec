/**
 * Reads what a server proposes: a `WorkspaceEdit`, the `TextEdit`s of one document, or a code action with edit and
 * command. Nothing is dropped silently: what cannot be done is a reason to refuse the whole edit.
 */
import { dirname } from "node:path";
import type {
  AnnotatedTextEdit,
  CompletionItem,
  SnippetTextEdit,
  TextEdit,
  WorkspaceEdit,
} from "vscode-languageserver-protocol";
import { fieldsOf, isTable, type Json } from "../../base/json.js";
import { sortBy } from "../../base/order.js";
import { Refusal } from "../../base/problem.js";
import type { LanguageServer } from "../../lsp/types.js";
import { invalidReply, isRange, listOf } from "../ask/candidates.js";
import { missingProject } from "../ask/missing-project.js";
import type { CallState } from "../call-state.js";
import { lspOperation } from "./argument-edits.js";
import { admittedOrRefusal, EditBuilder, ProposedEdit, type RangeEdit } from "./proposed-edit.js";

const SNIPPET_FORMAT = 2;

/** Reads a server's reply. Its files must not have changed after the change cursor `since`. */
export async function readServerEdit(
  call: CallState,
  server: LanguageServer,
  value: unknown,
  since: number,
): Promise<ProposedEdit> {
  if (value === null || value === undefined) return new ProposedEdit();
  const reader = new WorkspaceEditReader(call, server, since);
  const uri = call.evidence.document?.admitted.uri;
  if (Array.isArray(value) && uri !== undefined) return reader.read({ changes: { [uri]: value } }, false);
  if (!isTable(value)) throw invalidReply(server, "an edit");
  const isAction = typeof value.title === "string";
  const workspaceEdit = isAction ? value.edit : value;
  const edit = isTable(workspaceEdit) ? await reader.read(workspaceEdit, true) : new ProposedEdit();
  if (!isAction) return edit;
  // A bare `Command` has its name where a `CodeAction` has the whole command.
  const command = isTable(value.command) ? value.command : value;
  if (typeof command.command === "string")
    edit.command = { server, name: command.command, arguments: listOf(command.arguments) as Json[] };
  return edit;
}

class WorkspaceEditReader {
  readonly #builder: EditBuilder;
  #annotations: { readonly [id: string]: unknown } = {};
  readonly #toConfirm = new Set<string>();
  #number = 0;

  constructor(
    private readonly call: CallState,
    private readonly server: LanguageServer,
    since: number,
  ) {
    this.#builder = new EditBuilder(call, server, since);
  }

  /** Reads an edit; `isWide` says that the server searched the whole workspace for it. */
  async read(workspaceEdit: unknown, isWide: boolean): Promise<ProposedEdit> {
    const { changes, documentChanges, changeAnnotations } = fieldsOf<WorkspaceEdit>(workspaceEdit);
    this.#builder.edit.isWorkspaceWide = isWide;
    if (isWide) warnOfUnknownProject(this.call, this.server, this.#builder.edit);
    this.#annotations = isTable(changeAnnotations) ? changeAnnotations : {};
    // `documentChanges` take precedence, but an empty list does not hide `changes`.
    if (Array.isArray(documentChanges) && (documentChanges.length > 0 || !isTable(changes))) {
      for (const change of documentChanges) await this.#readChange(change);
    } else if (isTable(changes)) {
      for (const [uri, edits] of sortBy(Object.entries(changes), ([name]) => [name]))
        await this.#readTextEdits(uri, null, edits);
    } else if ((changes ?? documentChanges ?? null) !== null) throw this.#invalidReply();
    return this.#builder.edit;
  }

  async #readChange(change: unknown): Promise<void> {
    if (!isTable(change)) throw this.#invalidReply();
    if (change.kind !== undefined) return this.#readOperation(change);
    const { textDocument, edits } = change;
    if (!isTable(textDocument) || typeof textDocument.uri !== "string") throw this.#invalidReply();
    return this.#readTextEdits(textDocument.uri, textDocument.version, edits);
  }

  async #readTextEdits(uri: string, version: unknown, edits: unknown): Promise<void> {
    if (!Array.isArray(edits)) throw this.#invalidReply();
    this.#number++;
    if (edits.length === 0) return;
    const admitted = await admittedOrRefusal(this.call, uri);
    // A file outside the workspace is not named.
    const shown = admitted instanceof Refusal ? `change ${this.#number}` : admitted.shown;
    const read = edits.map((edit: unknown): RangeEdit => {
      if (!isTable(edit) || !isRange(edit.range)) throw this.#invalidReply();
      return { range: edit.range, newText: this.#newText(edit, shown), ...this.#note(edit) };
    });
    await this.#builder.editFile(uri, shown, read, { unit: this.server.encoding, version });
  }

  #newText(edit: unknown, shown: string): string {
    const { newText, snippet, insertTextFormat } = fieldsOf<TextEdit & SnippetTextEdit & CompletionItem>(
      edit,
    );
    const isSnippet = isTable(snippet) || insertTextFormat === SNIPPET_FORMAT;
    const source = isTable(snippet) ? snippet.value : newText;
    if (typeof source !== "string") throw this.#invalidReply();
    if (!isSnippet) return source;
    const plain = plainSnippet(source);
    if (plain === undefined)
      this.#builder.edit.refuse("edit/snippet", shown, "gets a snippet that only an editor can fill in");
    else this.call.evidence.warn("answer/snippet-stripped", `A snippet in ${shown} was taken as plain text.`);
    return plain ?? "";
  }

  async #readOperation(change: unknown): Promise<void> {
    this.#number++;
    const found = lspOperation(change);
    if (found === undefined) throw this.#invalidReply();
    const operation = { ...found, ...this.#note(change) };
    try {
      await this.#builder.addOperation(operation);
    } catch (error) {
      this.#builder.edit.lacksOperation = true;
      this.#builder.edit.refuseWith(error, `change ${this.#number}`);
    }
  }

  /** The label of a change annotation; adds a warning when it needs confirmation. */
  #note(change: unknown): { note?: string } {
    const { annotationId } = fieldsOf<AnnotatedTextEdit>(change);
    const found = typeof annotationId === "string" ? this.#annotations[annotationId] : undefined;
    if (!isTable(found) || typeof found.label !== "string") return {};
    if (found.needsConfirmation === true && !this.#toConfirm.has(found.label)) {
      this.#toConfirm.add(found.label);
      this.#builder.edit.toConfirm.push(found.label);
      const message = `The server wants this part of the edit to be confirmed: ${found.label}.`;
      const data = typeof found.description === "string" ? { description: found.description } : undefined;
      this.call.evidence.warn("answer/needs-confirmation", message, data);
    }
    return { note: found.label };
  }

  #invalidReply(): Refusal {
    return invalidReply(this.server, "an edit");
  }
}

/** Warns when a server lacks the file that tells it what belongs to the project, so that it knows only open files. */
function warnOfUnknownProject(call: CallState, { plan }: LanguageServer, edit: ProposedEdit): void {
  const path = call.evidence.document?.admitted.path;
  const missing = path && missingProject(plan, dirname(path), call.gate.roots);
  if (!missing) return;
  const warning = `${missing.message} ${missing.fix}`;
  call.evidence.warn("answer/no-project", warning, { server_id: plan.id });
  edit.doubts.push(warning);
  edit.unsureServers.push(plan.id);
}

/**
 * An escape, a choice `${1|one,two|}`, the start and end of `${1:default}`, `$1`, `${1}`, or what only editors know.
 */
const snippetPart =
  /\\([$}\\])|\$\{\d+\|((?:\\.|[^,|\\])*)(?:,(?:\\.|[^|\\])*)?\|\}|(\$\{\d+:)|(\})|\$\d+|\$\{\d+\}|(\$[{A-Za-z_])/g;

/** The text of a snippet with the defaults of its tab stops; undefined for variables, which need an editor. */
export function plainSnippet(snippet: string): string | undefined {
  let depth = 0;
  let isPlain = true;
  const text = snippet.replace(snippetPart, (part, escaped, choice, opening, closing, unknown) => {
    if (escaped !== undefined) return escaped;
    if (choice !== undefined) return choice.replaceAll(/\\(.)/g, "$1");
    // Outside of a tab stop a bracket is plain text.
    if (closing !== undefined && depth === 0) return part;
    if (unknown !== undefined) isPlain = false;
    if (opening !== undefined) depth++;
    if (closing !== undefined) depth--;
    return "";
  });
  return isPlain && depth === 0 ? text : undefined;
}
