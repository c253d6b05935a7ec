/** Where the gateway listens. */

/** The address that clients are told. */
export function addressOf(bind: string, port: number, path: string): string {
  return `http://${bind.includes(":") ? `[${bind}]` : bind}:${port}${path}`;
}
