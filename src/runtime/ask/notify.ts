/** Sends notifications for a step, and says whether a server has a command that the config allows. */
import { fieldsOf, itemsOf } from "../../base/json.js";
import { sortedSet } from "../../base/order.js";
import type { LanguageServer } from "../../lsp/types.js";
import { notifications } from "../../protocol/notifications.js";
import type { CallState } from "../call-state.js";
import { askCandidates, notSupported } from "./ask.js";
import type { CandidateServers, ParamsMaker, ReplyData } from "./candidates.js";

/** Sends a notification to every candidate that takes it; the value names them. */
export async function notifyCandidates(
  call: CallState,
  candidates: CandidateServers,
  method: string,
  make: ParamsMaker,
): Promise<ReplyData> {
  const sent = await askCandidates(call, candidates, "all", async (attached) => {
    const { server } = attached;
    if (!notifications.includes(method) && !server.supports(method)) return undefined;
    server.notifyAny(method, make(attached));
    call.evidence.answered(server.plan.id, server.readiness);
    return server.plan.id;
  });
  if (sent.length === 0) throw notSupported(method, candidates.servers);
  const notified = sortedSet(sent.map(({ answer }) => answer));
  return { parts: [{ server: undefined, value: { notified } }], perItem: false };
}

/** Whether a server has a command, and the config allows it. */
export function offersCommand(server: LanguageServer, command: string): boolean {
  if (!server.plan.executeCommands.includes(command)) return false;
  return server
    .options("workspace/executeCommand")
    .some((options) => itemsOf(fieldsOf<{ commands: unknown }>(options).commands).includes(command));
}
