/** The URL of the gateway that clients use. */
export function addressOf(bind: string, port: number, path: string): string {
  return `http://${bind.includes(":") ? `[${bind}]` : bind}:${port}${path}`;
}
