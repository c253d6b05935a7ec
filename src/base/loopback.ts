/** Addresses: which are this machine alone, and which ports the narrow reading of the gateway may listen on. */

/** Whether a host, by name or number, is the machine's own. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}

const lowestStrict = 1024;
const highestPort = 65_535;

/** What is wrong with a port under `http.strict`; nothing for one that needs no rights and is not left to chance. */
export function strictPortProblem(port: number): string | undefined {
  if (port >= lowestStrict && port <= highestPort) return undefined;
  return `With \`strict\` the port ${port} is not between ${lowestStrict} and ${highestPort}.`;
}
