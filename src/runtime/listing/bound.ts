/** The bound of a listing: past it the first items are listed, in their order, and the answer says so; or it is refused. */
import type { Soon } from "../../base/soon.js";
import { pageSize } from "../answer/limits.js";
import { boundedWarning, tooMany } from "../answer/ways-on.js";
import type { CallState } from "../call-state.js";
import type { List, Speller } from "./list.js";

/** Nobody pages through more; a language server's message of the largest size has about as many. */
const mostItems = 500_000;

/** As much of a list as may be listed and, where it has further pages, can be kept for them. */
export function bounded(call: CallState, list: List, speller: Speller): Soon<List> {
  const { refusePast } = call.plan.dialect.listing;
  if (refusePast !== null && list.length > refusePast) throw tooMany(call, refusePast);
  // Too large to keep is refused where it would be kept; and what one page shows is not kept.
  if (refusePast !== null || list.length <= Math.min(mostItems, pageSize(call))) return list;
  return asMuchAsIsKept(call, list, speller);
}

async function asMuchAsIsKept(call: CallState, list: List, speller: Speller): Promise<List> {
  let kept = list.length > mostItems ? await list.first(speller, mostItems) : list;
  const isPaged = call.tool.page !== null && list.length > pageSize(call);
  while (isPaged && kept.length > pageSize(call)) {
    const bytes = await kept.weigh(speller.turns);
    // Something is left for what stands beside the list.
    const room = 0.9 * call.pages.room;
    if (bytes <= room) break;
    kept = await kept.first(speller, Math.floor(kept.length * Math.min(0.9, room / bytes)));
  }
  if (kept.length < list.length)
    call.evidence.warn("answer/truncated", boundedWarning(call, kept.length, list.length));
  return kept;
}
