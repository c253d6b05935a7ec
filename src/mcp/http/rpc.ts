/** Messages of JSON-RPC as a gateway must see them before an SDK does: what they ask, and errors without a question. */
import { isTable } from "../../base/json.js";

/** The messages of a body: one, or those of a batch. */
export function messagesIn(body: unknown): unknown[] {
  return Array.isArray(body) ? body : [body];
}

/** Whether a message is a request of this method. */
export function isRequest(message: unknown, method: string): boolean {
  return isTable(message) && message.method === method && message.id !== undefined;
}

/** The ids of the requests among messages. */
export function requestIds(messages: readonly unknown[]): (string | number)[] {
  return messages
    .filter(isTable)
    .flatMap(({ method, id }) =>
      method !== undefined && (typeof id === "string" || typeof id === "number") ? [id] : [],
    );
}

/** The ids of the requests that messages take back. */
export function cancelledIds(messages: readonly unknown[]): (string | number)[] {
  return messages.flatMap((message) => {
    if (!isTable(message) || message.method !== "notifications/cancelled" || !isTable(message.params))
      return [];
    const { requestId } = message.params;
    return typeof requestId === "string" || typeof requestId === "number" ? [requestId] : [];
  });
}

/** Whether a message is a notification of this method. */
export function isNotification(message: unknown, method: string): boolean {
  return isTable(message) && message.method === method && message.id === undefined;
}

/** An HTTP answer that carries a JSON-RPC error, to the question when that has a usable id. */
export function rpcError(status: number, code: number, message: string, question?: unknown): Response {
  const id = isTable(question) && ["string", "number"].includes(typeof question.id) ? question.id : null;
  return Response.json({ jsonrpc: "2.0", error: { code, message }, id }, { status });
}
