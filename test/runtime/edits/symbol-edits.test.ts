/** Edits of declarations: `«…»` marks the range that a server reports, `‹…›` the name within it. */
import { describe, expect, it } from "vitest";
import { Refusal } from "../../../src/base/problem.js";
import { Lines } from "../../../src/base/text.js";
import {
  insertAfter as after,
  insertBefore as before,
  type Declaration,
  deleteDeclaration as deleted,
  replaceDeclaration as replaced,
} from "../../../src/runtime/edits/symbol-edits.js";

function declared(marked: string, isEnumMember = false, taken: number[] = []) {
  const places: { [mark: string]: number } = {};
  let text = "";
  for (const character of marked)
    if ("«»‹›".includes(character)) places[character] = text.length;
    else text += character;
  const at = (mark: string) => places[mark] ?? 0;
  const declaration: Declaration = {
    extent: { start: at("«"), end: at("»") },
    name: { start: at("‹"), end: at("›") },
    isEnumMember,
    otherNameLines: new Set(taken),
  };
  return { text, declaration };
}

type Write = typeof replaced;

function written(write: Write, marked: string, body: string, isEnumMember = false, taken: number[] = []) {
  const { text, declaration } = declared(marked, isEnumMember, taken);
  const { start, end, newText } = write(new Lines(text), declaration, body);
  return text.slice(0, start) + newText + text.slice(end);
}

