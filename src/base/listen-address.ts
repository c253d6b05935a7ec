/** Checks of listen addresses: loopback hosts, and the ports that `http.strict` allows. */

/** Whether a host, by name or number, is this machine's loopback address. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}

const lowestStrict = 1024;
const highestPort = 65_535;

/** The error in a port under `http.strict`: privileged ports and port 0 are not allowed. */
export function strictPortProblem(port: number): string | undefined {
  if (port >= lowestStrict && port <= highestPort) return undefined;
  return `With \`strict\` the port ${port} is not between ${lowestStrict} and ${highestPort}.`;
}
