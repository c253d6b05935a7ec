/** Files that change while a call is under way: the answer is about one text, and says which. */
import { execFileSync } from "node:child_process";
import { linkSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { retryWhileFilesChange } from "../../src/runtime/ask/retry-on-change.js";
import { editing } from "./edits/support.js";
import { openTestWorkspace, range, type TestWorkspace, type TestWorkspaceOptions } from "./test-workspace.js";

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function open(options: TestWorkspaceOptions): Promise<TestWorkspace> {
  const work = await openTestWorkspace(options);
  cleanups.push(() => work.close());
  return work;
}

/** A file that does not exist yet, for the scripted server to wait for. */
function gateFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "lsp-proxy-go-"));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "go");
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((done) => setTimeout(done, 10));
}

const pulls = { diagnosticProvider: { interFileDependencies: false, workspaceDiagnostics: false } };
const at = { file_path: "a.fake", line: 1, character: 1 };

describe("a file that changes while it is asked about", () => {
  it.each([
    ["find_references", "textDocument/references", { referencesProvider: true }, at, "locations"],
    ["find_definition", "textDocument/definition", { definitionProvider: true }, at, "locations"],
    ["get_diagnostics", "textDocument/diagnostic", pulls, { file_path: "a.fake" }, "diagnostics"],
  ])(
    "%s: is asked about again, and all places are of one text",
    async (tool, method, capabilities, args, list) => {
      const go = gateFile();
      const found = { $find: "target", as: list };
      const replies = { [method]: list === "locations" ? found : { kind: "full", items: found } };
      const scenario = { capabilities, replies, on: { [method]: [{ waitFile: go }] } };
      const work = await open({ files: { "a.fake": "target 😀 target\n" }, servers: { fake: { scenario } } });
      const call = work.call(tool, args);
      await until(async () => (await work.received(method)).length === 1);
      const text = "target\n\n😀😀 target\n";
      writeFileSync(join(work.folder, "a.fake"), text);
      writeFileSync(go, "");
      const { structured } = await call;
      const items = structured[list] as { line: number; character: number }[];
      expect(items.map(({ line, character }) => [line, character])).toEqual([
        [1, 1],
        [3, 4],
      ]);
      expect(structured.document).toEqual({ path: "a.fake" });
      expect(structured.warnings ?? []).toEqual([]);
    },
  );

  it.skipIf(process.platform === "win32")("and is a pipe now does not hold the call up", async () => {
    const go = gateFile();
    const method = "textDocument/definition";
    const scenario = {
      capabilities: { definitionProvider: true },
      replies: { [method]: { $find: "target", as: "locations" } },
      on: { [method]: [{ waitFile: go }] },
    };
    const work = await open({ files: { "a.fake": "target\n" }, servers: { fake: { scenario } } });
    const call = work.call("find_definition", at);
    await until(async () => (await work.received(method)).length === 1);
    rmSync(join(work.folder, "a.fake"));
    execFileSync("mkfifo", [join(work.folder, "a.fake")]);
    writeFileSync(go, "");
    const { structured } = await call;
    expect(structured).toMatchObject({ ok: false, error: { code: "guard/not-a-file" } });
  });

  it("that is only shown in the answer has the call asked again as well", async () => {
    const go = gateFile();
    const method = "textDocument/definition";
    const replies = { [method]: [{ uri: "file:///work/b.fake", range: range(0, 2, 3) }] };
    const scenario = {
      capabilities: { definitionProvider: true },
      replies,
      on: { [method]: [{ waitFile: go }] },
    };
    const files = { "a.fake": "x\n", "b.fake": "😀b\n" };
    const work = await open({ files, servers: { fake: { scenario } } });
    const call = work.call("find_definition", at);
    await until(async () => (await work.received(method)).length === 1);
    writeFileSync(join(work.folder, "b.fake"), "bbbb\n");
    writeFileSync(go, "");
    expect((await call).structured.locations).toMatchObject([{ path: "b.fake", line: 1, character: 3 }]);
    expect(await work.received(method)).toHaveLength(2);
  });

  it("that is listed and not on the first page has it asked again too, and later makes the next page stale", async () => {
    const go = gateFile();
    const method = "textDocument/references";
    const names = Array.from({ length: 40 }, (_, n) => `f${n + 10}.fake`);
    const places = names.map((name) => ({ uri: `file:///work/${name}`, range: range(0, 0, 1) }));
    const scenario = {
      capabilities: { referencesProvider: true },
      replies: { [method]: places },
      on: { [method]: [{ waitFile: go }] },
    };
    const files = Object.fromEntries(["a.fake", ...names].map((name) => [name, "x\n"]));
    const work = await open({ files, servers: { fake: { scenario } } });
    const asked = { ...at, page_size: 10 };
    const call = work.call("find_references", asked);
    await until(async () => (await work.received(method)).length === 1);
    writeFileSync(join(work.folder, "f45.fake"), "y\n");
    writeFileSync(go, "");
    const { structured } = await call;
    expect(structured).toMatchObject({ total: 40, shown: 10 });
    expect(await work.received(method)).toHaveLength(2);
    writeFileSync(join(work.folder, "f46.fake"), "y\ny\n");
    const next = await work.call("find_references", { ...asked, cursor: structured.next_cursor ?? null });
    expect(next.structured).toMatchObject({ ok: false, error: { code: "page/cursor-stale" } });
  });

  it("and back while another call notified the server of it has the question repeated", async () => {
    const go = gateFile();
    const method = "textDocument/references";
    const scenario = {
      capabilities: { referencesProvider: true, hoverProvider: true },
      replies: { [method]: { $find: "target", as: "locations" }, "textDocument/hover": { contents: "h" } },
      on: { [method]: [{ waitFile: go }] },
    };
    const work = await open({ files: { "a.fake": "target\n" }, servers: { fake: { scenario } } });
    const call = work.call("find_references", at);
    await until(async () => (await work.received(method)).length === 1);
    writeFileSync(join(work.folder, "a.fake"), "\n\ntarget\n");
    await work.call("get_hover", { ...at, line: 3 });
    writeFileSync(join(work.folder, "a.fake"), "target\n");
    writeFileSync(go, "");
    expect((await call).structured).toMatchObject({
      document: { path: "a.fake" },
      locations: [{ line: 1, character: 1 }],
    });
  });

  it("each time is reported in a warning, after a few times", async () => {
    const method = "textDocument/references";
    // The server itself writes the question into the file, every time another one.
    const scenario = {
      capabilities: { referencesProvider: true },
      replies: { [method]: [{ uri: "file:///work/a.fake", range: range(0, 0, 1) }] },
      on: { [method]: [{ save: "a.fake" }] },
    };
    const work = await open({ files: { "a.fake": "target\n" }, servers: { fake: { scenario } } });
    const { signal } = new AbortController();
    const { structured } = await work.session.call("find_references", at, { signal });
    expect(structured).toMatchObject({ ok: true, warnings: [{ code: "answer/changed-meanwhile" }] });
    expect(await work.received(method)).toHaveLength(3);
  });

  it("and is gone is refused, not answered with nothing", async () => {
    const go = gateFile();
    const method = "textDocument/references";
    const scenario = {
      capabilities: { referencesProvider: true },
      replies: { [method]: [] },
      on: { [method]: [{ waitFile: go }] },
    };
    const work = await open({ files: { "a.fake": "target\n" }, servers: { fake: { scenario } } });
    const call = work.call("find_references", at);
    await until(async () => (await work.received(method)).length === 1);
    rmSync(join(work.folder, "a.fake"));
    writeFileSync(go, "");
    expect((await call).structured).toMatchObject({ ok: false, error: { code: "guard/not-a-file" } });
  });
});

