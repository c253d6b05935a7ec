/** What a server sends unasked: its requests are answered at once, its notifications go to whom they concern. */
import type { ServerPlan } from "../../abi/plan.js";
import type { Diagnostics } from "../diagnostics/diagnostics.js";
import type { InstanceContext } from "../instance-context.js";
import type { ReadinessState } from "../readiness.js";
import type { ApplyEdit } from "../types.js";
import { type AnswerContext, answer } from "./answers.js";
import { forwarded } from "./forward.js";

export interface IncomingContext
  extends Pick<InstanceContext, "plan" | "command">,
    Pick<AnswerContext, "capabilities"> {
  readiness: ReadinessState;
  diagnostics: Diagnostics;
  settings: () => ServerPlan["settings"];
  folders: () => AnswerContext["folders"];
  notify: (method: string, params: unknown) => void;
}

export class Incoming {
  readonly #context: IncomingContext;
  /** Those who take the edits of a command that runs now, the latest last. */
  readonly #appliers: ApplyEdit[] = [];

  constructor(context: IncomingContext) {
    this.#context = context;
  }

  /** Runs a command of ours; while it runs, the server's edits go to `applyEdit`. */
  async applying<T>(applyEdit: ApplyEdit | undefined, run: () => Promise<T>): Promise<T> {
    if (applyEdit === undefined) return run();
    this.#appliers.push(applyEdit);
    try {
      return await run();
    } finally {
      this.#appliers.splice(this.#appliers.indexOf(applyEdit), 1);
    }
  }

  /** The answer to a request of the server. */
  request(method: string, params: unknown): unknown {
    const { plan, capabilities, diagnostics, settings, folders } = this.#context;
    // A token alone says nothing; the progress under it does.
    const onRefresh = (refresh: string): void => {
      if (refresh === "workspace/diagnostic/refresh") diagnostics.refreshed();
    };
    const context = {
      capabilities,
      replies: plan.replies,
      settings: settings(),
      folders: folders(),
      applyEdit: this.#appliers.at(-1),
      onRefresh,
    };
    return answer(context, method, params);
  }

  /** Takes a notification of the server. */
  notification(method: string, params: unknown): void {
    const { plan, diagnostics, readiness, command, notify } = this.#context;
    // Whether progress is news depends on what it is about.
    if (method === "textDocument/publishDiagnostics") diagnostics.publish(params);
    readiness.notified(method, params);
    for (const rule of plan.forward) {
      if (rule.notification !== method) continue;
      void forwarded(rule, params, command).then((reply) => notify(rule.reply, reply));
    }
  }
}
