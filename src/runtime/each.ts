/** One request per item of an earlier reply, each sent to the server that gave the item; replies in item order. */
import type { EachOptions } from "../abi/handler.js";
import type { Json, JsonObject } from "../base/json.js";
import { getAt } from "../base/pointer.js";
import { Refusal } from "../base/problem.js";
import type { LanguageServer } from "../lsp/types.js";
import { notSupported, tellRestart } from "./ask.js";
import type { CallState } from "./call-state.js";
import { listOf } from "./lsp-values.js";
import type { ReplyData, ReplyPart } from "./reply.js";

/** Servers answer several questions at once, but not hundreds. */
const atOnce = 4;
const shareOfAnswer = 0.95;

interface Question {
  server: LanguageServer;
  item: Json;
}

/** Asks about each item; items past the limit are left out, visibly. */
export async function askEach(
  call: CallState,
  method: string,
  items: ReplyData,
  options: EachOptions,
  params: (item: Json) => JsonObject,
): Promise<ReplyData> {
  const questions = items.parts.flatMap(({ server, value }) =>
    server === undefined
      ? []
      : listOf(getAt(value, options.path ?? [])).map((item) => ({ server, item: item as Json })),
  );
  if (questions.length > options.limit) {
    call.evidence.cut();
    call.evidence.warn(
      "answer/truncated",
      `Only ${options.limit} of ${questions.length} items were asked about.`,
    );
  }
  const asked = questions.slice(0, options.limit);
  const lacking = asked.find(({ server }) => !server.supports(method));
  if (lacking) throw notSupported(method, [lacking.server.plan]);
  return { parts: await askAll(call, method, asked, options, params), perItem: true };
}

async function askAll(
  call: CallState,
  method: string,
  questions: Question[],
  options: EachOptions,
  params: (item: Json) => JsonObject,
): Promise<ReplyPart[]> {
  const parts: (ReplyPart | undefined)[] = questions.map(() => undefined);
  const failures: Refusal[] = [];
  const queue = [...questions.entries()];
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [index, { server, item }] = next;
      try {
        const reply = await server.request(method, params(item), {
          signal: call.signal,
          timeoutMs: Math.max(1, Math.floor(call.remainingMs() * shareOfAnswer)),
          onProgress: call.onProgress,
          ...(options.retryEmpty ? { retryEmpty: options.retryEmpty } : {}),
        });
        call.evidence.heard(server, reply.readiness);
        tellRestart(call, server);
        parts[index] = { server, item, value: reply.value };
      } catch (error) {
        call.signal.throwIfAborted();
        if (!(error instanceof Refusal)) throw error;
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  const answered = parts.filter((part) => part !== undefined);
  const [failure] = failures;
  if (failure !== undefined && answered.length === 0) throw failure;
  if (failure !== undefined) {
    call.evidence.cut();
    call.evidence.warn(
      "answer/partial-servers",
      `${failures.length} of ${questions.length} questions failed.`,
      {
        code: failure.code,
      },
    );
  }
  return answered;
}
