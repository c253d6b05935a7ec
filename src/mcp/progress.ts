/** Progress of one call, told to a client that asked for it with a token. */

/** The parameters of one `notifications/progress`. */
export interface ProgressParams {
  // The SDKs' own types of notifications are open.
  [member: string]: unknown;
  progressToken: string | number;
  progress: number;
  message: string;
}

/** What tells a call's progress; nothing, when the client gave no token or has cancelled. */
export function tellProgress(
  token: string | number | undefined,
  signal: AbortSignal,
  send: (params: ProgressParams) => Promise<void>,
): (message: string) => void {
  let progress = 0;
  return (message) => {
    if (token === undefined || signal.aborted) return;
    // A client that went away cannot be told anything; the transport's end is handled where it is seen.
    send({ progressToken: token, progress: ++progress, message }).catch(() => undefined);
  };
}
