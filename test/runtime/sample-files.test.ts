/** The file that a server is started for when nobody names one: found by the same walk that `init` takes. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ServerPlan } from "../../src/abi/plan.js";
import { WorkspaceWatch } from "../../src/lsp/watch/workspace-watch.js";
import { SampleFiles } from "../../src/runtime/sample-files.js";
import { openGate } from "../../src/workspace/gate.js";

const deny = ["**/secret/**"];
const watches: WorkspaceWatch[] = [];
let folder = "";
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-samples-")));
});
afterEach(() => {
  for (const watch of watches.splice(0)) watch.close();
  rmSync(folder, { recursive: true, force: true });
});

const write = (name: string, text = "") => {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
};

const go = {
  ...{ id: "go", extensions: ["go"], filenames: ["go.mod"] },
  ...{ languageId: "go", languageIds: { "go.mod": "gomod" } },
} as unknown as ServerPlan;
const ts = { id: "ts", extensions: ["ts"], filenames: [], languageId: "typescript", languageIds: {} };
const servers = [go, ts as unknown as ServerPlan];

/** Where the names come from: read by each search, or known from a watch. */
type Source = "the disk" | "a watch" | "a watch with too many files";

/** Samples of both servers, as paths in the folder, and how many files were looked at for them. */
async function openSamples(source: Source, ...roots: string[]) {
  const gate = await openGate({
    roots: (roots.length > 0 ? roots : ["."]).map((root) => join(folder, root)),
    extraRoots: [],
    deny,
  });
  let asked = 0;
  const route = (path: string) => {
    asked++;
    return servers.filter(
      ({ extensions, filenames }) =>
        extensions.some((extension) => path.endsWith(`.${extension}`)) ||
        filenames.some((name) => path.endsWith(`/${name}`)),
    );
  };
  const env = { HOME: folder };
  const log = () => {};
  const watch = new WorkspaceWatch(
    { roots: gate.roots, deny, env, log },
    {
      ignoredWaitMs: 60_000,
      ...(source === "a watch with too many files" && { files: 1 }),
    },
  );
  watches.push(watch);
  if (source !== "the disk") await watch.check();
  const samples = new SampleFiles(gate, { route, names: () => watch.names() }, ["go", "ts"], env);
  const find = async (id: string) => {
    const path = await samples.find(id);
    return path === undefined ? undefined : relative(folder, path);
  };
  return { watch, samples, all: async () => ({ go: await find("go"), ts: await find("ts"), asked }) };
}

describe.each<Source>(["the disk", "a watch", "a watch with too many files"])(
  "sample files from %s",
  (source) => {
    const samplesIn = async (...roots: string[]) => (await openSamples(source, ...roots)).all();

    it("may be as deep as init searches, in the main language where there is one", async () => {
      const deep = `${"d/".repeat(14)}a.ts`;
      for (const name of ["go.mod", "cmd/main.go", deep]) write(name);
      expect(await samplesIn()).toMatchObject({ go: "cmd/main.go", ts: deep });
    });

    it("are none that git ignores, that lie in packages, or that are denied", async () => {
      write(".git/HEAD", "ref: refs/heads/main\n");
      write(".git/info/exclude", "mine/\n");
      write(".gitignore", "gen/\n*.d.ts\n");
      for (const name of ["gen/a.ts", "mine/a.ts", "b.d.ts", "node_modules/x/a.ts", "secret/a.ts"])
        write(name);
      expect(await samplesIn()).toMatchObject({ go: undefined, ts: undefined });
      write("z/own.ts");
      expect(await samplesIn()).toMatchObject({ ts: "z/own.ts" });
    });

    it("are in a build's folder only where no other is", async () => {
      write("build/a.ts");
      write("vendor/m.go");
      expect(await samplesIn()).toMatchObject({ go: "vendor/m.go", ts: "build/a.ts" });
      write("src/deeper/a.ts");
      expect(await samplesIn()).toMatchObject({ ts: "src/deeper/a.ts" });
    });

    it("are looked for in every root, and no further than needed", async () => {
      for (const name of ["one/a.ts", "two/m.go", "two/x/b.go"]) write(name);
      expect(await samplesIn("one", "two")).toEqual({ go: "two/m.go", ts: "one/a.ts", asked: 2 });
    });
  },
);

describe("sample files are searched again", () => {
  it("when the workspace was read first, and when a better file was created or the sample deleted", async () => {
    write("a.ts");
    const { watch, all } = await openSamples("the disk");
    expect([await all(), await all()]).toMatchObject([{ go: undefined, asked: 1 }, { asked: 1 }]);
    write("build/b.go");
    await watch.check();
    expect([await all(), await all()]).toMatchObject([{ go: "build/b.go", asked: 3 }, { asked: 3 }]);
    write("c.ts");
    await watch.check();
    expect([await all(), await all()]).toMatchObject([{ ts: "a.ts", asked: 4 }, { asked: 4 }]);
    write("src/c.go");
    rmSync(join(folder, "a.ts"));
    await watch.check();
    expect(await all()).toMatchObject({ go: "src/c.go", ts: "c.ts" });
    write("c.ts", "changed");
    await watch.check();
    const { asked } = await all();
    expect(await all()).toMatchObject({ ts: "c.ts", asked });
  });

  it("for more of them, when a file of the server was created or deleted", async () => {
    write("b.go");
    const { watch, samples } = await openSamples("a watch");
    const likely = async () => {
      await watch.check();
      return (await samples.likely("go")).map((path) => relative(folder, path));
    };
    expect(await likely()).toEqual(["b.go"]);
    write("src/c.go");
    write("src/d.go");
    expect(await likely()).toEqual(["src/c.go", "b.go"]);
    rmSync(join(folder, "src/c.go"));
    expect(await likely()).toEqual(["src/d.go", "b.go"]);
  });
});
