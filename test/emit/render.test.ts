import { parse } from "smol-toml";
import { describe, expect, it } from "vitest";
import { tomlText } from "../../src/base/toml-text.js";
import { markdownText, render } from "../../src/emit/render.js";
import { hostileText } from "./hostile.js";

describe("render", () => {
  const view = { list: [{ a: "<1>" }], yes: true };

  it("fills in texts as they are", () => {
    expect(render({ t: "{{#each list}}\n{{a}}\n{{/each}}\n" }, "t", view)).toBe("<1>\n");
  });

  it.each([
    "{{missing}}",
    "{{#each missing}}x{{/each}}",
    "{{#if missing}}x{{/if}}",
    "{{#each list}}{{b}}{{/each}}",
  ])("refuses %s, which is not given", (text) => {
    expect(() => render({ t: text }, "t", view)).toThrow();
  });

  it("knows its templates", () => {
    expect(() => render({}, "constructor", {})).toThrow(/no template/);
  });

  it("does not read what it fills in", () => {
    expect(render({ t: "{{lit x}}" }, "t", { x: "{{y}}" })).toBe('"{{y}}"');
  });
});

describe("texts for other languages", () => {
  it("are one harmless line in Markdown", () => {
    const text = markdownText(hostileText);
    expect(text).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
    expect(text).not.toMatch(/(?<!\\)[<>|]/);
    expect(markdownText("a `b | <c>` d_e _f_")).toBe("a `b \\| <c>` d_e \\_f\\_");
  });

  it("come back from TOML as they went in", () => {
    const value = { a: [hostileText, "\u007f\u0085é"], [hostileText]: true, n: 1.5, empty: {} };
    expect(parse(`x = ${tomlText(value)}`).x).toEqual(value);
  });
});
