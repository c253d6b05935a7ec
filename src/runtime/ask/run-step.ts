/** Runs a step that may be skipped or replaced by another, and whose list may be filtered and checked. */
import type { Reply, StepOptions } from "../../abi/handler.js";
import type { FormPlan } from "../../abi/item-form.js";
import type { Json } from "../../base/json.js";
import { Refusal } from "../../base/problem.js";
import { formValue } from "../../protocol/item-form.js";
import type { CallState } from "../call-state.js";
import { isEmpty, locationIn, openReply, type ReplyData, sealReply } from "./candidates.js";
import { applyList } from "./list-values.js";

const PLACES_IN_MESSAGE = 5;

/** The part of a call that a step uses. */
interface StepHost {
  /** Why the step does not run; undefined when it does. */
  whySkipped(when: NonNullable<StepOptions["when"]>): Promise<Refusal | "absent" | undefined>;
  /** The refusal of the tool that gave a reply. */
  failureOf(reply: Reply): Refusal | undefined;
  /** A reply was derived from another one, or replaces it. */
  replace(reply: Reply, by: Reply): void;
}

/** The first alternative that gives something; without one the last that gave nothing, or its refusal. */
export async function runStep(
  call: CallState,
  options: StepOptions,
  alternatives: readonly (() => Promise<Reply>)[],
  host: StepHost,
): Promise<Reply> {
  const { id, orElse = [], tolerant } = options;
  let empty: Reply | undefined;
  let failure: Refusal | undefined;
  let isChosen = true;
  for (const [index, alternative] of alternatives.entries()) {
    try {
      const reply = index === 0 ? await runFirst(call, options, alternative, host) : await alternative();
      const refusal = host.failureOf(reply);
      if (refusal === undefined && !isNothing(openReply(reply))) {
        if (index > 0 && !isChosen) warnOfOther(call, id, orElse[index - 1] ?? "", failure);
        if (empty !== undefined) host.replace(empty, reply);
        return reply;
      }
      if (empty !== undefined) host.replace(empty, reply);
      empty = reply;
      // The call itself decides by its arguments which step runs.
      isChosen &&= openReply(reply).isAbsent === true;
      failure = refusal ?? openReply(reply).skipped;
    } catch (error) {
      failure = failureIn(call, error);
      isChosen = false;
    }
  }
  if (empty !== undefined) return empty;
  if (failure === undefined) throw new Refusal("lsp/no-answer", `The step ${id} gave nothing.`);
  if (!tolerant) throw failure;
  return sealReply({ parts: [], perItem: false, skipped: failure });
}

/** A refusal after which another step may be tried. Errors of the call itself, and its end, are final. */
function failureIn(call: CallState, error: unknown): Refusal {
  call.signal.throwIfAborted();
  const isFinal = error instanceof Refusal && /^(?:guard|point|route)\//.test(error.code);
  if (error instanceof Refusal && !isFinal) return error;
  throw error;
}

async function runFirst(
  call: CallState,
  options: StepOptions,
  alternative: () => Promise<Reply>,
  host: StepHost,
): Promise<Reply> {
  const { when, expect } = options;
  const skipped = when === undefined ? undefined : await host.whySkipped(when);
  if (skipped === "absent") return sealReply({ parts: [], perItem: false, isAbsent: true });
  if (skipped !== undefined) return sealReply({ parts: [], perItem: false, skipped });
  const whole = await alternative();
  const raw = options.form === undefined ? whole : withForm(call, openReply(whole), options.form);
  if (raw !== whole) host.replace(whole, raw);
  const isListed = ["items", "flatten", "where", "pick", "sort", "limit"].some((key) =>
    Object.hasOwn(options, key),
  );
  const reply = isListed ? sealReply(await applyList(call, openReply(raw), options)) : raw;
  if (reply !== raw) host.replace(raw, reply);
  if (expect !== undefined) await checkExpected(call, options.id, expect, openReply(reply));
  return reply;
}

/** The reply in another form, each part from its server; one without any member is none. */
function withForm({ texts }: CallState, reply: ReplyData, form: FormPlan): Reply {
  const parts = reply.parts.map((part) => ({
    ...part,
    value: formValue(form, (part.value ?? null) as Json, texts) ?? null,
  }));
  return sealReply({ ...reply, parts });
}

/** Whether a reply has nothing: no value, an empty list, or the answer of a tool that found none. */
function isNothing({ parts }: ReplyData): boolean {
  return parts.every(({ server, value }) => {
    if (isEmpty(value)) return true;
    const isAnswer = server === undefined && typeof value === "object" && value !== null && "total" in value;
    return isAnswer && value.total === 0;
  });
}

async function checkExpected(
  call: CallState,
  id: string,
  expect: NonNullable<StepOptions["expect"]>,
  reply: ReplyData,
): Promise<void> {
  const isFound = !isNothing(reply);
  if (expect !== "none" && !isFound)
    throw new Refusal("lsp/no-answer", "The language server has nothing for this place.");
  if (expect === "none" && isFound) throw await mustBeEmpty(call, id, reply);
}

/** The refusal of a step that must find nothing: it names the first places that were found. */
async function mustBeEmpty(call: CallState, id: string, reply: ReplyData): Promise<Refusal> {
  const { parts } = reply.perItem ? reply : await applyList(call, reply, {});
  const places = [];
  const words: string[] = [];
  for (const { server, value } of parts) {
    const location = locationIn(value);
    const admitted = location && call.places.show(location.uri);
    if (server === undefined || location === undefined || admitted === undefined) continue;
    const span = await call.places.span(server, location.uri, location.range);
    places.push({ ...call.places.document(admitted), ...span });
    words.push(`${admitted.shown}:${location.range.start.line + 1}`);
    if (places.length === call.plan.limits.refusalPlaces) break;
  }
  const shown = words.slice(0, PLACES_IN_MESSAGE).join(", ");
  const where = shown === "" ? "" : ` (${shown}${parts.length > PLACES_IN_MESSAGE ? ", …" : ""})`;
  const message = `The step \`${id}\` must find nothing, and found ${parts.length}${where}.`;
  return new Refusal("call/must-be-empty", message, { data: { step: id, total: parts.length, places } });
}

/** Says that another step gave the answer, and why. */
function warnOfOther(call: CallState, id: string, used: string, failure: Refusal | undefined): void {
  const why = failure === undefined ? "found nothing" : `gave no answer (${failure.code})`;
  call.evidence.warn("answer/or-else", `The step \`${id}\` ${why}: this is the result of \`${used}\`.`, {
    step: id,
    used,
  });
}
