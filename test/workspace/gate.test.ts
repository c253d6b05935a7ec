import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isInside } from "../../src/base/paths.js";
import { ConfigError, Refusal } from "../../src/base/problem.js";
import { openGate, RealPaths, realPathOf } from "../../src/workspace/gate.js";
import type { Gate } from "../../src/workspace/gate-types.js";
import { narrowGate } from "../../src/workspace/session-gate.js";

let top: string;
let root: string;
let gate: Gate;

beforeAll(async () => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "gate-")));
  root = join(top, "work");
  for (const folder of ["work/src", "work/.git", "work/secrets", "work-twin", "second", "extra", "outside"])
    mkdirSync(join(top, folder), { recursive: true });
  for (const file of [
    "work/src/a.ts",
    "work/.git/config",
    "work/secrets/key",
    "work-twin/a.ts",
    "outside/a.ts",
  ])
    writeFileSync(join(top, file), "text\n");
  for (const file of ["second/b.ts", "extra/lib.d.ts", "work/src/odd [1] #2 100%.ts", "work/src/ä b.ts"])
    writeFileSync(join(top, file), "text\n");
  symlinkSync(join(top, "outside"), join(root, "way-out"));
  symlinkSync(join(root, "src"), join(root, "alias"));
  symlinkSync(join(top, "outside/not-yet"), join(root, "dangling"));
  symlinkSync(join(root, ".git"), join(root, "harmless"));
  symlinkSync(root, join(top, "root-alias"));
  symlinkSync("/proc/self", join(root, "to-proc"));
  symlinkSync("/dev/zero", join(root, "to-zero"));
  symlinkSync("to-itself", join(root, "to-itself"));
  gate = await openGate({
    roots: [root, join(top, "second")],
    extraRoots: [join(top, "extra"), join(top, "not-installed")],
    deny: ["**/.git/**", "secrets"],
  });
});

afterAll(() => rmSync(top, { recursive: true, force: true }));

async function refusal(name: string): Promise<string> {
  try {
    await gate.admit(name);
  } catch (error) {
    if (error instanceof Refusal) {
      expect(error.message).not.toContain(top);
      return error.code;
    }
    throw error;
  }
  return "admitted";
}

describe("what is admitted", () => {
  test.each([
    ["src/a.ts", "src/a.ts"],
    ["./src/../src/a.ts", "src/a.ts"],
    ["alias/a.ts", "src/a.ts"],
    ["src/odd [1] #2 100%.ts", "src/odd [1] #2 100%.ts"],
    ["src/new/deep/file.ts", "src/new/deep/file.ts"],
    [".", "."],
  ])("%s", async (name, shown) => {
    const admitted = await gate.admit(name);
    expect(admitted).toMatchObject({ shown, writable: true, path: shown === "." ? root : join(root, shown) });
    expect((await gate.admit(admitted.uri)).path).toBe(admitted.path);
  });

  test("an absolute path, also through a symlink to the root", async () => {
    expect((await gate.admit(join(root, "src/a.ts"))).shown).toBe("src/a.ts");
    expect((await gate.admit(join(top, "root-alias/src/a.ts"))).shown).toBe("src/a.ts");
  });

  test("what is shown of a second root can be given back", async () => {
    const admitted = await gate.admit(join(top, "second/b.ts"));
    expect(admitted.shown).toBe("../second/b.ts");
    expect((await gate.admit(admitted.shown)).path).toBe(join(top, "second/b.ts"));
  });

  test("an extra root is readable, never writable, and shown absolute", async () => {
    const path = join(top, "extra/lib.d.ts");
    expect(await gate.admit(path)).toMatchObject({ path, shown: path, writable: false });
  });
});