describe("a call", () => {
  it("that no file changes under is asked once", async () => {
    const method = "textDocument/references";
    const scenario = {
      capabilities: { referencesProvider: true },
      replies: { [method]: [{ uri: "file:///work/a.fake", range: range(0, 0, 1) }] },
    };
    const work = await open({ files: { "a.fake": "target\n" }, servers: { fake: { scenario } } });
    await work.call("find_references", at);
    expect(await work.received(method)).toHaveLength(1);
  });

  it("has one deadline, the look at the disk included", async () => {
    const method = "textDocument/references";
    const scenario = { capabilities: { referencesProvider: true }, on: { [method]: [{ never: true }] } };
    const work = await open({
      files: { "a.fake": "target\n" },
      servers: { fake: { scenario } },
      config: { limits: { timeout_ms: 4000 } },
    });
    work.runtime.pool.checkFiles = () => new Promise(() => {});
    const start = performance.now();
    expect((await work.call("find_references", at)).structured).toMatchObject({ ok: false });
    // The look alone may take two seconds.
    expect(performance.now() - start).toBeLessThan(5_500);
  });
});

describe.runIf(process.platform === "linux")("a file that was written where no watch sees it", () => {
  it("is sent before the answer counts: an earlier question is repeated", async () => {
    const method = "textDocument/definition";
    const places = [{ uri: "file:///work/b.fake", range: range(0, 0, 3) }];
    const scenario = { capabilities: { definitionProvider: true }, replies: { [method]: places } };
    const work = await open({
      files: { "a.fake": "one two three\n", "b.fake": "two\n" },
      servers: { fake: { scenario } },
    });
    const elsewhere = join(gateFile(), "..", "b");
    linkSync(join(work.folder, "b.fake"), elsewhere);
    for (const character of [1, 2]) await work.call("find_definition", { ...at, character });
    writeFileSync(elsewhere, "two of them\n");
    const outcome = await work.call("find_definition", { ...at, character: 3 });
    expect(outcome.structured.locations).toMatchObject([{ path: "b.fake", text: "two of them" }]);
    const told = await work.arrivals("workspace/didChangeWatchedFiles");
    const asked = await work.arrivals(method);
    expect(asked.at(-1)).toBeGreaterThanOrEqual(told.at(-1) ?? Number.POSITIVE_INFINITY);
  });
});

