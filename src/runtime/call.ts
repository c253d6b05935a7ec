/** One attempt at a call: checks the arguments and runs the tool's generated handler on a `Call` object. */
import type {
  Answer,
  AnswerOptions,
  At,
  BatchOptions,
  Call,
  EachToolOptions,
  Reply,
  StepOptions,
} from "../abi/handler.js";
import type { RuntimeAction, ShapeName, StepPlan } from "../abi/plan.js";
import { getAt, type Json, type JsonObject } from "../base/json.js";
import { Refusal } from "../base/problem.js";
import { editArguments } from "../protocol/edit-arguments.js";
import { editShapes } from "../protocol/method-shapes.js";
import { listingNames } from "../protocol/pointing.js";
import { runAction } from "./actions.js";
import { buildAnswer, disambiguationAnswer, pageAnswer } from "./answer/answer.js";
import { table } from "./answer/answer-text.js";
import { openReply, type ReplyData, sealReply, wholeValue } from "./ask/candidates.js";
import {
  type BatchBounds,
  type InnerCall,
  type RunTool,
  runBatch,
  warnOfCuts,
  warnOfSteps,
} from "./ask/inner-tools.js";
import { assertFilesUnchanged } from "./ask/retry-on-change.js";
import { runStep } from "./ask/run-step.js";
import { runToolForEach } from "./ask/tools-for-each.js";
import type { LoadedTool } from "./bundle/load.js";
import { checkArguments, clampNumbers } from "./bundle/validate.js";
import type { CallState } from "./call-state.js";
import { PointedAt } from "./point/at.js";
import { SeveralMatches } from "./point/find-symbol.js";
import { admitPlaces, resolvePlaces } from "./point/place-arguments.js";
import { point } from "./point/point.js";
import { Choices, choose } from "./shapes/code-actions.js";
import type { Normalized } from "./shapes/shape.js";
import { actionsToChoose } from "./shapes/workspace-edit.js";

const editing = () => import("./edits/index.js");

const MAX_RESERVE_MS = 2000;
const RESERVE_SHARE = 0.1;
const MIN_REQUEST_MS = 20;

class ToolCall implements Call {
  readonly #state: CallState;
  readonly #runTool: RunTool;
  /** The tools that were called as steps, by their reply. */
  #ran: Map<Reply, InnerCall[]> | undefined;
  #at: PointedAt | undefined;

  /** `runTool` calls another tool and returns its answer, refusals included. */
  constructor(state: CallState, runTool: RunTool) {
    this.#state = state;
    this.#runTool = runTool;
  }

