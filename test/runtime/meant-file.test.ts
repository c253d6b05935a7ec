/** A wrong file name is answered with the name that it means, and never with one that may not be seen. */
import { basename } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/base/json.js";
import { openTestWorkspace, range, type TestWorkspace } from "./test-workspace.js";

let work: TestWorkspace;
beforeAll(async () => {
  work = await openTestWorkspace({
    config: {
      extends: ["tools/read"],
      workspace: { roots: ["work"], deny: ["**/secret/**"] },
    },
    files: {
      "src/main.fake": "one\n",
      "src dir/two.fake": "two\n",
      "a/b/util.fake": "",
      "c/b/util.fake": "",
      "secret/hidden.fake": "",
    },
    servers: {
      fake: {
        scenario: {
          capabilities: { definitionProvider: true, documentSymbolProvider: true },
          replies: {
            "textDocument/definition": [{ uri: "file:///work/src/main.fake", range: range(0, 0, 3) }],
          },
        },
      },
    },
  });
  // The names are known once a call has read them.
  await work.call("find_definition", { file_path: "src/main.fake", line: 1, character: 1 });
});
afterAll(() => work.close());

async function refusal(file_path: string) {
  const { structured, text } = await work.call("find_definition", { file_path, line: 1, character: 1 });
  const { code, message } = structured.error as { code: string; message: string };
  return { code, message, text, steps: structured.next_steps as JsonObject[] };
}

describe("the file is named for", () => {
  it.each([
    ["a base name", "main.fake"],
    ["a path with the workspace's folder in front", "work/src/main.fake"],
    ["backslashes", "src\\main.fake"],
    ["another folder of the same file", "lib/main.fake"],
    ["an absolute path from the workspace folder on", "/src/main.fake"],
    ["an absolute path of another machine", "/workspace/src/main.fake"],
    ["a misspelt name", "src/mian.fake"],
  ])("%s", async (_what, name) => {
    const { message } = await refusal(name);
    expect(message).toMatch(/Did you mean src\/main\.fake\?$/);
  });

  it("encoded characters", async () => {
    expect((await refusal("src%20dir/two.fake")).message).toContain("Did you mean src dir/two.fake?");
  });

  it.each(["src/main.fake:5:6", "main.fake:5", "src/main.fake#L5"])("a place in it: %s", async (name) => {
    const { message } = await refusal(name);
    expect(message).toContain("Did you mean src/main.fake?");
    expect(message).toContain("The place is given in `line` and `character`, not in `file_path`.");
  });

  it("a base name that several files have, by the folders that they share with it", async () => {
    expect((await refusal("util.fake")).message).toContain("Did you mean a/b/util.fake, c/b/util.fake?");
    expect((await refusal("x/c/b/util.fake")).message).toContain("Did you mean c/b/util.fake?");
  });
});

it("a path outside is refused with the workspace's folder, whether it exists or not", async () => {
  const [there, missing] = [await refusal("/etc/hostname"), await refusal("/etc/no-such-file")];
  expect([there, missing]).toMatchObject([{ code: "guard/outside-root" }, { code: "guard/outside-root" }]);
  expect(there.message).toBe(missing.message);
  expect(there.message).toContain(`outside the workspace folder \`${basename(work.folder)}\``);
});

it("nothing that is denied is named", async () => {
  for (const name of ["hidden.fake", "work/secret/hidden.fake", "/secret/hidden.fake", "secret/hiden.fake"])
    expect((await refusal(name)).text).not.toContain("Did you mean");
});

it("an empty name is not suggested as an argument", async () => {
  const { structured } = await work.call("find_definition", { file_path: "" });
  expect(structured).toMatchObject({ error: { code: "point/incomplete" } });
  expect(JSON.stringify(structured.next_steps ?? [])).not.toContain('"file_path"');
});
