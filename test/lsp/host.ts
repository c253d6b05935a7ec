/** A process with a pool: starts one server with two children, one in its own group, prints their pids, and waits to be killed. */
import { createPool } from "../../src/lsp/pool.js";

const { plan, root } = JSON.parse(process.argv[2] ?? "{}");
const pool = createPool(plan, {
  roots: [root],
  base: root,
  env: process.env,
  log: () => {},
  binFolders: [],
  avoid: [],
  version: "0",
});
const { signal } = new AbortController();
const server = await pool.get("fake", undefined, signal);
await server.request("fake/do", { actions: [{ spawn: true }, { spawn: "apart" }] }, { signal });
const children = (await server.request("fake/children", {}, { signal })).value as number[];
process.stdout.write(`${JSON.stringify([pool.status()[0]?.pid, ...children])}\n`);
process.stdin.on("data", (text) => {
  if (String(text).startsWith("exit")) process.exit(0);
  if (String(text).startsWith("throw")) throw new Error("on purpose");
  if (String(text).startsWith("close")) void pool.close().then(() => process.stdout.write("closed\n"));
});
