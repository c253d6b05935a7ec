/** What a call asks of the edit engine instead of a new edit, and which commands of servers may be run. */
import type { Plan } from "../../abi/plan.js";
import type { LanguageServer } from "../../lsp/types.js";

export class ApplyRequest {
  constructor(readonly token: string) {}
}

/** Without a token, the last edit is undone. */
export class UndoRequest {
  constructor(readonly token: string | undefined) {}
}

/** Whether the config allows a server's command. */
export function isAllowedCommand({ allow }: Plan, { plan }: LanguageServer, name: string): boolean {
  return allow.effects.includes("command") && plan.executeCommands.includes(name);
}
