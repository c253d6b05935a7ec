/** Refusals of edits: one sentence for a person, the list of all reasons for whoever mends them. */
import type { Code } from "../../base/codes.js";
import { sortBy, uniqueBy } from "../../base/order.js";
import { Refusal } from "../../base/problem.js";
import type { Reason } from "./types.js";

const MOST_REASONS = 100;

/** A refusal that carries its reasons; a single reason gives it its code. */
export function refuseEdit(all: Reason[], code?: Code, lead = "Nothing was changed"): Refusal {
  const reasons = sortReasons(all);
  const [first] = reasons;
  const own = code ?? (reasons.length === 1 && first !== undefined ? first.code : "edit/refused");
  const told = reasons.slice(0, 3).map(({ path, message }) => `${path} ${message}`);
  const more = reasons.length > told.length ? `; and ${reasons.length - told.length} more` : "";
  return new Refusal(own, `${lead}: ${told.join("; ")}${more}.`, {
    data: {
      reasons: reasons.slice(0, MOST_REASONS).map(({ code: reason, path, message }) => ({
        ...{ code: reason, path, message },
      })),
      reason_count: reasons.length,
    },
  });
}

/** Reasons by path, each once. */
export function sortReasons(reasons: Reason[]): Reason[] {
  const once = uniqueBy(reasons, ({ code, path, message }) => JSON.stringify([code, path, message]));
  return sortBy(once, ({ path, code, message }) => [path, code, message]);
}