  admit(input: JsonObject): Promise<void> {
    return admitPlaces(this.#state, input);
  }

  async at(input: JsonObject): Promise<At> {
    this.#at = new PointedAt(this.#state, await point(this.#state, input));
    return this.#at;
  }

  async places(input: JsonObject): Promise<{ [argument: string]: Json }> {
    const found = await resolvePlaces(this.#state, input);
    if (this.#at !== undefined) this.#at.hasPlaces = true;
    return found;
  }

  pick(reply: Reply, path: string[]): Json {
    return (getAt(wholeValue(openReply(reply)), path) ?? null) as Json;
  }

  async tool(name: string, args: Json): Promise<Reply> {
    const ran = await this.#runTool(name, args === this.#state.input ? this.#passedOn(name) : args);
    const reply = ownReply(ran.structured);
    this.#ran ??= new Map();
    this.#ran.set(reply, [{ name, ran }]);
    return reply;
  }

  list(value: Json | undefined): Reply {
    return ownReply(value ?? []);
  }

  async eachTool(
    name: string,
    items: Reply,
    options: EachToolOptions,
    args: (item: Json) => Json,
  ): Promise<Reply> {
    const { reply, ran } = await runToolForEach(this.#state, openReply(items), options, (item) =>
      this.#runTool(name, args(item)),
    );
    const sealed = sealReply(reply);
    this.#ran ??= new Map();
    this.#ran.set(
      sealed,
      ran.map((one) => ({ name, ran: one })),
    );
    return sealed;
  }

  step(options: StepOptions, ...alternatives: (() => Promise<Reply>)[]): Promise<Reply> {
    return runStep(this.#state, options, alternatives, {
      whySkipped: async ({ argument, ...offered }) => {
        if (argument === false) return "absent";
        if (offered.capability === undefined && offered.command === undefined) return undefined;
        return this.#at?.whyNotOffered(offered);
      },
      failureOf: (reply) => {
        const ran = this.#ran?.get(reply) ?? [];
        return ran.every((one) => one.ran.refusal !== undefined) ? ran[0]?.ran.refusal : undefined;
      },
      replace: (reply, by) => {
        const ran = this.#ran?.get(reply);
        if (ran === undefined) return;
        this.#ran?.delete(reply);
        if (this.#ran?.has(by) === false) this.#ran.set(by, ran);
      },
    });
  }

  members(parts: { [member: string]: Reply }): Reply {
    const entries = Object.entries(parts).map(([name, reply]) => [name, openReply(reply)] as const);
    return sealReply({ parts: [], perItem: false, members: Object.fromEntries(entries) });
  }

  /** The call's own arguments for another tool, without those that page this tool's own list. */
  #passedOn(name: string): JsonObject {
    const { plan, tool, input } = this.#state;
    const callee = plan.tools.find((entry) => entry.name === name);
    const taken = callee === undefined ? [] : listingNames(callee, plan.dialect);
    const own = listingNames(tool, plan.dialect).filter((argument) => !taken.includes(argument));
    const passed = Object.entries(input).filter(([argument]) => !own.includes(argument));
    return Object.fromEntries(
      passed.map(([argument, value]) => [callee?.pointing[argument]?.name ?? argument, value]),
    );
  }

  async batch(tools: string[], operations: Json, options: BatchOptions): Promise<Reply> {
    const { plan, tool, remainingMs, evidence } = this.#state;
    const named = (name: string) => plan.tools.find((entry) => entry.name === name);
    const bounds: BatchBounds = {
      onlyReads: (name) => named(name)?.effect === "read",
      hasTime: () => innerCallBudgetMs(tool.timeoutMs, remainingMs()) > 0,
      preview: (name, args) =>
        named(name)?.args.some((arg) => arg.name === editArguments.dryRun)
          ? { ...table(args), [editArguments.dryRun]: true }
          : args,
      undoes: (name) => named(name)?.steps.some(isUndo) === true,
      edits: () => evidence.undoTokens,
      undo: async () => (await editing()).undoAll(this.#state, evidence.undoTokens),
    };
    const { outcomes, cut } = await runBatch(tools, operations, options, this.#runTool, bounds);
    warnOfCuts(this.#state.evidence, cut);
    return ownReply(outcomes);
  }

  async choose(items: Reply, path: string[], id: Json | undefined): Promise<Reply> {
    return sealReply(await choose(this.#state, openReply(items), path, id));
  }

  async runtime(action: RuntimeAction, args: Json): Promise<Reply> {
    return ownReply(await runAction(this.#state, action, args));
  }

  gather(parts: { [step: string]: Reply }): Reply {
    const entries = Object.entries(parts);
    const whole = ownReply(
      Object.fromEntries(entries.map(([id, reply]) => [id, wholeValue(openReply(reply))])),
    );
    const steps = entries.flatMap(([name, reply]) =>
      (this.#ran?.get(reply) ?? []).map(({ ran }) => ({ name, ran })),
    );
    for (const [, reply] of entries) this.#ran?.delete(reply);
    this.#ran?.set(whole, steps);
    return whole;
  }

  async answer(shape: ShapeName, value: Reply, options: AnswerOptions = {}): Promise<Answer> {
    if (this.#ran !== undefined)
      warnOfSteps(this.#state.evidence, [...this.#ran.values()].flat(), this.#ran.get(value) ?? []);
    const reply = openReply(value);
    if (!editShapes.includes(shape) || reply.skipped !== undefined)
      return buildAnswer(this.#state, shape, reply, options);
    const edit = await (await editing()).runEdit(this.#state, reply, options);
    return buildAnswer(this.#state, shape, editReply(edit), options);
  }
}

function isUndo(step: StepPlan): boolean {
  return step.kind === "runtime" && step.action === "undo_edit";
}

/** A reply that comes from the runtime itself. */
function ownReply(value: unknown): Reply {
  return sealReply(ownData(value));
}

function ownData(value: unknown): ReplyData {
  return { parts: [{ server: undefined, value }], perItem: false };
}

function editReply(edit: Normalized): ReplyData {
  return { parts: [], perItem: false, edit };
}

/** Time left for an inner call; a reserve is kept for building the answer. 0 if too short for a request. */
export function innerCallBudgetMs(timeoutMs: number, remainingMs: number): number {
  const left = remainingMs - Math.min(MAX_RESERVE_MS, timeoutMs * RESERVE_SHARE);
  return left >= MIN_REQUEST_MS ? left : 0;
}

/** A call whose arguments are not checked yet. */
type UncheckedCall = Omit<CallState, "input" | "changeCursor">;

/** The answer to a call: checks the arguments, then runs the handler; `run` calls another tool. */
export async function answerCall(
  { handler, argumentNames, inputValidator }: LoadedTool,
  unchecked: UncheckedCall,
  args: unknown,
  run: RunTool,
): Promise<Answer> {
  const { tool, plan, evidence, pool } = unchecked;
  const given = checkArguments(tool, inputValidator, args, argumentNames);
  const input = clampNumbers(tool, plan, given, evidence);
  evidence.input = input;
  const changeCursor = tool.effect === "edit" ? await pool.changeCursor() : 0;
  const state: CallState = { ...unchecked, input, changeCursor };
  const token = tool.output.apply === "on_request" ? input[editArguments.token] : undefined;
  const cursor = input[plan.dialect.listing.cursor];
  const { shape } = tool.output;
  try {
    if (tool.page !== null && typeof cursor === "string") return await pageAnswer(state, shape, cursor);
    if (typeof token === "string") {
      const edit = await (await editing()).applyPreview(state, token);
      return await buildAnswer(state, shape, editReply(edit), {});
    }
    return await handler.run(new ToolCall(state, run), input);
  } catch (error) {
    if (error instanceof SeveralMatches || error instanceof Refusal) await assertFilesUnchanged(state);
    if (error instanceof Choices) {
      const { actions } = error;
      // A tool that shows no edit shows the actions as they are.
      const reply = { ...ownData({ actions }), edit: actionsToChoose(actions) };
      return await buildAnswer(state, shape, reply, {});
    }
    if (error instanceof SeveralMatches) return disambiguationAnswer(state, error.message, error.candidates);
    if (error instanceof Refusal && error.code === "lsp/not-supported")
      return buildAnswer(state, shape, { parts: [], perItem: false, skipped: error }, {});
    throw error;
  }
}
