/**
 * Passes a server's notification to another server as a command, and the answer back as a notification. Vue's server
 * asks its TypeScript server that way and hangs on every request until it is answered.
 */
import type { ForwardPlan } from "../../abi/plan.js";
import { isTable } from "../../base/json.js";

/** The parameters of the notification that answers; null stands for what the other server could not tell. */
export async function forwarded(
  rule: ForwardPlan,
  params: unknown,
  command: (serverId: string, command: string, args: unknown[]) => Promise<unknown>,
): Promise<unknown[]> {
  const [id, ...args] = words(params);
  const result = await command(rule.to, rule.request, args).catch(() => null);
  const body = isTable(result) && "body" in result ? result.body : result;
  return [[id ?? null, body ?? null]];
}

/** `[[id, command, args]]`, as a positional parameter of one list, or that list itself. */
function words(params: unknown): unknown[] {
  if (!Array.isArray(params)) return [];
  return params.length === 1 && Array.isArray(params[0]) ? params[0] : params;
}
