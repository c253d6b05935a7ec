/** Where the gateway listens, and whether that is this machine alone. */

/** Whether an address is the machine's own. */
export function isLoopback(bind: string): boolean {
  return bind === "localhost" || bind === "::1" || /^127(\.\d{1,3}){3}$/.test(bind);
}

/** The address that clients are told. */
export function addressOf(bind: string, port: number, path: string): string {
  return `http://${bind.includes(":") ? `[${bind}]` : bind}:${port}${path}`;
}