function refusal(write: Write, marked: string, body: string, isEnumMember = false): string {
  try {
    return written(write, marked, body, isEnumMember);
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
}

describe("a replaced declaration", () => {
  it.each([
    [
      "the only one of a statement",
      "export const «‹a› = 1»;\n",
      "export const a = 2;",
      "export const a = 2;\n",
    ],
    ["the same without its sign", "export const «‹a› = 1»;\n", "export const a = 2", "export const a = 2;\n"],
    ["the same from its name on", "export const «‹a› = 1»;\n", "a = 2;", "export const a = 2;\n"],
    ["the same with a comment behind", "let «‹a› = 1»; // why\n", "let a = 2;", "let a = 2; // why\n"],
    ["over several lines", "  const «‹f› = () => {\n  }»;\n", "const f = () => 1;", "  const f = () => 1;\n"],
    [
      "with a new comment",
      "/** old */\n«function ‹f›() {}»\n",
      "/** new */\nfunction f() {}",
      "/** new */\nfunction f() {}\n",
    ],
    [
      "that keeps its comment",
      "/** old */\n«function ‹f›() {}»\n",
      "function f() { }",
      "/** old */\nfunction f() { }\n",
    ],
    ["an element", "enum E {\n  «‹A›»,\n  B\n}\n", "A = 5,", "enum E {\n  A = 5,\n  B\n}\n"],
    ["the last element", "enum E {\n  A,\n  «‹B›»\n}\n", "B = 5", "enum E {\n  A,\n  B = 5\n}\n"],
    ["with the line end counted in", "«def ‹f›():\n  1\n»x\n", "def f():\n  2\n", "def f():\n  2\nx\n"],
  ])("%s", (_, marked, body, expected) => {
    expect(written(replaced, marked, body)).toBe(expected);
  });

  it.each([
    ["one of several", "const «‹a› = 1», b = 2;\n", "const a = 3;"],
    ["a later one of several", "const a = 1, «‹b› = 2»;\n", "const b = 3;"],
    ["one of several lines", "const «‹a› = 1»,\n  b = 2;\n", "const a = 3;"],
    ["a later one of several lines", "const a = 1,\n  «‹b› = 2»;\n", "const b = 3;"],
    ["a member on the line of another", "interface S { «‹a›: number;» b: string }\n", "a: string;"],
    ["the last member on a line", "enum E { A, «‹B›» }\n", "B = 1"],
    ["without the words before it", "export const «‹a› = 1»;\n", "function a() {}"],
    ["as a statement in a list", "enum E {\n  «‹A›»,\n  B\n}\n", "A = 5;"],
    ["before code", "«def ‹f›(): pass»; g()\n", "def f(): pass"],
  ])("is refused: %s", (_, marked, body) => {
    expect(refusal(replaced, marked, body)).toBe("edit/not-alone");
  });
});

describe("a text before a declaration", () => {
  it.each([
    [
      "stands before the statement",
      "x\nexport const «‹a› = 1», b = 2;\n",
      "x\nnew\nexport const a = 1, b = 2;\n",
    ],
    [
      "stands before a comment",
      "x\n/**\n * doc\n */\n«function ‹f›() {}»\n",
      "x\nnew\n/**\n * doc\n */\nfunction f() {}\n",
    ],
    [
      "stands before decorators",
      "x\n@one\n@two({\n  a: 1,\n})\n«class ‹C› {}»\n",
      "x\nnew\n@one\n@two({\n  a: 1,\n})\nclass C {}\n",
    ],
    [
      "stands before attributes",
      "x\n/// doc\n#[test]\n«fn ‹f›() {}»\n",
      "x\nnew\n/// doc\n#[test]\nfn f() {}\n",
    ],
    ["leaves another's comment", "// other\n\n«class ‹C› {}»\n", "// other\n\nnew\nclass C {}\n"],
    ["leaves another's decorator", "@one()\na() {\n}\n«‹b›() {}»\n", "@one()\na() {\n}\nnew\nb() {}\n"],
    ["leaves directives", "#include <x>\n«int ‹f›();»\n", "#include <x>\nnew\nint f();\n"],
  ])("%s", (_, marked, expected) => {
    expect(written(before, marked, "new")).toBe(expected);
  });

  it("leaves a line that has the name of another", () => {
    expect(written(before, "# One\n«# ‹Two›»\n", "new", false, [0])).toBe("# One\nnew\n# Two\n");
  });

  it("has its comma in a list", () => {
    const marked = "enum E {\n  A, // first\n  /** b */\n  «‹B›»\n}\n";
    expect(refusal(before, marked, "  C")).toBe("edit/not-alone");
    expect(written(before, marked, "  C,")).toBe("enum E {\n  A, // first\n  C,\n  /** b */\n  B\n}\n");
  });

  it("is refused on a line of others", () => {
    expect(refusal(before, "const a = 1, «‹b› = 2»;\n", "new")).toBe("edit/not-alone");
  });
});

describe("a text after a declaration", () => {
  it.each([
    ["leaves a comment on its line", "«f() {}» // note\nx\n", "f() {} // note\nnew\nx\n"],
    ["stands after the statement", "const «‹a› = 1»;\nx\n", "const a = 1;\nnew\nx\n"],
    ["stands at the end of a text", "const «‹a› = 1»; // end", "const a = 1; // end\nnew"],
  ])("%s", (_, marked, expected) => {
    expect(written(after, marked, "new")).toBe(expected);
  });

  it("has its comma in a list, after one", () => {
    const marked = "enum E {\n  «‹A›»,\n  B\n}\n";
    expect(refusal(after, marked, "  C")).toBe("edit/not-alone");
    expect(written(after, marked, "  C,")).toBe("enum E {\n  A,\n  C,\n  B\n}\n");
  });

  it.each([
    ["one of several", "const «‹a› = 1», b = 2;\n"],
    ["one of several lines", "const «‹a› = 1»,\n  b = 2;\n"],
    ["the last of a list", "enum E {\n  A,\n  «‹B›»\n}\n"],
    ["the only one of an enumeration", "enum E {\n  «‹A›»\n}\n"],
    ["on the line of another", "interface S { «‹a›: number;» b: string }\n"],
    ["within a call", "on(«function ‹f›() {\n}»\n);\n"],
  ])("is refused: %s", (_, marked) => {
    expect(refusal(after, marked, "new", true)).toBe("edit/not-alone");
  });
});

describe("a deleted declaration", () => {
  it.each([
    ["a statement", "export const «‹a› = 1»;\nb();\n", "b();\n"],
    ["with its comment and decorator", "x\n\n/** why */\n@dec\n«class ‹A› {\n}»\n\ny\n", "x\n\ny\n"],
    ["the first", "«function ‹f›() {}»\n\ng();\n", "g();\n"],
    ["the last, without a line end", "x\n\n«function ‹f›() {}»", "x\n\n"],
    ["the only one", "«function ‹f›() {}»\n", ""],
    ["with blank lines on one side only", "a();\n«function ‹f›() {}»\n\nb();\n", "a();\n\nb();\n"],
    ["with a comment behind", "let «‹a› = 1»; // why\nb();\n", "b();\n"],
  ])("%s", (_name, marked, expected) => {
    expect(written(deleted, marked, "")).toBe(expected);
  });

  it("an element of an enum", () => {
    expect(written(deleted, "enum E {\n  «‹A›»,\n  B\n}\n", "", true)).toBe("enum E {\n  B\n}\n");
    expect(written(deleted, "enum E {\n  A,\n  «‹B›»\n}\n", "", true)).toBe("enum E {\n  A,\n}\n");
  });

  it.each([
    ["beside other code", "a(); «function ‹f›() {}»\n"],
    ["before other code", "«function ‹f›() {}» b();\n"],
    ["the first of several", "const «‹a› = 1»,\n  b = 2;\n"],
    ["the last of several", "const a = 1,\n  «‹b› = 2»;\nc();\n"],
  ])("is refused %s", (_name, marked) => {
    expect(refusal(deleted, marked, "")).toBe("edit/not-alone");
  });
});
