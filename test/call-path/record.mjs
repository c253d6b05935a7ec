/** Loaded into the proxy by `run.mjs`: records which function of ours called which, across `await`, on demand. */
import { AsyncLocalStorage } from "node:async_hooks";
import { Session } from "node:inspector/promises";

const calls = new AsyncLocalStorage();
let recorded;

globalThis.__trace = (name, run) => {
  if (recorded === undefined) return run();
  const parent = calls.getStore();
  const call = { name, parent: parent?.record === recorded ? parent.index : -1, index: recorded.length };
  call.record = recorded;
  recorded.push(call);
  return calls.run(call, run);
};

const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });

process.on("message", async (command) => {
  const { result } = await session.post("Profiler.takePreciseCoverage");
  if (command === "start") {
    recorded = [];
    process.send(null);
    return;
  }
  const functions = recorded.map(({ name, parent }) => ({ name, parent }));
  recorded = undefined;
  process.send({
    files: result
      .filter(isOurs)
      .filter(hasRun)
      .map(({ url }) => url),
    functions,
  });
});
process.channel?.unref();

function isOurs({ url }) {
  return /^file:.*\/src\/[^?]*\.js$/.test(url) && !url.includes("node_modules");
}

/** Whether a function of the file ran; the first entry is the module itself. */
function hasRun({ functions }) {
  return functions.some(({ ranges: [{ startOffset, count }] }) => count > 0 && startOffset > 0);
}
