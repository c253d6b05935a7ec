/** Calls a tool for each item of an earlier step. The tool only reads, so a few calls run at once. */
import type { EachToolOptions } from "../../abi/handler.js";
import { getAt, type Json } from "../../base/json.js";
import { forEachInParallel, Turns } from "../../base/timing.js";
import type { CallState } from "../call-state.js";
import { listOf, type ReplyData, type ReplyPart } from "./candidates.js";
import { besideItem, inOrder, limitOf } from "./each.js";
import type { InnerAnswer } from "./inner-tools.js";

const atOnce = 4;

/** The answers in the order of the items, and what the tool returned for each. */
export async function runToolForEach(
  call: CallState,
  { parts, perItem, skipped }: ReplyData,
  options: EachToolOptions,
  run: (item: Json) => Promise<InnerAnswer>,
): Promise<{ reply: ReplyData; ran: InnerAnswer[] }> {
  const found = parts.flatMap(({ server, value }) =>
    listOf(getAt(value, options.path ?? [])).map((item) => ({ server, item })),
  );
  const entries = found.flatMap(({ server, item }) => (server === undefined ? [] : [{ server, item }]));
  // The items of a tool's answer are in order; those of a server may be in any.
  const isServers = !perItem && entries.length === found.length;
  const items = isServers ? await inOrder(entries, new Turns(call.signal)) : found;
  const limit = limitOf(options);
  if (items.length > limit)
    call.evidence.truncated(`Only ${limit} of ${items.length} items were asked about.`);
  const asked = items.slice(0, limit);
  const results: (InnerAnswer | undefined)[] = asked.map(() => undefined);
  await forEachInParallel(asked, atOnce, async ({ item }, index) => {
    results[index] = await run(item as Json);
  });
  const answered = asked.flatMap(({ item }, index): ReplyPart[] => {
    const result = results[index];
    if (result === undefined || result.refusal !== undefined) return [];
    return [{ server: undefined, item, value: result.structured }];
  });
  return {
    reply: {
      parts: options.keep ? answered.map(besideItem) : answered,
      perItem: true,
      ...(skipped && { skipped }),
    },
    ran: results.flatMap((result) => result ?? []),
  };
}
