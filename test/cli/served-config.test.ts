/** What makes a served config be read again. */
import { unwatchFile, watchFile } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ConfigError } from "../../src/base/problem.js";
import type { Io } from "../../src/cli/command.js";
import type { Loaded } from "../../src/cli/open.js";
import { ServedConfig } from "../../src/cli/served-config.js";
import type { Runtime } from "../../src/runtime/runtime.js";

it("reads nothing again for files that do not exist", async () => {
  const closed = new AbortController();
  const runtime = { closed: closed.signal } as Runtime;
  const file = join(tmpdir(), "lsp-proxy-absent", "lspi.toml");
  let loads = 0;
  const load = async () => {
    loads++;
    throw new ConfigError([]);
  };
  const options = { io: {} as Io, log: () => undefined, onUsed: () => undefined };
  const config = new ServedConfig(runtime, { files: [file] } as unknown as Loaded, load, options);
  // Node reports a file that does not exist at its first check.
  const checked = new Promise<void>((resolve) => watchFile(file, { interval: 1_000 }, () => resolve()));
  await checked;
  unwatchFile(file);
  closed.abort();
  expect([loads, config instanceof ServedConfig]).toEqual([0, true]);
});
