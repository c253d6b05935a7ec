/** Loaded into each process of a test: a hub is counted in the file $HUB_STARTS, and waits before it listens. */
import { appendFileSync } from "node:fs";
import { Server } from "node:net";

if (process.argv[2] === "hub" && process.argv[3] === "run") {
  appendFileSync(process.env.HUB_STARTS, `${process.pid}\n`);
  const { listen } = Server.prototype;
  // The others find that nobody listens, unless a lock holds them back.
  Server.prototype.listen = function (...args) {
    setTimeout(() => listen.apply(this, args), 2_000);
    return this;
  };
}
