/**
 * Runs the command of a code action. The config must allow the effect and the command's name; edits that the server
 * requests meanwhile (`workspace/applyEdit`) pass the same checks as every edit.
 */
import { Refusal } from "../../base/problem.js";
import type { ApplyEdit } from "../../lsp/types.js";
import type { Applied } from "../../workspace/edits/types.js";
import type { CallState } from "../call-state.js";
import { editsOf, type ProposedEdit, type ServerCommand } from "./proposed-edit.js";
import { readServerEdit } from "./server-edit.js";

/** Refuses a command that is not allowed, or skips it with a warning when the action also has an edit. */
export function checkCommand({ plan, evidence }: CallState, edit: ProposedEdit): void {
  if (edit.command === undefined) return;
  const { server, name } = edit.command;
  const isAllowed = plan.allow.effects.includes("command") && server.plan.executeCommands.includes(name);
  if (isAllowed) return;
  if (edit.changes.length > 0) {
    evidence.warn(
      "answer/command-skipped",
      `The command ${name}, which the action runs after its edit, is not allowed.`,
    );
    edit.command = undefined;
    return;
  }
  const fix = `Add "command" to allow.effects and ${JSON.stringify(name)} to execute_commands of the server ${server.plan.id}.`;
  throw new Refusal(
    "edit/command-not-allowed",
    `The action runs the command ${name}, which is not allowed.`,
    { nextSteps: [{ kind: "config", text: fix }] },
  );
}

export interface CommandOutcome {
  /** The edits that the server requested while the command ran. */
  applied: Applied[];
  failure: string | undefined;
}

/** Runs a command. Once something was changed, a failure is reported, not thrown. */
export async function runCommand(
  call: CallState,
  { server, name, arguments: args }: ServerCommand,
): Promise<CommandOutcome> {
  const applied: Applied[] = [];
  let failure: string | undefined;
  const fail = (message: string): void => {
    failure = message;
    call.evidence.warn("answer/edit-incomplete", message);
  };
  const refuse = (failureReason: string): { applied: boolean; failureReason: string } => {
    fail(`An edit of the command was refused: ${failureReason}`);
    return { applied: false, failureReason };
  };
  const onApplyEdit: ApplyEdit = async (requested) => {
    try {
      const edit = await readServerEdit(call, server, requested, await call.pool.version());
      // Nobody can confirm anything while a command runs.
      if (edit.toConfirm.length > 0) return refuse(`it wants to be confirmed: ${edit.toConfirm.join("; ")}`);
      const preview = await editsOf(call).preview(edit.changes, call.gate);
      const [reason] = [...edit.reasons, ...preview.reasons];
      if (reason !== undefined) return refuse(`${reason.path} ${reason.message}`);
      call.signal.throwIfAborted();
      call.evidence.commit();
      applied.push(await editsOf(call).apply(preview, { gate: call.gate, holder: call.holder }));
      return { applied: true };
    } catch (error) {
      if (!(error instanceof Refusal)) call.log("error", "a server's edit failed", { cause: String(error) });
      return refuse(error instanceof Refusal ? error.message : "an internal error");
    }
  };
  try {
    // Tells the server the texts that the action's own edit changed.
    await call.pool.checkFiles();
    const timeoutMs = Math.max(1, Math.floor(call.remainingMs() / 2));
    const params = { command: name, arguments: args };
    await server.request("workspace/executeCommand", params, { signal: call.signal, timeoutMs, onApplyEdit });
  } catch (error) {
    if (!(error instanceof Refusal) || !call.evidence.isCommitted) throw error;
    fail(`The command ${name} failed: ${error.message}`);
  }
  return { applied, failure };
}
