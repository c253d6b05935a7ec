/** docs/problems.md has a message for every code, in the words of the sources. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript-5";
import { describe, expect, it } from "vitest";
import { readMessages } from "../../.ci/print/key-texts.js";
import { codes } from "../../src/base/codes.js";

const src = fileURLToPath(new URL("../../src/", import.meta.url));
const messages = readMessages(fileURLToPath(new URL("../../.ci/print/", import.meta.url)));

/** Every text in the sources as its fixed parts; between them is what the program fills in. */
const texts = readdirSync(src, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts") && name !== join("base", "codes.ts"))
  .flatMap((name) => {
    const file = ts.createSourceFile(name, readFileSync(join(src, name), "utf8"), ts.ScriptTarget.Latest);
    const found: string[][] = [];
    const visit = (node: ts.Node): void => {
      if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) found.push([node.text]);
      else if (ts.isTemplateExpression(node))
        found.push([node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)]);
      ts.forEachChild(node, visit);
    };
    visit(file);
    return found;
  });

/** The characters of a text, if its fixed parts are in a message, in their order; else 0. */
function coverage(parts: readonly string[], message: string): number {
  let at = 0;
  for (const part of parts) {
    const found = message.indexOf(part, at);
    if (found < 0) return 0;
    at = found + part.length;
  }
  return parts.join("").length;
}

describe("the message of", () => {
  it.each(Object.keys(codes))("%s has the words of the program", (code) => {
    const message = messages[code] ?? "";
    const most = Math.max(...texts.map((parts) => coverage(parts, message)));
    expect(most / message.length, message).toBeGreaterThan(0.25);
  });

  it("no code is one that the program never gives", () => {
    const given = new Set(texts.flat());
    expect(Object.keys(codes).filter((code) => !given.has(code))).toEqual([]);
  });

  it("no code is left over", () => {
    expect(Object.keys(messages).filter((code) => !Object.hasOwn(codes, code))).toEqual([]);
  });
});
