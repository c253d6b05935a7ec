/** Notifications of the LSP specification that a tool may send, and messages that only the proxy itself sends. */

/** A tool may send these without declaring them. */
export const notifications: readonly string[] = ["$/setTrace", "workspace/didChangeConfiguration"];

/** Lifecycle, documents and files: a tool that sent them would break the proxy's own picture of the server. */
const reserved =
  /^(?:initialized?|shutdown|exit|\$\/(?:cancelRequest|progress)|window\/workDoneProgress\/.*|(?:textDocument|notebookDocument)\/(?:did|willSave).*|workspace\/did(?!ChangeConfiguration$).*)$/;

export function isReserved(method: string): boolean {
  return reserved.test(method);
}
