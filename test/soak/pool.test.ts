/**
 * The pool alone: many calls at once with random changes on disk and random kills. No stale answer, nothing lost,
 * nothing left.
 */
import { join } from "node:path";
import { expect, test } from "vitest";
import { act, alive, ask, session, signal, write } from "../lsp/support.js";
import { generator, rounds, seed } from "./chance.js";

test(`${rounds} rounds of mixed calls, seed ${seed}`, { timeout: 60_000 + rounds * 500 }, async () => {
  const random = generator(seed);
  const names = Array.from({ length: 8 }, (_, index) => `f${index}.fake`);
  const texts = new Map(names.map((name) => [name, `start ${name}`]));
  const { server, root, pool } = await session(
    {
      capabilities: { hoverProvider: true, diagnosticProvider: { interFileDependencies: true } },
      replies: {
        "textDocument/hover": { contents: { $text: true } },
        "textDocument/diagnostic": { kind: "full", items: { $find: "BUG", as: "diagnostics" } },
      },
    },
    {
      files: Object.fromEntries(texts),
      server: { restart: { max: 1_000_000, windowMs: 1_000, backoffMs: [1, 5] } },
    },
  );
  const pids = new Set<number>();
  const look = async (name: string): Promise<void> => {
    const document = await server.ensureOpen(join(root, name), signal());
    const params = { textDocument: { uri: document.uri } };
    expect(await ask(server, "textDocument/hover", params)).toEqual({ contents: texts.get(name) });
    const report = await server.diagnostics(document, { waitMs: 20_000, settleMs: 20, signal: signal() });
    expect(report.status).toBe(texts.get(name)?.includes("BUG") ? "diagnostics" : "clean");
  };
  for (let round = 0; round < rounds; round++) {
    for (const name of names.filter(() => random() < 0.4)) {
      const text = `${random() < 0.5 ? "BUG" : "fine"} é😀 ${round}\r\n`;
      texts.set(name, text);
      write(join(root, name), text);
    }
    pids.add(pool.status()[0]?.pid ?? 0);
    const killed = random() < 0.15 ? act(server, { signal: "SIGKILL" }).catch(() => undefined) : undefined;
    await Promise.all(names.map(look));
    await killed;
  }
  expect(pool.status()).toMatchObject([{ state: "running", pendingRequests: 0 }]);
  await pool.close();
  expect([...pids].filter((pid) => pid > 0 && alive(pid))).toEqual([]);
});
