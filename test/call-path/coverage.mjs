/** Loaded into the proxy by `run.mjs`: counts the functions of ours that run between two messages of the parent. */
import { Session } from "node:inspector/promises";

const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });

process.on("message", async (command) => {
  const { result } = await session.post("Profiler.takePreciseCoverage");
  process.send(command === "reset" ? null : result.filter(isOurs).map(functionsOf).filter(hasAny));
});
process.channel?.unref();

function isOurs({ url }) {
  return /^file:.*\/src\/[^?]*\.js$/.test(url) && !url.includes("node_modules");
}

function functionsOf({ url, functions }) {
  return {
    url,
    functions: functions
      .map(({ functionName, ranges: [{ startOffset, count }] }) => ({
        ...{ name: functionName, start: startOffset, count },
      }))
      .filter(({ start, count }) => count > 0 && start > 0),
  };
}

function hasAny({ functions }) {
  return functions.length > 0;
}
