import {
  chmodSync,
  chownSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ConfigError } from "../../src/base/problem.js";
import {
  addTrusted,
  addTrustedFolder,
  isTrusted,
  isTrustedFolder,
  listTrusted,
  openTrust,
  removeTrusted,
  removeTrustedFolder,
} from "../../src/config/trust/trust.js";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "trust-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Acts as another user. A worker thread cannot do that, so the tests run in processes. */
function asUser(user: number, act: () => void): void {
  process.seteuid?.(user);
  try {
    act();
  } finally {
    process.seteuid?.(0);
  }
}

describe("the record of what is trusted", () => {
  test("is in the state folder", () => {
    expect(openTrust({}, "/home/me").file).toBe("/home/me/.local/state/lsp-proxy/trusted.json");
    expect(openTrust({ XDG_STATE_HOME: "/s" }, "/home/me").file).toBe("/s/lsp-proxy/trusted.json");
  });

  test("a config is trusted with one hash, and forgotten", () => {
    const trust = openTrust({}, home);
    expect(isTrusted(trust, "/w/a", "h1")).toBe(false);
    addTrusted(trust, "/w/b", "h");
    addTrusted(trust, "/w/a", "h1");
    addTrusted(trust, "/w/a", "h2");
    expect([isTrusted(trust, "/w/a", "h1"), isTrusted(trust, "/w/a", "h2")]).toEqual([false, true]);
    expect(listTrusted(trust).configs.map(({ file }) => file)).toEqual(["/w/a", "/w/b"]);
    expect([removeTrusted(trust, "/w/a"), removeTrusted(trust, "/w/a")]).toEqual([true, false]);
    expect(isTrusted(trust, "/w/a", "h2")).toBe(false);
    expect(isTrusted(trust, "/w/b", "h")).toBe(true);
  });

  test("a folder is trusted by its real path", () => {
    const trust = openTrust({}, home);
    addTrustedFolder(trust, home);
    expect([isTrustedFolder(trust, join(home, ".")), isTrustedFolder(trust, "/w")]).toEqual([true, false]);
    expect([removeTrustedFolder(trust, home), isTrustedFolder(trust, home)]).toEqual([true, false]);
  });

  test("is the owner's alone, and replaced as a whole", () => {
    const trust = openTrust({}, home);
    addTrusted(trust, "/w/a", "h");
    expect(statSync(trust.file).mode & 0o777).toBe(0o600);
    expect(readdirSync(dirname(trust.file))).toEqual(["trusted.json"]);
    expect(JSON.parse(readFileSync(trust.file, "utf8"))).toEqual({
      version: 1,
      configs: [{ file: "/w/a", hash: "h" }],
      folders: [],
    });
  });

  test.skipIf(process.platform === "win32")("trusts nothing that another user could have written", () => {
    const trust = openTrust({}, home);
    addTrusted(trust, "/w/a", "h");
    for (const path of [trust.file, dirname(trust.file)]) {
      const { mode } = statSync(path);
      chmodSync(path, mode | 0o002);
      expect(() => isTrusted(trust, "/w/a", "h")).toThrow(/every user/);
      chmodSync(path, mode);
      expect(isTrusted(trust, "/w/a", "h")).toBe(true);
    }
  });

  test.runIf(process.geteuid?.() === 0)("trusts nothing in a folder of another user", () => {
    const trust = openTrust({ XDG_STATE_HOME: home }, home);
    addTrusted(trust, "/w/a", "h");
    const [me, other] = [12_345, 12_346];
    for (const path of [trust.file, dirname(trust.file)]) chownSync(path, me, me);
    chmodSync(home, 0o755);
    // What root reads in a container often belongs to the user outside.
    expect(isTrusted(trust, "/w/a", "h")).toBe(true);
    for (const path of [dirname(trust.file), trust.file]) {
      asUser(me, () => expect(isTrusted(trust, "/w/a", "h")).toBe(true));
      chmodSync(path, statSync(path).mode | 0o055);
      chownSync(path, other, other);
      asUser(me, () => expect(() => isTrusted(trust, "/w/a", "h")).toThrow(/belongs to another user/));
      chownSync(path, me, me);
    }
  });

  test.each(["", "{", "[]", '{"version":2}', '{"version":1,"configs":[{"file":1}],"folders":[]}'])(
    "damaged (%s), it trusts nothing, says so, and is not overwritten",
    (text) => {
      const trust = openTrust({}, home);
      addTrusted(trust, "/w/a", "h");
      writeFileSync(trust.file, text);
      for (const use of [() => isTrusted(trust, "/w/a", "h"), () => addTrusted(trust, "/w/b", "h")]) {
        expect(use).toThrow(ConfigError);
        expect(use).toThrow(/config\/trust-store/);
      }
      expect(readFileSync(trust.file, "utf8")).toBe(text);
    },
  );
});
