/** Which addresses are this machine alone. */

/** Whether a host, by name or number, is the machine's own. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}
