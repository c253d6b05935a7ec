/** No kind of edit can change the files that control the proxy, by any name that leads there. */
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Edits, openEdits } from "../../../src/workspace/edits/edits.js";
import { realDisk } from "../../../src/workspace/edits/real-disk.js";
import type { Change } from "../../../src/workspace/edits/types.js";
import { openGate } from "../../../src/workspace/gate.js";
import {
  applyNow,
  type Bench,
  create,
  edit,
  makeBench,
  reasonsOf,
  refusalOf,
  remove,
  rename,
} from "./bench.js";

let bench: Bench;
let edits: Edits;

const open = async (stateFolder = bench.state): Promise<Edits> => {
  const gate = await openGate({ roots: [bench.root], extraRoots: [], deny: [] });
  const ownFiles = ["conf/proxy.toml", "linked.toml", "served"].map((name) => join(bench.root, name));
  return openEdits({ gate, stateFolder, ownFiles }, realDisk);
};

beforeEach(async () => {
  bench = makeBench();
  for (const name of ["conf/proxy.toml", "conf/other.txt", "lspi.toml", "deep/lspi.json", "served/plan.json"])
    bench.write(name, "text\n");
  bench.write("free/real.toml", "text\n");
  bench.write("src/a.ts", "text\n");
  mkdirSync(join(bench.root, "links"));
  symlinkSync("../free/real.toml", join(bench.root, "links/second"));
  symlinkSync("links/second", join(bench.root, "linked.toml"));
  symlinkSync("../lspi.toml", join(bench.root, "src/alias"));
  edits = await open();
});

afterEach(async () => {
  await edits.close();
  bench.remove();
});

const text = (path: string): Change => edit(path, bench.hash(path), [{ start: 0, end: 1, newText: "T" }]);

describe("an edit is refused", () => {
  const cases: [string, () => Change][] = [
    ["of the config's text", () => text("conf/proxy.toml")],
    ["through a link to it", () => text("src/alias")],
    ["of what a linked config really is", () => text("free/real.toml")],
    ["that replaces it", () => create("lspi.toml", "", { overwrite: true })],
    ["that creates one where it would be found", () => create(".lspi/config.toml")],
    ["that creates one in another case", () => create("sub/LSPI.TOML")],
    ["that creates one under a name that some systems take for it", () => create("sub/lspi.to\u200dml. ")],
    ["that moves a file onto a name of it", () => rename("src/a.ts", "src/lspi.json")],
    ["that moves it away", () => rename("conf/proxy.toml", "conf/old.toml")],
    ["that moves a folder that holds it", () => rename("conf", "conf2")],
    ["that moves a folder that holds one by name", () => rename("deep", "deeper")],
    ["that makes a folder the config's", () => rename("src", ".lspi")],
    ["that removes it", () => remove("deep/lspi.json")],
    ["that removes a folder with it", () => remove("conf", { recursive: true })],
    ["of a link on the way to it", () => remove("links/second")],
    ["of the link that names it", () => rename("linked.toml", "x.toml")],
    ["in a folder that governs as a whole", () => create("served/more.json")],
  ];
  test.each(cases)("%s", async (_, change) => {
    const before = bench.snapshot();
    const refusal = await refusalOf(applyNow(edits, [change()]));
    expect(refusal.code).toBe("edit/own-config");
    expect(bench.snapshot()).toEqual(before);
  });

  test("with everything else in it, and the reason names the file", async () => {
    const refusal = await refusalOf(applyNow(edits, [text("src/a.ts"), remove("lspi.toml")]));
    expect(reasonsOf(refusal)).toEqual(["edit/own-config lspi.toml"]);
  });

  test("when a backup would be one", async () => {
    bench.write("lspi", "text\n");
    const preview = await edits.preview([text("lspi")]);
    expect((await refusalOf(edits.apply(preview, { backupSuffix: ".json" }))).code).toBe("edit/own-config");
  });

  test("of the state folder, whatever is in it", async () => {
    await edits.close();
    edits = await open(join(bench.root, "state"));
    for (const change of [
      create("state/trusted.json"),
      remove("state", { recursive: true }),
      rename("state", "s"),
    ])
      expect((await refusalOf(applyNow(edits, [change]))).code).toBe("edit/own-config");
  });
});

test("an undo does not bring back what has become the config", async () => {
  const { undoToken } = await applyNow(edits, [rename("src/a.ts", "src/b.ts")]);
  await edits.close();
  renameSync(join(bench.root, "conf"), join(bench.root, "conf3"));
  symlinkSync("src/a.ts", join(bench.root, "conf"));
  const gate = await openGate({ roots: [bench.root], extraRoots: [], deny: [] });
  edits = await openEdits({ gate, stateFolder: bench.state, ownFiles: [join(bench.root, "conf")] }, realDisk);
  expect(reasonsOf(await refusalOf(edits.undo(undoToken)))).toEqual(["edit/own-config src/b.ts"]);
});

test("a similar name is edited, and so is a link that the config does not go through", async () => {
  writeFileSync(join(bench.root, "src/lspi.ts"), "text\n");
  await applyNow(edits, [text("src/lspi.ts"), text("conf/other.txt"), rename("src/alias", "src/alias2")]);
  expect(bench.text("conf/other.txt")).toBe("Text\n");
});
