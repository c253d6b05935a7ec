/** What clients see: titles and annotations of tools, prompts and resources. */
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { readTemplates } from "../../src/emit/render.js";
import { textProblems } from "../../src/emit/texts.js";
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

it("a batch cannot say that it only reads where the config lets it edit", () => {
  const batch = `[[tools]]
name = "many"
description = "d"
annotations = { read_only = true }
output = "batch"
[[tools.steps]]
id = "all"
kind = "batch"
edits = true
`;
  const codes = (head: string) =>
    planOf(`${head}${batch}`).problems.map(({ code, pointer }) => `${code} ${pointer}`);
  const refused = "plan/bad-tool /tools/0/annotations/read_only";
  expect(codes('[allow]\neffects = ["read", "edit"]\n')).toContain(refused);
  expect(codes("")).not.toContain(refused);
});

describe("prompts and resources", () => {
  const problemsOf = (toml: string) => planOf(toml).problems.map(({ code, pointer }) => `${code} ${pointer}`);
  const outline =
    '[[tools]]\nname = "outline"\ndescription = "d"\ninput = "document"\noutput = "document_symbols"\nrequest = { method = "textDocument/documentSymbol", params = "text_document" }\n';
  const resource = (lines: string) => `${outline}[[resources]]\nname = "r"\n${lines}`;
  const args = 'args = { file_path = { from = "uri.path" } }';

  it.each([
    ["a prompt without messages", '[[prompts]]\nname = "p"', ["plan/bad-prompt /prompts/0"]],
    ["a resource", resource(`uri = "lsp://o/{path}"\ntool = "outline"\n${args}`), []],
    ["no URI", resource('tool = "outline"\nargs = { file_path = "a" }'), ["plan/bad-resource /resources/0"]],
    [
      "an unknown tool",
      resource('uri = "lsp://o"\ntool = "outlin"'),
      ["plan/unknown-tool /resources/0/tool"],
    ],
    [
      "a part that the URI does not have",
      resource(`uri = "lsp://o/{file}"\ntool = "outline"\n${args}`),
      ["plan/bad-resource /resources/0/args/file_path"],
    ],
    [
      "one part twice",
      resource(`uri = "lsp://o/{path}/{path}"\ntool = "outline"\n${args}`),
      ["plan/bad-resource /resources/0/uri"],
    ],
    [
      "an argument that the tool does not take",
      resource('uri = "lsp://o/{path}"\ntool = "outline"\nargs = { path = { from = "uri.path" } }'),
      ["plan/bad-resource /resources/0/args", "plan/bad-resource /resources/0/args/path"],
    ],
    [
      "a tool with an effect",
      `[allow]\neffects = ["read", "command"]\n${resource(`uri = "lsp://o/{path}"\ntool = "outline"\n${args}`).replace("input =", 'effect = "command"\ninput =')}`,
      ["plan/bad-resource /resources/0/tool"],
    ],
  ])("%s", (_, toml, expected) => {
    expect(problemsOf(toml)).toEqual(expected);
  });

  it("a resource of a hidden tool is not listed", () => {
    const toml = `[mcp.tools]\nexclude = ["outline"]\n${resource(`uri = "lsp://o/{path}"\ntool = "outline"\n${args}`)}`;
    expect(planOf(toml).plan.resources).toEqual([]);
  });

  it("a template over anything but the arguments is a problem", () => {
    const toml = '[[prompts]]\nname = "p"\nargs.file = {}\nmessages = [{ text = "{{fiel}}" }]';
    const { plan } = planOf(toml);
    const templates = readTemplates(fileURLToPath(new URL("../../templates", import.meta.url)));
    expect(textProblems(plan, [], templates)).toMatchObject([
      { code: "plan/bad-text", pointer: "/prompts/p/messages/0/text" },
    ]);
  });
});