describe("what is refused", () => {
  test.each([
    ["../outside/a.ts", "guard/outside-root"],
    ["../work-twin/a.ts", "guard/outside-root"],
    ["way-out/a.ts", "guard/outside-root"],
    ["way-out/not-yet.ts", "guard/outside-root"],
    ["dangling", "guard/not-a-file"],
    ["dangling/x", "guard/not-a-file"],
    ["/etc/passwd", "guard/outside-root"],
    ["/etc/passwd/nothing", "guard/outside-root"],
    ["src/a.ts/nothing", "guard/not-a-file"],
    [".git/config", "guard/denied"],
    [".GIT/config", "guard/denied"],
    ["harmless/config", "guard/denied"],
    ["secrets/key", "guard/denied"],
    ["src/../secrets", "guard/denied"],
    ["", "guard/bad-uri"],
    ["src/a.ts\0.png", "guard/bad-uri"],
    ["x".repeat(5000), "guard/bad-uri"],
    ["http://localhost/a.ts", "guard/bad-uri"],
    ["untitled:Untitled-1", "guard/bad-uri"],
    ["file://server/share/a.ts", "guard/bad-uri"],
    ["file:a.ts", "guard/bad-uri"],
    ["file:////server/a.ts", "guard/bad-uri"],
    ["file:///a%2fb.ts", "guard/bad-uri"],
    ["file:///a%5Cb.ts", "guard/bad-uri"],
    ["file:///a%00b.ts", "guard/bad-uri"],
    ["file:///a.ts?x", "guard/bad-uri"],
    ["file:///a.ts#L1", "guard/bad-uri"],
    ["file:///%zz.ts", "guard/bad-uri"],
    ["FILE://server/share/a.ts", "guard/bad-uri"],
    ["file://127.0.0.1/etc/passwd", "guard/bad-uri"],
    ["file://localhost@evil/etc/passwd", "guard/bad-uri"],
    ["file:///etc/passwd", "guard/outside-root"],
    ["file:///proc/self/environ", "guard/outside-root"],
    ["file:///..%2f..%2fetc/passwd", "guard/bad-uri"],
    ["file:///%2e%2e/%2e%2e/etc/passwd", "guard/outside-root"],
    ["src/../../outside/a.ts", "guard/outside-root"],
    ["src/./.././../outside/a.ts", "guard/outside-root"],
    ["/proc/self/root/etc/passwd", "guard/outside-root"],
    ["/proc/self/environ", "guard/outside-root"],
    ["/proc/self/fd/0", "guard/outside-root"],
    ["/dev/zero", "guard/outside-root"],
    ["/dev/stdin", "guard/outside-root"],
    ["to-proc/environ", "guard/outside-root"],
    ["to-zero", "guard/outside-root"],
    ["to-itself", "guard/not-a-file"],
    ["SECRETS/key", "guard/denied"],
    ["alias/../secrets/key", "guard/denied"],
    ["~/.ssh/id_rsa/../../../../../../etc/passwd", "guard/outside-root"],
  ])("%s", async (name, code) => {
    expect(await refusal(name)).toBe(code);
  });

  test("a FIFO, without opening it", async () => {
    execFileSync("mkfifo", [join(root, "pipe")]);
    expect(await refusal("pipe")).toBe("guard/not-a-file");
    // Nor is it moved or deleted; a link to it is a link.
    await expect(gate.admitEntry("pipe")).rejects.toMatchObject({ code: "guard/not-a-file" });
    symlinkSync("pipe", join(root, "to-pipe"));
    expect(await refusal("to-pipe")).toBe("guard/not-a-file");
    expect(await gate.admitEntry("to-pipe")).toMatchObject({ shown: "to-pipe" });
  });

  test("a root that is not there is a problem", async () => {
    const options = { roots: [join(top, "nowhere")], extraRoots: [], deny: [] };
    await expect(openGate(options)).rejects.toThrow(ConfigError);
  });
});

describe("a file that must exist", () => {
  test("is admitted through a link, by both gates", async () => {
    const narrow = narrowGate(gate, [pathToFileURL(root).href]);
    const admitted = await gate.admitFile("alias/a.ts");
    expect(admitted).toMatchObject({ path: join(root, "src/a.ts"), shown: "src/a.ts" });
    expect(await narrow.admitFile("alias/a.ts")).toEqual(admitted);
  });

  test.each(["src", "secrets/key", "way-out/a.ts", "src/missing.ts"])("is not %s", async (name) => {
    await expect(gate.admitFile(name)).rejects.toThrow(Refusal);
  });
});

describe("how a server's URI is shown", () => {
  test("inside, with odd characters both ways", async () => {
    for (const name of ["odd [1] #2 100%.ts", "ä b.ts"]) {
      const path = join(root, "src", name);
      expect(await gate.show(pathToFileURL(path).href)).toMatchObject({ path, shown: `src/${name}` });
    }
  });

  test.each(["file:///etc/passwd", "jdt://contents/x", "not a uri", "file:///%zz"])("not %s", async (uri) => {
    expect(await gate.show(uri)).toBeUndefined();
  });

  test("nothing that a symlink leads out to, and nothing denied", async () => {
    for (const name of ["way-out/a.ts", "harmless/config", "dangling"])
      expect(await gate.show(pathToFileURL(join(root, name)).href)).toBeUndefined();
  });
});

test("inside is by segments", () => {
  expect(isInside("/a/b", "/a/b")).toBe(true);
  expect(isInside("/a/bc", "/a/b")).toBe(false);
  expect(isInside("/a", "/")).toBe(true);
});

