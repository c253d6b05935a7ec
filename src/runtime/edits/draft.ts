/** An edit on its way to the engine: the changes that a server or a tool's arguments mean, or why they cannot be made. */
import type { Code } from "../../base/codes.js";
import type { Json } from "../../base/json.js";
import type { Refusal } from "../../base/problem.js";
import type { LanguageServer } from "../../lsp/types.js";
import type { Change, Reason } from "../../workspace/edits/types.js";

/** A command that a server wants to have run after an edit. */
export interface ServerCommand {
  server: LanguageServer;
  name: string;
  arguments: Json[];
}

/** What is to be changed. */
export class Draft {
  readonly changes: Change[] = [];
  readonly reasons: Reason[] = [];
  /** Labels of changes that the server wants to have confirmed. */
  readonly toConfirm: string[] = [];
  /** Why parts may be missing, as sentences: such an edit is applied only when it was seen. */
  readonly doubts: string[] = [];
  /** Ids of servers that made it without knowing the whole project. */
  readonly unsure: string[] = [];
  /** Whether a server found its places in the whole workspace. */
  isWide = false;
  /** Whether an operation on names was left out: what follows it would be about other files. */
  lacksOperation = false;
  command: ServerCommand | undefined;

  /** Takes another draft's part. */
  join(other: Draft): void {
    this.changes.push(...other.changes);
    this.reasons.push(...other.reasons);
    this.toConfirm.push(...other.toConfirm);
    this.doubts.push(...other.doubts);
    this.unsure.push(...other.unsure);
    this.isWide ||= other.isWide;
    this.lacksOperation ||= other.lacksOperation;
    this.command ??= other.command;
  }

  /** A reason against the whole; the message goes on from the path. */
  refuse(code: Code, path: string, message: string): void {
    this.reasons.push({ code, path, message });
  }
}

/** Reasons that may only follow from an operation that was left out. */
const aboutNames: Code[] = [
  "edit/missing",
  "edit/exists",
  "edit/not-empty",
  "edit/bad-target",
  "edit/changed",
];

/** All reasons against an edit: its draft's own, and those that the engine finds in the rest of it. */
export function reasonsAgainst({ reasons, lacksOperation }: Draft, found: Reason[]): Reason[] {
  const rest = lacksOperation ? found.filter(({ code }) => !aboutNames.includes(code)) : found;
  return [...reasons, ...rest];
}

/** A preview that is to be applied. */
export class HeldRequest {
  constructor(readonly token: string) {}
}

/** An applied edit that is to be taken back. */
export class UndoRequest {
  constructor(readonly token: string) {}
}

/** What a refusal says of a path, as it stands after that path. */
export function predicate({ message }: Refusal, path = ""): string {
  const plain = message.replace(/\.$/, "");
  if (path !== "" && plain.startsWith(`${path} `)) return plain.slice(path.length + 1);
  return /^[A-Z]/.test(plain) ? `is refused: ${plain}` : plain;
}
