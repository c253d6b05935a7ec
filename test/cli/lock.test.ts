/** `lock`: programs are pinned, a changed one is refused, and status and doctor tell. */
import { appendFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { writeTestWorkspace } from "../runtime/test-workspace.js";
import { runHere } from "./terminal.js";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function arrange() {
  const scenario = {
    capabilities: { documentSymbolProvider: true },
    replies: { "textDocument/documentSymbol": [] },
  };
  const { outside } = writeTestWorkspace({ files: { "a.fake": "x\n" }, servers: { fake: { scenario } } });
  folders.push(outside);
  const env = { HOME: outside, XDG_STATE_HOME: join(outside, "state") };
  const record = join(outside, "state/lsp-proxy/locked.json");
  const act = (...words: string[]) => runHere([...words, "--config", "lspi.json"], { cwd: outside, env });
  return { act, record, script: join(outside, "fake.json"), outside };
}

it("pins real paths and digests in the user's state folder, for the owner only", async () => {
  const { act, record, script } = arrange();
  const { code, stdout } = await act("lock");
  expect(code).toBe(0);
  expect(stdout).toMatch(new RegExp(`locked fake {2}${script} {2}sha256-[0-9a-f]{64}\n`));
  expect(statSync(record).mode & 0o777).toBe(0o600);
  expect((await act("lock", "--list")).stdout).toContain(script);
});

it("status and doctor report that a program is locked, and that it has changed; locking again repairs it", async () => {
  const { act, script } = arrange();
  await act("lock");
  const seen = async () => {
    const status = await act("status", "--json");
    const doctor = await act("doctor", "--json", "--no-start");
    const findings = (JSON.parse(doctor.stdout) as { findings: { area: string }[] }).findings;
    return {
      status,
      server: JSON.parse(status.stdout).servers[0],
      doctor,
      lock: findings.filter(({ area }) => area === "lock"),
    };
  };
  const before = await seen();
  expect(before.server).toMatchObject({ state: "running", locked: true });
  expect([before.status.code, before.doctor.code]).toEqual([0, 0]);
  expect(before.lock).toMatchObject([{ state: "ok", text: expect.stringContaining("fake") }]);
  appendFileSync(script, "\n");
  const after = await seen();
  expect(after.server).toMatchObject({
    state: "unavailable",
    last_error: expect.stringContaining("has changed since it was locked"),
  });
  expect([after.status.code, after.doctor.code]).toEqual([1, 1]);
  expect(after.lock).toMatchObject([{ state: "problem", fix: expect.stringContaining("lsp-proxy lock") }]);
  await act("lock");
  expect((await seen()).server).toMatchObject({ state: "running", locked: true });
});

it("unlocks, also when the record is damaged", async () => {
  const { act, record } = arrange();
  expect((await act("lock", "--remove")).code).toBe(1);
  await act("lock");
  expect((await act("lock", "--remove")).code).toBe(0);
  expect((await act("lock", "--list")).stdout).toBe("nothing is locked\n");
  writeFileSync(record, "{");
  expect(await act("lock")).toMatchObject({ code: 1, stderr: expect.stringContaining("is damaged") });
  await act("lock", "--remove");
  expect(JSON.parse(readFileSync(record, "utf8"))).toEqual({ version: 2, folders: [] });
});

it("a program that is not installed is reported and not locked", async () => {
  const { act, record, outside } = arrange();
  const servers = [{ id: "gone", command: "not-there-at-all", extensions: ["gone"] }];
  writeFileSync(
    join(outside, "lspi.json"),
    JSON.stringify({ allow: { commands: ["not-there-at-all"] }, servers }),
  );
  const { code, stderr } = await act("lock");
  expect(code).toBe(1);
  expect(stderr).toContain("lsp/not-installed");
  expect(existsSync(record)).toBe(true);
});
