/** Trust is decided for each root alone: trust in one root says nothing about another. */
import { readlinkSync, realpathSync, symlinkSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import type { ServerPlan } from "../../src/abi/plan.js";
import { cwdOf, isTrustedStart, trustStep, untrustedFolders } from "../../src/lsp/process/trusted.js";
import { fakeServer } from "../fake-server/index.js";
import { poolOf, received, scenarios, signal, workspace } from "./support.js";

const careful: ServerPlan["untrusted"] = {
  ...{ start: true, loads: {}, without: [], settings: {} },
  initializeOptions: { careful: true },
};

/** Two roots, of which the first is trusted. */
function arrange() {
  const top = workspace({ "A/a.fake": "", "A/sub/b.fake": "", "B/c.fake": "", "A-not/d.fake": "" });
  const [a, b] = [join(top, "A"), join(top, "B")];
  return { top, a, b, context: { roots: [a, b], base: a, trusted: [a], avoid: [] } };
}

test("a root is untrusted unless it lies in a trusted folder", () => {
  const { top, a, b, context } = arrange();
  expect(untrustedFolders(context)).toEqual([b]);
  expect(untrustedFolders({ ...context, roots: [join(a, "sub"), join(top, "A-not")] })).toEqual([
    join(top, "A-not"),
  ]);
  expect(untrustedFolders({ ...context, trusted: undefined })).toEqual([a, b]);
  expect(untrustedFolders({ ...context, trusted: [a, b] })).toEqual([]);
});

test("a start is trusted with its root and each folder that the server gets", () => {
  const { top, a, b, context } = arrange();
  symlinkSync(b, join(a, "link"));
  const starts = (root: string, ...workspaceFolders: string[]) =>
    isTrustedStart({ workspaceFolders }, root, context);
  const fixed = (...roots: string[]) => isTrustedStart({ rootDir: "." }, a, { ...context, roots });
  expect([fixed(a), fixed(a, join(a, "sub")), fixed(a, b)]).toEqual([true, true, false]);
  expect([starts(a), starts(join(a, "sub")), starts(a, "sub")]).toEqual([true, true, true]);
  expect([starts(b), starts(a, "../B"), starts(a, b), starts(a, "link"), starts(top)]).toEqual(
    Array.from({ length: 5 }, () => false),
  );
});

/** asdf's shims, volta's and others start what a file in their folder names. */
test.runIf(process.platform === "linux")(
  "a server does not run in an untrusted folder, which a shim or a package manager would read",
  async () => {
    const { top, a, b, context } = arrange();
    const server = fakeServer(scenarios(), {}, { untrusted: careful });
    const pool = poolOf(a, [server], {}, context);
    const cwdFor = async (file: string) => {
      await pool.get("fake", join(top, file), signal());
      const { pid } =
        pool.status().find(({ root }) => root !== null && file.startsWith(relative(top, root))) ?? {};
      return readlinkSync(`/proc/${pid}/cwd`);
    };
    expect(await cwdFor("A/a.fake")).toBe(a);
    expect(await cwdFor("B/c.fake")).toBe(dirname(realpathSync(process.execPath)));
    const where = (changes: Partial<ServerPlan>) =>
      cwdOf({ server: { ...server, ...changes }, root: b, program: process.execPath, context });
    expect(where({ cwd: "sub" })).toBe(join(a, "sub"));
    expect(where({ sandbox: "read_only_no_network" })).toBe(b);
  },
);

test("the way to trust names the root where it is not the folder that the config starts from", () => {
  const { a, b, context } = arrange();
  const step = (root: string, more: object = {}) => trustStep(root, { ...context, ...more });
  expect(step(join(b, "x"))).toEqual({ kind: "command", text: `lsp-proxy trust --workspace ${b}` });
  expect(step(a, { trusted: [] })).toEqual({ kind: "command", text: "lsp-proxy trust" });
});

describe("one server for two roots, of which one is trusted", () => {
  const takesFolders = { workspace: { workspaceFolders: { supported: true, changeNotifications: true } } };
  const started = async (changes: Partial<ServerPlan>, first: "A/a.fake" | "B/c.fake") => {
    const { top, a, context } = arrange();
    const server = fakeServer(
      scenarios(),
      { capabilities: takesFolders },
      { untrusted: careful, ...changes },
    );
    const pool = poolOf(a, [server], {}, context);
    const second = first === "A/a.fake" ? "B/c.fake" : "A/a.fake";
    const optionsIn = async (file: string) => {
      const running = await pool.get("fake", join(top, file), signal());
      return (await received(running, "initialize"))[0]?.initializationOptions ?? "none";
    };
    const told: { [file: string]: unknown } = {};
    for (const file of [first, second]) told[file] = await optionsIn(file).catch((error: unknown) => error);
    return { told, pool };
  };

  test.each(["A/a.fake", "B/c.fake"] as const)(
    "is two, each told as its root is (%s first)",
    async (first) => {
      const { told, pool } = await started({}, first);
      expect(told).toEqual({ "A/a.fake": "none", "B/c.fake": { careful: true } });
      expect(pool.running()).toHaveLength(2);
    },
  );

  test.each(["A/a.fake", "B/c.fake"] as const)(
    "runs code of the trusted one alone (%s first)",
    async (first) => {
      const { told } = await started({ untrusted: { ...careful, start: false } }, first);
      expect(told).toEqual({
        "A/a.fake": "none",
        "B/c.fake": expect.objectContaining({
          code: "lsp/not-allowed",
          message: expect.stringContaining("may run code of the workspace"),
        }),
      });
    },
  );

  test("is one where both are", async () => {
    const { top, a, b, context } = arrange();
    const server = fakeServer(scenarios(), { capabilities: takesFolders });
    const pool = poolOf(a, [server], {}, { ...context, trusted: [a, b] });
    for (const file of ["A/a.fake", "B/c.fake"]) await pool.get("fake", join(top, file), signal());
    expect(pool.running()).toHaveLength(1);
  });
});