describe("an edit by another call", () => {
  it("has a question asked again that was open meanwhile, also where the answer shows no file of it", async () => {
    const go = gateFile();
    const method = "textDocument/references";
    const work = await editing({
      files: { "a.fake": "x\n" },
      capabilities: { referencesProvider: true },
      replies: { [method]: [] },
      scenario: { on: { [method]: [{ waitFile: go }] } },
      tools: ["find_references", "create_file"],
    });
    const call = work.call("find_references", at);
    await until(async () => (await work.received(method)).length === 1);
    const made = await work.call("create_file", { file_path: "b.txt", content: "b\n", dry_run: false });
    expect(made.structured).toMatchObject({ ok: true, status: "applied" });
    writeFileSync(go, "");
    const { structured } = await call;
    expect(structured).toMatchObject({ ok: true, total: 0 });
    expect(structured.warnings ?? []).toEqual([]);
    expect(await work.received(method)).toHaveLength(2);
  });

  it("is complete before a question begins", async () => {
    const { signal } = new AbortController();
    const steps: string[] = [];
    let finish = () => {};
    const edits: { begun: number; writing: Promise<void> | undefined } = {
      begun: 1,
      writing: new Promise((resolve) => {
        finish = () => {
          steps.push("written");
          edits.writing = undefined;
          resolve();
        };
      }),
    };
    const asked = retryWhileFilesChange(
      signal,
      async (attempt) => {
        steps.push("asked");
        return attempt.edits;
      },
      edits,
    );
    setImmediate(finish);
    expect(await asked).toBe(1);
    expect(steps).toEqual(["written", "asked"]);
  });
});

describe("retrying", () => {
  it("ends with the call", async () => {
    const call = new AbortController();
    const asked = retryWhileFilesChange(call.signal, () => new Promise(() => {}));
    call.abort(new Error("over"));
    await expect(asked).rejects.toThrow("over");
  });

  it("fails with the error of an attempt, however it is thrown", async () => {
    const { signal } = new AbortController();
    const thrown = retryWhileFilesChange(signal, (): Promise<never> => {
      throw new Error("broken");
    });
    await expect(thrown).rejects.toThrow("broken");
  });

  it("leaves no listener on the call's signal", async () => {
    const { signal } = new AbortController();
    const removed = vi.spyOn(signal, "removeEventListener");
    const added = vi.spyOn(signal, "addEventListener");
    expect(await retryWhileFilesChange(signal, async () => 3)).toBe(3);
    const listeners = (calls: readonly (readonly unknown[])[]) => calls.map(([, listener]) => listener);
    expect(listeners(removed.mock.calls)).toEqual(expect.arrayContaining(listeners(added.mock.calls)));
    expect(added).toHaveBeenCalledOnce();
  });
});
