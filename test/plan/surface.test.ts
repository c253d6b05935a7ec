/** What clients are told about tools: titles and annotations. */
import { describe, expect, it } from "vitest";
import { toolEntry } from "../../src/emit/tool-entry.js";
import { planOf } from "./config.js";

const tool = (lines: string) =>
  `[[tools]]\nname = "t"\ndescription = "d"\ninput = "position"\n${lines}\nrequest = { method = "textDocument/hover", params = "text_document_position" }`;

function entryOf(lines: string) {
  const { plan, problems } = planOf(tool(lines));
  const [own] = plan.tools;
  if (own === undefined) throw new Error("no tool");
  return {
    entry: toolEntry(own, plan.dialect),
    problems: problems.map(({ code, pointer }) => `${code} ${pointer}`),
  };
}

describe("annotations", () => {
  it("follow from the effect when absent", () => {
    const read = { readOnlyHint: true, destructiveHint: false, openWorldHint: false };
    expect(entryOf("").entry.annotations).toEqual(read);
    const command = { ...read, readOnlyHint: false, destructiveHint: true, idempotentHint: false };
    expect(entryOf('effect = "command"').entry.annotations).toEqual(command);
  });

  it("are what the config says, with its title", () => {
    const { entry, problems } = entryOf(
      'title = "My hover"\neffect = "command"\nannotations = { destructive = false, idempotent = true, open_world = true }',
    );
    expect(problems).toEqual([]);
    expect(entry.title).toBe("My hover");
    expect(entry.annotations).toEqual({
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: true,
    });
  });

  it("a command that only reads may say so, an edit may not", () => {
    const command = entryOf('effect = "command"\nannotations = { read_only = true }');
    expect(command.problems).toEqual([]);
    expect(command.entry.annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false });
    expect(entryOf('effect = "edit"\nannotations = { read_only = true }').problems).toContain(
      "plan/bad-tool /tools/0/annotations/read_only",
    );
    expect(entryOf("annotations = { read_only = true, destructive = true }").problems).toEqual([
      "plan/bad-tool /tools/0/annotations/destructive",
    ]);
  });
});
