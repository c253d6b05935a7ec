import { runInThisContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalText, type Json } from "../../src/base/json.js";
import {
  commentText,
  identifiers,
  inspectModule,
  lit,
  memberText,
  objectText,
} from "../../src/emit/code-text.js";
import { character } from "../characters.js";

const hostile = fc.oneof(
  fc.string({ unit: character }),
  fc.constantFrom(
    '"',
    "'",
    "`",
    "\u0024{process}",
    "*/",
    "\n",
    "\u2028",
    "\u2029",
    "</script>",
    "<!--",
    "-->",
    "\\",
    "\\u0022",
    "{{x}}",
    "__proto__",
    "constructor",
    "import",
    "eval",
  ),
);
const json = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    hostile,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (Object.is(number, -0) ? 0 : number)),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc
      .array(fc.tuple(hostile, tie("value")), { maxLength: 3 })
      .map(
        (entries) =>
          JSON.parse(
            `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(",")}}`,
          ) as Json,
      ),
  ),
})).value;

describe("lit", () => {
  it("gives back every value, own `__proto__` keys included", () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = lit(value);
        const back: unknown = runInThisContext(`JSON.stringify(${text})`);
        expect(canonicalText(JSON.parse(String(back)))).toBe(canonicalText(value));
        expect(text).not.toMatch(/[\n\r\u2028\u2029]|<\/|<!--|-->/);
      }),
      { seed: 1, numRuns: 300 },
    );
  });

  it("leaves no name of a string outside a string", () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(identifiers(lit(value))).not.toContain("import");
        expect(identifiers(lit(value))).not.toContain("eval");
      }),
      { seed: 2, numRuns: 300 },
    );
  });
});

describe("names in code", () => {
  it("are quoted when they are not plain", () => {
    expect(
      objectText([
        ["a", "a"],
        ["b-c", "1"],
        ["__proto__", "2"],
        ["process", "process$"],
      ]),
    ).toBe('{ a, "b-c": 1, ["__proto__"]: 2, "process": process$ }');
    expect(memberText("x", "y")).toBe("x.y");
    expect(memberText("x", "require")).toBe('x["require"]');
    expect(memberText("x", 'a"]', true)).toBe('x?.["a\\"]"]');
  });

  it("cannot leave a comment", () => {
    expect(commentText("a\nb\u2028c\rd*/")).toBe("a?b?c?d*/");
  });
});

describe("inspectModule", () => {
  it.each([
    ["export default () => process.exit();", /names `process`/],
    ["export default () => import('x');", /names `import`/],
    ["export default () => globalThis;", /names `globalThis`/],
    ["export default () => [...process];", /names `process`/],
    ["export default () => new Function('x');", /names `Function`/],
    ["export default () => `x`;", /stray `/],
    ["export default () => \\u0065val('x');", /stray/],
    ["const x = 1;", /0 exports/],
    ["export default 1;\nexport default 2;", /2 exports/],
    ["export default (;", /does not parse/],
    ["export default () => { const class = 1; };", /does not parse/],
  ])("refuses %s", (text, message) => {
    expect(() => inspectModule(text, "it")).toThrow(message);
  });

  it("takes the words in strings and comments", () => {
    expect(() =>
      inspectModule('// import eval\n/* process */\nexport default () => "require(\\"x\\") ` import";', "it"),
    ).not.toThrow();
  });
});
