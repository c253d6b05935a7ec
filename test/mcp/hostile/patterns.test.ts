/** Untrusted patterns in one folder of a gateway: the sessions that work in other folders are answered all the same. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, afterEach, expect, it, vi } from "vitest";
import type { JsonObject } from "../../../src/base/json.js";
import { BlockedTime, MAX_BLOCKED_MS } from "../../blocked-time.js";
import { limitFor } from "../../processor-time.mjs";
import { send } from "../http/support.js";
import { callOf, definition, endAll, initialize, startGateway } from "./program.js";

/** Answers for the other session while the hostile one works; `npm run soak` asks more often. */
const TURNS = process.env.SOAK_ROUNDS === undefined ? 4 : 60;
vi.setConfig({ testTimeout: 60_000 + 15_000 * TURNS });
const blocked = new BlockedTime();
afterEach(endAll);
afterAll(() => blocked.close());

const longName = "a".repeat(200);
const hostileRules: [string, string][] = [
  ["would backtrack", `${"a/**/".repeat(14)}b\n`],
  ["are slow", Array.from({ length: 1_000 }, (_, n) => `${"*a".repeat(90)}[b${n}]`).join("\n")],
  ["are open brackets", `${"[".repeat(998)}\n`.repeat(1_000)],
  ["are too many", "some/pattern/*.x\n".repeat(180_000)],
];

async function openSession(url: URL): Promise<(args: JsonObject) => Promise<string>> {
  const { headers } = await send(String(url), { body: initialize });
  const own = {
    "mcp-session-id": String(headers["mcp-session-id"]),
    "mcp-protocol-version": "2025-11-25",
  };
  let id = 0;
  return async (args) => (await send(String(url), { headers: own, body: callOf(++id, {}, args) })).text;
}

it.each(hostileRules)("ignore rules that %s stop no other session", async (_, rules) => {
  const deny = Array.from({ length: 400 }, (_, n) => `bad/**/${"*a".repeat(200)}[z${n}]`);
  const scenario = { ...definition, replies: { "textDocument/definition": [] } };
  const files: { [path: string]: string } = { "good/a.fake": "one two\n", "bad/b.fake": "x\n" };
  for (let n = 0; n < 200; n++) files[`bad/${n % 5}/${n}${longName}.fake`] = "x\n";
  const config = { workspace: { roots: ["work/good", "work/bad"], deny } };
  const gateway = await startGateway(
    { files: { ...files, "bad/.gitignore": rules }, servers: { fake: { scenario } }, config },
    blocked.args(),
  );
  const { url, folder } = gateway;
  const deep = join(folder, "bad", ..."a".repeat(40), "x.fake");
  mkdirSync(dirname(deep), { recursive: true });
  const [good, bad] = [await openSession(url), await openSession(url)];
  let isOver = false;
  const hostile = (async () => {
    for (let turn = 0; !isOver; turn++) {
      writeFileSync(join(folder, "bad/.gitignore"), `${rules}# ${turn}\n`);
      writeFileSync(deep, `${turn}\n`);
      const file_path = join(folder, "bad", turn % 2 === 0 ? "b.fake" : `1/1${longName}.fake`);
      await bad({ file_path, line: 1, character: 1 });
    }
  })();
  const answers: string[] = [];
  for (let turn = 0; turn < TURNS; turn++)
    answers.push(await good({ file_path: join(folder, "good/a.fake"), line: 1, character: 1 }));
  isOver = true;
  await hostile;
  for (const answer of answers) expect(answer).toContain('"ok":true');
  gateway.child.kill("SIGTERM");
  expect(await gateway.ended).toBe(0);
  const { longestMs } = blocked.read();
  expect(longestMs).toBeLessThan(limitFor(longestMs, MAX_BLOCKED_MS));
});
