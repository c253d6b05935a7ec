/** Inspects JSON-RPC messages before an SDK sees them, and builds HTTP responses that carry a JSON-RPC error. */
import { CancelledNotificationSchema, isJSONRPCNotification } from "@modelcontextprotocol/sdk/types.js";
import { isTable } from "../../base/json.js";

export type RequestId = string | number;

/** The messages of a body: one, or those of a batch. */
export function messagesIn(body: unknown): unknown[] {
  return Array.isArray(body) ? body : [body];
}

export function isRequest(message: unknown, method: string): boolean {
  return isTable(message) && message.method === method && message.id !== undefined;
}

export function requestIds(messages: readonly unknown[]): RequestId[] {
  return messages
    .filter(isTable)
    .flatMap(({ method, id }) => (method !== undefined && isRequestId(id) ? [id] : []));
}

/**
 * The ids of the requests that messages cancel. The SDK reads cancellations by the same schemas, and skips the id 0.
 */
export function cancelledIds(messages: readonly unknown[]): RequestId[] {
  return messages.flatMap((message) => {
    if (!isJSONRPCNotification(message)) return [];
    const id = CancelledNotificationSchema.safeParse(message).data?.params.requestId;
    return id ? [id] : [];
  });
}

/** An HTTP response with a JSON-RPC error; it has the id of the request where that is usable. */
export function rpcError(status: number, code: number, message: string, request?: unknown): Response {
  const id = isTable(request) && isRequestId(request.id) ? request.id : null;
  return Response.json({ jsonrpc: "2.0", error: { code, message }, id }, { status });
}

function isRequestId(id: unknown): id is RequestId {
  return typeof id === "string" || typeof id === "number";
}
