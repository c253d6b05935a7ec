/** Stops in the middle of an edit while it holds the lock, and says so on stdout: `node … FOLDER`. */
import { benchAt } from "./bench.js";
import { watchedDisk } from "./faulty-disk.js";

const [top = ""] = process.argv.slice(2);
const bench = benchAt(top);
const disk = watchedDisk(async ({ method, paths }) => {
  if (method !== "exchange" || !paths[1]?.endsWith("/copy.txt")) return;
  console.log("in the middle");
  // The timer keeps the process alive until it is killed.
  await new Promise((resolve) => setTimeout(resolve, 600_000));
});
const edits = await bench.open({}, disk);
const preview = await edits.preview([
  bench.change("log.txt", "end", "mine\nend"),
  bench.change("copy.txt", "end", "mine\nend"),
]);
await edits.apply(preview);
