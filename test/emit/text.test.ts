/** Texts as generated code: they say what Handlebars says, and nothing in them can break out. */
import Handlebars from "handlebars";
import { describe, expect, it } from "vitest";
import type { TextFunction } from "../../src/abi/bundle.js";
import { ConfigError } from "../../src/base/problem.js";
import { emitText } from "../../src/emit/texts.js";
import { planOf, planText } from "../plan/config.js";
import { hostileText } from "./hostile.js";
import { bundleOf, importText, templates } from "./support.js";

const compile = async (text: string) => importText<TextFunction>(emitText(text, "a text", templates));
const helpers = { json: (value: unknown) => JSON.stringify(value ?? null, null, 2) };

const view = {
  tool: "t",
  none: null,
  zero: 0,
  flag: false,
  empty: [],
  nested: { deep: { word: "w" } },
  items: [
    { name: "a", line: 1, sites: [{ at: 1 }, { at: 2 }] },
    { name: "b <&> \"'", line: 0, sites: [] },
  ],
};

describe("a text", () => {
  it.each([
    "plain words",
    "{{tool}} {{nested.deep.word}} {{nested.nowhere.word}} {{none}} {{zero}} {{flag}}",
    "{{#each items}}\n{{name}}:{{line}}\n{{/each}}\n",
    "{{#each items}}{{@index}}{{#unless @last}}, {{/unless}}{{#if @first}}!{{/if}}{{/each}}",
    "{{#each items}}{{name}}{{#each sites}} {{at}} of {{../name}} in {{../../tool}}{{else}} no sites{{/each}};{{/each}}",
    "{{#each empty}}x{{else}}nothing{{/each}} {{#each nowhere}}x{{else}}nothing{{/each}}",
    "{{#if zero}}a{{else}}b{{/if}}{{#if empty}}c{{else}}d{{/if}}{{#if tool}}e{{/if}}{{#if none}}f{{else if tool}}g{{else}}h{{/if}}",
    "{{#unless flag}}no{{else}}yes{{/unless}}",
    "{{json nested}}\n{{json items}} {{json nowhere}}",
    "{{#each items}}{{#if line}}{{this.name}}{{~/if~}}  {{/each}}",
    "{{!-- a comment --}}x{{! another }}",
    "\\{{raw}} {{{tool}}} `\u0024{1}` </script> \u2028 \\u0041 \\",
  ])("says what Handlebars says: %s", async (text) => {
    const expected = Handlebars.compile(text, { noEscape: true })(view, { helpers });
    expect((await compile(text))(view)).toBe(expected);
  });

  it("carries hostile words as words and nothing else", async () => {
    // Handlebars itself takes no NUL in a template.
    const hostile = hostileText.replaceAll("\u0000", "");
    const plain = hostile.replaceAll(/\{(?=\{)/g, "{ ");
    expect((await compile(`${plain} {{tool}}`))(view)).toBe(
      Handlebars.compile(`${plain} {{tool}}`, { noEscape: true })(view),
    );
    expect((await compile("{{word}}"))({ word: hostile })).toBe(hostile);
  });

  it("says a literal as it is", async () => {
    expect((await compile('{{"words"}} {{12}} {{true}}'))(view)).toBe("words 12 true");
  });

  it("puts a text of several lines on one", async () => {
    const text = await compile("{{one_line words}}|{{one_line none}}|{{one_line zero}}");
    expect(text({ words: " a\r\n  b \n\n c\rd ", none: null, zero: 0 })).toBe("a b c d||0");
  });

  it("sees own members only", async () => {
    const text = await compile("{{constructor}}{{__proto__}}{{toString}}{{nested.constructor.name}}");
    expect(text(view)).toBe("");
  });

  it.each([
    ["{{#each items}}", "does not parse"],
    ["{{tool", "does not parse"],
    ["{{#with nested}}x{{/with}}", "`with`"],
    ["{{lookup items 0}}", "`lookup`"],
    ["{{> partial}}", "PartialStatement"],
    ["{{#each items as |item|}}{{item}}{{/each}}", "`each`"],
    ["{{json items indent=2}}", "`json`"],
    ["{{#if (eq tool 'x')}}x{{/if}}", "`eq`"],
    ["{{@root.tool}}", "`@root.tool`"],
    ["{{@index}}", "`@index`"],
    ["{{../tool}}", "`../tool`"],
    ["{{log tool}}", "`log`"],
    ["nowhere", "There is no text template `nowhere`"],
    ["locatons", "Did you mean `locations`?"],
  ])("refuses %s", (text, why) => {
    expect(() => emitText(text, "a text", templates)).toThrow(why);
  });
});

describe("texts of a bundle", () => {
  const tool = (text: string) => `
[[tools]]
name = "t"
input = "document"
output = "document_symbols"
text = ${JSON.stringify(text)}
request = { method = "textDocument/documentSymbol", params = "text_document" }
`;

  it("has one for each tool that has its own, and for refusals", () => {
    const { plan } = planOf(`${tool("json")}[dialect.errors]\ntext = "no: {{message}}"\n`);
    const files = bundleOf(plan).files.map((file) => file.path);
    expect(files).toEqual(expect.arrayContaining(["texts/t.js", "error-text.js"]));
    expect(
      bundleOf(planOf(tool("json").replace(/^text.*$/m, "")).plan).files.map(({ path }) => path),
    ).not.toContain("texts/t.js");
  });

  it("reports every text that cannot be used, at its place", () => {
    const plan = planText(`${tool("{{#with x}}{{/with}}")}[dialect.errors]\ntext = "{{"\n`);
    expect(() => bundleOf(plan)).toThrow(ConfigError);
    try {
      bundleOf(plan);
    } catch (error) {
      const { problems } = error as ConfigError;
      expect(problems.map(({ code, pointer }) => ({ code, pointer }))).toEqual([
        { code: "plan/bad-text", pointer: "/tools/t/text" },
        { code: "plan/bad-text", pointer: "/dialect/errors/text" },
      ]);
    }
  });

  const messages = (config: string) => {
    try {
      bundleOf(planText(config));
      return [];
    } catch (error) {
      return (error as ConfigError).problems.map(({ code, message }) => `${code} ${message}`);
    }
  };

  it.each([
    ["{{#each symbols}}{{nam}}{{/each}}", "`name`"],
    ["{{#each symbls}}{{name}}{{/each}}", "`symbols`"],
    ["{{#each symbols}}{{../totall}}{{/each}}", "`total`"],
    ["{{#if trunkated}}x{{/if}}", "`truncated`"],
    ["{{json anser}}", "`answer`"],
    ["{{#each by_file}}{{#each items}}{{knd}}{{/each}}{{/each}}", "`kind`"],
    ["{{#each symbols}}x{{else}}{{headlin}}{{/each}}", "`headline`"],
    ["{{document.paht}}", "`path`"],
  ])("tells the nearest name of a field that the answer lacks: %s", (text, near) => {
    expect(messages(tool(text))).toEqual([expect.stringContaining(`Did you mean ${near}?`)]);
  });

  it("takes what is there, and anything within what is not ours", () => {
    const all =
      "{{total}}{{symbols.length}}{{#each warnings}}{{data.any.thing}}{{@index}}{{this.code}}{{/each}}";
    expect(messages(tool(all))).toEqual([]);
    const shared = '[dialect]\ntext = "{{contens}}"\n';
    expect(messages(`${tool("json").replace(/^text.*$/m, "")}${shared}`)).toEqual([
      expect.stringContaining("`contens`"),
    ]);
    expect(messages('[dialect.errors]\ntext = "{{mesage}}"\n')).toEqual([
      expect.stringContaining("Did you mean `message`?"),
    ]);
  });
});
