/**
 * Commands that an action runs. They are run only where the config allows both the effect and the name, and what the
 * server asks to have changed meanwhile goes the same road as every edit.
 */
import { Refusal } from "../../base/problem.js";
import type { ApplyEdit } from "../../lsp/types.js";
import type { Applied } from "../../workspace/edits/types.js";
import type { CallState } from "../call-state.js";
import type { Draft, ServerCommand } from "./draft.js";
import { editsOf } from "./engine.js";
import { draftOfReply } from "./server-edit.js";

const method = "workspace/executeCommand";

/** A command that the config does not allow is left out where the action has an edit as well, else refused. */
export function checkCommand({ plan, evidence }: CallState, draft: Draft): void {
  if (draft.command === undefined) return;
  const { server, name } = draft.command;
  const isAllowed = plan.allow.effects.includes("command") && server.plan.executeCommands.includes(name);
  if (isAllowed) return;
  if (draft.changes.length > 0) {
    evidence.warn(
      "answer/command-skipped",
      `The command ${name}, which the action runs after its edit, is not allowed.`,
    );
    draft.command = undefined;
    return;
  }
  throw new Refusal(
    "edit/command-not-allowed",
    `The action runs the command ${name}, which is not allowed.`,
    {
      nextSteps: [
        {
          kind: "config",
          text: `Add "command" to allow.effects and ${JSON.stringify(name)} to execute_commands of the server ${server.plan.id}.`,
        },
      ],
    },
  );
}

/** What a command did. */
export interface CommandOutcome {
  /** What was changed on the server's behalf. */
  done: Applied[];
  /** Why not everything was; undefined when all went well. */
  failure: string | undefined;
}

/** Runs a command. Once something is changed, a failure is only told. */
export async function runCommand(
  call: CallState,
  { server, name, arguments: args }: ServerCommand,
): Promise<CommandOutcome> {
  const done: Applied[] = [];
  let failure: string | undefined;
  const refuse = (failureReason: string): { applied: boolean; failureReason: string } => {
    failure = `An edit of the command was refused: ${failureReason}`;
    call.evidence.warn("answer/edit-incomplete", failure);
    return { applied: false, failureReason };
  };
  const onApplyEdit: ApplyEdit = async (edit) => {
    try {
      const draft = await draftOfReply(call, server, edit, await call.pool.version());
      // Nobody can be asked in the middle of a command.
      if (draft.toConfirm.length > 0)
        return refuse(`it wants to be confirmed: ${draft.toConfirm.join("; ")}`);
      const preview = await editsOf(call).preview(draft.changes, call.gate);
      const [reason] = [...draft.reasons, ...preview.reasons];
      if (reason !== undefined) return refuse(`${reason.path} ${reason.message}`);
      call.signal.throwIfAborted();
      call.evidence.commit();
      done.push(await editsOf(call).apply(preview.token, { gate: call.gate, holder: call.holder }));
      return { applied: true };
    } catch (error) {
      if (!(error instanceof Refusal)) call.log("error", "a server's edit failed", { cause: String(error) });
      return refuse(error instanceof Refusal ? error.message : "an internal error");
    }
  };
  try {
    // The action's own edit may just have changed the texts that the command is about.
    await call.pool.checkFiles();
    const timeoutMs = Math.max(1, Math.floor(call.remainingMs() / 2));
    await server.request(
      method,
      { command: name, arguments: args },
      { signal: call.signal, timeoutMs, onApplyEdit },
    );
  } catch (error) {
    if (!(error instanceof Refusal) || !call.evidence.isCommitted) throw error;
    failure = `The command ${name} failed: ${error.message}`;
    call.evidence.warn("answer/edit-incomplete", failure);
  }
  return { done, failure };
}
