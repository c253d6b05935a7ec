/** Symbolic links are renamed and deleted as links: servers are notified of the link's name, and no target changes. */
import { existsSync, lstatSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/base/json.js";
import type { CallOutcome } from "../../../src/runtime/session.js";
import type { TestWorkspace } from "../test-workspace.js";
import { editing, files } from "./support.js";

const filters = [{ scheme: "file", pattern: { glob: "**/*.fake" } }];

async function open(): Promise<TestWorkspace> {
  const work = await editing({
    tools: ["rename_file", "delete_file", "get_hover"],
    replies: { "workspace/willRenameFiles": null, "workspace/willDeleteFiles": null },
    capabilities: {
      hoverProvider: true,
      workspace: {
        fileOperations: {
          willRename: { filters },
          didRename: { filters },
          willDelete: { filters },
          didDelete: { filters },
        },
      },
    },
  });
  const { folder } = work;
  writeFileSync(join(dirname(folder), "outside.fake"), "outside\n");
  symlinkSync("a.fake", join(folder, "inner.fake"));
  symlinkSync("nowhere", join(folder, "dangling.fake"));
  symlinkSync("../outside.fake", join(folder, "outer.fake"));
  await work.call("get_hover", { file_path: "b.fake", line: 1, character: 1 });
  return work;
}

const isLink = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;

describe.each([
  ["inner.fake", "a.fake"],
  ["dangling.fake", "nowhere"],
  ["outer.fake", "../outside.fake"],
])("the link %s", (link, target) => {
  it("is renamed, and the server gets the path of the link", async () => {
    const work = await open();
    const answer = await previewed(work, "rename_file", { old_path: link, new_path: "moved.fake" });
    expect(answer.structured).toMatchObject({ status: "applied", summary: { operations: 1 } });
    expect(readlinkSync(join(work.folder, "moved.fake"))).toBe(target);
    expect(isLink(join(work.folder, link))).toBe(false);
    const renamed = { files: [{ oldUri: work.uri(link), newUri: work.uri("moved.fake") }] };
    expect(await work.received("workspace/willRenameFiles")).toEqual([renamed]);
    expect(await work.received("workspace/didRenameFiles")).toEqual([renamed]);
    expect(await opened(work)).not.toContain("outer.fake");
    await untouched(work);
  });

  it("is deleted", async () => {
    const work = await open();
    const answer = await previewed(work, "delete_file", { file_path: link });
    expect(answer.structured).toMatchObject({ status: "applied", summary: { operations: 1 } });
    expect(isLink(join(work.folder, link))).toBe(false);
    const deleted = { files: [{ uri: work.uri(link) }] };
    expect(await work.received("workspace/willDeleteFiles")).toEqual([deleted]);
    await untouched(work);
  });
});

it("a link to a folder is deleted without its target", async () => {
  const work = await open();
  symlinkSync("..", join(work.folder, "up"));
  const answer = await previewed(work, "delete_file", { file_path: "up" });
  expect(answer.structured).toMatchObject({ status: "applied", summary: { operations: 1 } });
  expect(existsSync(join(work.folder, "up"))).toBe(false);
  await untouched(work);
});

/** Applies a preview. */
async function previewed(work: TestWorkspace, tool: string, args: JsonObject): Promise<CallOutcome> {
  const { structured } = await work.call(tool, args);
  return work.call(tool, { ...args, dry_run: false, edit_token: structured.edit_token ?? null });
}

async function opened(work: TestWorkspace): Promise<string> {
  return JSON.stringify(await work.received("textDocument/didOpen"));
}

async function untouched({ folder }: TestWorkspace): Promise<void> {
  expect(readFileSync(join(dirname(folder), "outside.fake"), "utf8")).toBe("outside\n");
  for (const [name, text] of Object.entries(files))
    expect(readFileSync(join(folder, name), "utf8")).toBe(text);
}
