import { describe, expect, it } from "vitest";
import { nearest } from "../../src/base/nearest.js";

describe("did you mean", () => {
  it.each([
    ["comand", "command"],
    ["cmomand", "command"],
    ["rootdir", "root_dir"],
    ["textDocument/reference", "textDocument/references"],
  ])("%s → %s", (word, wanted) => {
    expect(nearest(word, ["command", "root_dir", "textDocument/references", "id"])).toBe(wanted);
  });

  it("suggests nothing when nothing is similar", () => {
    expect(nearest("zebra", ["command", "id"])).toBeUndefined();
    expect(nearest("xy", ["id"])).toBeUndefined();
  });
});
