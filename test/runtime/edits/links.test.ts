/** Symbolic links are renamed and deleted as links: servers are notified of the link's name, and no target changes. */
import { existsSync, lstatSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/base/json.js";
import type { CallOutcome } from "../../../src/runtime/session.js";
import type { Workshop } from "../workshop.js";
import { editing, files } from "./support.js";

const filters = [{ scheme: "file", pattern: { glob: "**/*.fake" } }];

async function open(): Promise<Workshop> {
  const workshop = await editing({
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
  const { folder } = workshop;
  writeFileSync(join(dirname(folder), "outside.fake"), "outside\n");
  symlinkSync("a.fake", join(folder, "inner.fake"));
  symlinkSync("nowhere", join(folder, "dangling.fake"));
  symlinkSync("../outside.fake", join(folder, "outer.fake"));
  await workshop.call("get_hover", { file_path: "b.fake", line: 1, character: 1 });
  return workshop;
}

const isLink = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;

describe.each([
  ["inner.fake", "a.fake"],
  ["dangling.fake", "nowhere"],
  ["outer.fake", "../outside.fake"],
])("the link %s", (link, target) => {
  it("is renamed, and the server is asked about and told its own name", async () => {
    const workshop = await open();
    const answer = await previewed(workshop, "rename_file", { old_path: link, new_path: "moved.fake" });
    expect(answer.structured).toMatchObject({ status: "applied", summary: { operations: 1 } });
    expect(readlinkSync(join(workshop.folder, "moved.fake"))).toBe(target);
    expect(isLink(join(workshop.folder, link))).toBe(false);
    const renamed = { files: [{ oldUri: workshop.uri(link), newUri: workshop.uri("moved.fake") }] };
    expect(await workshop.received("workspace/willRenameFiles")).toEqual([renamed]);
    expect(await workshop.received("workspace/didRenameFiles")).toEqual([renamed]);
    expect(await opened(workshop)).not.toContain("outer.fake");
    await untouched(workshop);
  });

  it("is deleted", async () => {
    const workshop = await open();
    const answer = await previewed(workshop, "delete_file", { file_path: link });
    expect(answer.structured).toMatchObject({ status: "applied", summary: { operations: 1 } });
    expect(isLink(join(workshop.folder, link))).toBe(false);
    const deleted = { files: [{ uri: workshop.uri(link) }] };
    expect(await workshop.received("workspace/willDeleteFiles")).toEqual([deleted]);
    await untouched(workshop);
  });
});

it("a link to a folder goes without what is behind it", async () => {
  const workshop = await open();
  symlinkSync("..", join(workshop.folder, "up"));
  const answer = await previewed(workshop, "delete_file", { file_path: "up" });
  expect(answer.structured).toMatchObject({ status: "applied", summary: { operations: 1 } });
  expect(existsSync(join(workshop.folder, "up"))).toBe(false);
  await untouched(workshop);
});

/** Applies a preview. */
async function previewed(workshop: Workshop, tool: string, args: JsonObject): Promise<CallOutcome> {
  const { structured } = await workshop.call(tool, args);
  return workshop.call(tool, { ...args, dry_run: false, edit_token: structured.edit_token ?? null });
}

async function opened(workshop: Workshop): Promise<string> {
  return JSON.stringify(await workshop.received("textDocument/didOpen"));
}

async function untouched({ folder }: Workshop): Promise<void> {
  expect(readFileSync(join(dirname(folder), "outside.fake"), "utf8")).toBe("outside\n");
  for (const [name, text] of Object.entries(files))
    expect(readFileSync(join(folder, name), "utf8")).toBe(text);
}
