/** Which ports the narrow reading of the gateway may listen on, whoever names one: a config or the command line. */

const lowest = 1024;
const highest = 65_535;

/** What is wrong with a port under `http.strict`; nothing for one that needs no rights and is not left to chance. */
export function strictPortProblem(port: number): string | undefined {
  if (port >= lowest && port <= highest) return undefined;
  return `With \`strict\` the port ${port} is not between ${lowest} and ${highest}.`;
}
