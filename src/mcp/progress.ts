/** Sends the progress of one call to a client that asked for it with a progress token. */

/** The parameters of `notifications/progress`. */
export interface ProgressParams {
  // The notification types of the SDKs allow additional members.
  [member: string]: unknown;
  progressToken: string | number;
  progress: number;
  message: string;
}

/** A function that reports progress. It does nothing without a token or after the call was cancelled. */
export function progressReporter(
  token: string | number | undefined,
  signal: AbortSignal,
  send: (params: ProgressParams) => Promise<void>,
): (message: string) => void {
  let progress = 0;
  return (message) => {
    if (token === undefined || signal.aborted) return;
    // Sending fails when the client has disconnected; the transport handles that.
    send({ progressToken: token, progress: ++progress, message }).catch(() => undefined);
  };
}