describe("names with line ends", () => {
  test.each([".git/config", "x\ny/.git/config", "x\ry/.env", "x\u2028y/.env", "x\ny/a\nb.pem", "a\nb/c.pem"])(
    "%j is denied as any other",
    async (name) => {
      const narrow = await openGate({
        roots: [root],
        extraRoots: [],
        deny: ["**/.git/**", "**/.env", "**/*.pem"],
      });
      await expect(narrow.admit(name)).rejects.toMatchObject({ code: "guard/denied" });
      expect(narrow.check(join(root, name))).toMatchObject({ code: "guard/denied" });
    },
  );
});

describe.runIf(process.platform === "linux")("the system's own files", () => {
  test.each([
    "/proc/self/status",
    "/proc/1/environ",
    "/proc/kmsg",
    "/sys/kernel",
    "/dev/null",
    "to-proc/status",
  ])("%s is refused even with the root /", async (name) => {
    const whole = await openGate({ roots: ["/"], extraRoots: ["/proc/self", "/sys"], deny: [] });
    await expect(whole.admit(name.startsWith("/") ? name : join(root, name))).rejects.toMatchObject({
      code: "guard/outside-root",
    });
    expect(await whole.show(`file://${name}`)).toBeUndefined();
  });

  test("a workspace in /dev/shm is one", async () => {
    const shared = mkdtempSync("/dev/shm/gate-");
    try {
      writeFileSync(join(shared, "a.ts"), "");
      const gate = await openGate({ roots: [shared], extraRoots: [], deny: [] });
      expect(await gate.admit("a.ts")).toMatchObject({ shown: "a.ts" });
    } finally {
      rmSync(shared, { recursive: true });
    }
  });
});

test("the verdict on a path does not depend on earlier paths", async () => {
  const names = ["undefined", "secrets", "src", ".git", "deep", "a.ts", "SECRETS"];
  const paths = names.flatMap((one) =>
    names.flatMap((two) => [`${one}`, `${one}/${two}`, `${one}/${two}/a.ts`]),
  );
  const fresh = async () =>
    openGate({ roots: [root], extraRoots: [], deny: ["**/.git/**", "secrets", "undefined"] });
  const verdict = (judge: Gate, path: string) => !(judge.check(join(root, path)) instanceof Refusal);
  const alone = new Map<string, boolean>();
  for (const path of paths) alone.set(path, verdict(await fresh(), path));
  for (const order of [
    paths,
    paths.toReversed(),
    paths.toSorted(),
    [...paths, ...paths.toSorted().reverse()],
  ]) {
    const used = await fresh();
    for (const path of order) expect([path, verdict(used, path)]).toEqual([path, alone.get(path)]);
  }
});

describe("many paths of one call", () => {
  const names = Array.from({ length: 12 }, (_, n) => `plain-${n}.ts`);
  const odd = ["inner-link.ts", "outer-link.ts", "no-way.ts", "absent.ts", "plain-0.ts/x", "plain-0.ts/", ""];
  beforeAll(() => {
    mkdirSync(join(root, "many"));
    for (const name of names) writeFileSync(join(root, "many", name), "text\n");
    symlinkSync(join(root, "src/a.ts"), join(root, "many/inner-link.ts"));
    symlinkSync(join(top, "outside/a.ts"), join(root, "many/outer-link.ts"));
    symlinkSync(join(top, "outside/not-yet"), join(root, "many/no-way.ts"));
    symlinkSync(join(root, "many"), join(root, "many-alias"));
  });

  const outcome = (follow: (path: string) => string, path: string): string => {
    try {
      return follow(path);
    } catch (error) {
      if (error instanceof Refusal) return error.code;
      throw error;
    }
  };

  test.each(["work/many", "work/many-alias", "root-alias/many", "nowhere"])(
    "lead where each leads by itself: %s",
    (folder) => {
      const paths = new RealPaths();
      // Often enough that the folder is known.
      for (const name of [...names, ...names, ...odd, ...odd]) {
        const path = `${join(top, folder)}/${name}`;
        const led = outcome((one) => paths.of(one), path);
        expect(led, path).toBe(outcome(realPathOf, path));
      }
    },
  );

  test("give the same result in a gate, with and without remembered real paths", () => {
    const paths = new RealPaths();
    for (const name of [...names, ...names, ...odd]) {
      const uri = pathToFileURL(join(root, "many", name)).href;
      expect(
        gate.show(uri, (path) => paths.of(path)),
        uri,
      ).toEqual(gate.show(uri));
    }
    const outer = pathToFileURL(join(root, "many/outer-link.ts")).href;
    expect(gate.show(outer, (path) => paths.of(path))).toBeUndefined();
  });
});
