/**
 * Sends one request per item of an earlier reply, to the server that gave the item. Replies are in order of position.
 */
import type { Position } from "vscode-languageserver-protocol";
import type { EachOptions } from "../../abi/handler.js";
import { canonicalText, getAt, isTable, type Json, type JsonObject } from "../../base/json.js";
import { type KeyPart, sortByInTurns, uniqueByInTurns } from "../../base/order.js";
import { Refusal } from "../../base/problem.js";
import { forEachInParallel, Turns } from "../../base/timing.js";
import type { LanguageServer } from "../../lsp/types.js";
import { mostQuestions } from "../../protocol/bounds.js";
import { checkReply } from "../bundle/validate.js";
import type { CallState } from "../call-state.js";
import { runtimeShapes } from "../shapes/index.js";
import type { Entry } from "../shapes/shape.js";
import { addServerWarnings, notSupported, SHARE_OF_ANSWER } from "./ask.js";
import { isRange, listOf, type ReplyData, type ReplyPart } from "./candidates.js";

/** Servers handle several requests at once, but not hundreds. */
const AT_ONCE = 4;
const USUAL_QUESTIONS = 50;

/** Asks about each item; items past the limit are left out, with a warning. */
export async function askEach(
  call: CallState,
  method: string,
  items: ReplyData,
  options: EachOptions,
  params: (item: Json, server: LanguageServer) => JsonObject,
): Promise<ReplyData> {
  if (options.lacking !== undefined) return refine(call, method, items, options, options.lacking, params);
  // Sort first, so that the same items fall under the limit whatever order the server used.
  const questions = await inOrder(entriesIn(items, options, listOf), new Turns(call.signal));
  const limit = limitOf(options);
  if (questions.length > limit)
    call.evidence.truncated(`Only ${limit} of ${questions.length} items were asked about.`);
  const asked = questions.slice(0, limit);
  const lacking = asked.find(({ server }) => !server.supports(method));
  if (lacking) throw notSupported(method, [lacking.server.plan]);
  const { parts, failures } = await askAll(call, method, asked, options, params);
  const answered = parts.filter((part) => part !== undefined);
  const [failure] = failures;
  if (failure !== undefined && answered.length === 0) throw failure;
  if (failure !== undefined) call.evidence.isCut = true;
  warnOfFailures(call, failures, asked.length);
  return { parts: options.keep ? answered.map(besideItem) : answered, perItem: true };
}

/** The answer beside the item that it belongs to. */
export function besideItem(part: ReplyPart): ReplyPart {
  return { ...part, value: { item: part.item, answer: part.value ?? null } };
}

/** Resolves items that lack a member. All items stay, sorted, so that the limit falls on the first of those shown. */
async function refine(
  call: CallState,
  method: string,
  items: ReplyData,
  options: EachOptions,
  lacking: readonly string[],
  params: (item: Json, server: LanguageServer) => JsonObject,
): Promise<ReplyData> {
  const shape = runtimeShapes[call.tool.output.shape];
  const found = entriesIn(items, options, shape?.entries ?? listOf);
  const turns = new Turns(call.signal);
  const ordered = shape?.choose === undefined ? inOrder(found, turns) : shape.choose(found, call);
  const chosen = await uniqueByInTurns(await ordered, identityOf, turns);
  const wanted = call.input[call.plan.dialect.listing.most] ?? call.tool.defaultItems;
  const shown = typeof wanted === "number" ? wanted : call.tool.maxItems;
  const questions = chosen
    .slice(0, shown)
    .filter(
      ({ server, item }) =>
        isTable(item) && (getAt(item, lacking) ?? null) === null && server.supports(method),
    )
    .slice(0, limitOf(options));
  const { parts, failures } = await askAll(call, method, questions, options, params);
  // A server that advertises the method and lacks it leaves its items as they are.
  const real = failures.filter(({ code }) => code !== "lsp/not-supported");
  warnOfFailures(call, real, questions.length);
  const resolved = new Map(questions.map((question, index) => [question, parts[index]?.value]));
  return {
    parts: chosen.map((entry) => {
      const { server, item } = entry;
      const value = resolved.get(entry);
      return { server, item, value: isTable(value) ? value : item };
    }),
    perItem: true,
    source: items,
  };
}

export function entriesIn(
  { parts }: ReplyData,
  { path = [] }: EachOptions,
  itemsOf: (value: unknown) => unknown[],
): Entry[] {
  return parts.flatMap(({ server, value }) =>
    server === undefined ? [] : itemsOf(getAt(value, path)).map((item) => ({ server, item })),
  );
}

export function limitOf({ limit }: EachOptions): number {
  return typeof limit === "number"
    ? Math.min(mostQuestions, Math.max(1, Math.floor(limit)))
    : USUAL_QUESTIONS;
}

/** Sorts by file, then range, then text; `contentOf` is what of an item counts as its text. */
export function inOrder(
  entries: Entry[],
  turns: Turns,
  contentOf = (item: unknown) => item,
): Promise<Entry[]> {
  return sortByInTurns(
    entries,
    ({ server, item }) => [...sortKeyOf(item), identityOf({ server, item: contentOf(item) })],
    turns,
  );
}

function sortKeyOf(item: unknown): KeyPart[] {
  if (!isTable(item)) return [undefined, undefined, undefined, undefined, undefined];
  const at = isTable(item.location) ? item.location : item;
  const uri = at.uri ?? at.targetUri;
  const range = at.range ?? at.targetRange;
  const { start, end }: { start?: Position; end?: Position } = isRange(range) ? range : {};
  return [
    typeof uri === "string" ? uri : undefined,
    start?.line,
    start?.character,
    end?.line,
    end?.character,
  ];
}

export function identityOf({ server, item }: Entry): string {
  return canonicalText([server.plan.id, server.root, item]);
}

export async function askAll(
  call: CallState,
  method: string,
  questions: Entry[],
  options: EachOptions,
  params: (item: Json, server: LanguageServer) => JsonObject,
): Promise<{ parts: (ReplyPart | undefined)[]; failures: Refusal[] }> {
  const parts: (ReplyPart | undefined)[] = questions.map(() => undefined);
  const failures: Refusal[] = [];
  await forEachInParallel(questions, AT_ONCE, async ({ server, item }, index) => {
    try {
      const reply = await server.request(method, params(item as Json, server), {
        signal: call.signal,
        timeoutMs: Math.max(1, Math.floor(call.remainingMs() * SHARE_OF_ANSWER)),
        onProgress: call.onProgress,
        ...(options.retryEmpty ? { retryEmpty: options.retryEmpty } : {}),
      });
      await checkReply(call, server, method, reply.value);
      call.evidence.answered(server.plan.id, reply.readiness);
      addServerWarnings(call, server);
      parts[index] = { server, item, value: reply.value };
    } catch (error) {
      call.signal.throwIfAborted();
      if (!(error instanceof Refusal)) throw error;
      failures.push(error);
    }
  });
  return { parts, failures };
}

export function warnOfFailures(call: CallState, failures: Refusal[], asked: number): void {
  const [failure] = failures;
  if (failure === undefined) return;
  call.evidence.warn("answer/partial-servers", `${failures.length} of ${asked} questions failed.`, {
    code: failure.code,
  });
}
