/** A trace tells what was said to whom and when, and nothing that stands in files, settings or messages. */
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isNamedInside } from "../../src/cli/log/log.js";
import { fitting, maskReply, mask as maskWith } from "../../src/cli/log/mask.js";
import { protocolNames } from "../../src/cli/log/protocol-names.js";

const mayShow = (uri: string) => uri.startsWith("file:///w/");
const mask = (message: unknown) => maskWith(message, mayShow);

const secret = "hunter2_Secret";

describe("a message without its texts", () => {
  it("keeps what a protocol is followed by", () => {
    const message = {
      jsonrpc: "2.0",
      id: 7,
      method: "textDocument/didOpen",
      params: {
        textDocument: { uri: "file:///w/a.ts", languageId: "typescript", version: 1, text: "const x = 1;" },
      },
    };
    expect(mask(message)).toEqual({
      ...message,
      params: { textDocument: { ...message.params.textDocument, text: "<12 characters>" } },
    });
    const answer = { id: 1, result: { structuredContent: { tool: "get_hover", readiness: "ready" } } };
    expect(mask(answer)).toEqual(answer);
    const refused = { error: { code: "lsp/timeout", message: "no" } };
    expect(mask(refused)).toEqual({ error: { code: "lsp/timeout", message: "<2 characters>" } });
  });

  it("prints no text under any known name, at any depth", () => {
    for (const name of protocolNames) {
      const nested = { params: { [name]: secret, list: [{ [name]: secret }], result: { [name]: [secret] } } };
      expect(JSON.stringify(mask(nested)), name).not.toContain(secret);
    }
  });

  it.each(["uri", "code", "path", "id", "status", "kind", "token", "version", "method", "name"])(
    "tells no sentence of a program under %s",
    (name) => {
      fc.assert(
        fc.property(fc.string({ minLength: 3 }), (text) => {
          const source = `${text} = ${secret}; //`;
          expect(JSON.stringify(mask({ [name]: source, params: { [name]: source } }))).not.toContain(secret);
        }),
      );
    },
  );

  it("prints no key that is not a name of a protocol, and drops none", () => {
    const changes = { [`file:///w/${secret}.ts`]: [1], [`file:///w/${secret}.js`]: [2] };
    const told = mask({ result: { changes } }) as { result: { changes: object } };
    expect(JSON.stringify(told)).not.toContain(secret);
    expect(Object.values(told.result.changes)).toEqual([[1], [2]]);
  });

  it("names no file outside the workspace", () => {
    const uris = [{ uri: "file:///w/a.ts" }, { uri: "file:///etc/passwd" }, { uri: "untitled:x" }];
    expect(mask({ result: uris })).toEqual({
      result: [{ uri: "file:///w/a.ts" }, { uri: "<18 characters>" }, { uri: "<10 characters>" }],
    });
  });

  it.each([
    ["file:///w", true],
    ["file:///w/a%20b.ts", true],
    ["file:///wide/a.ts", false],
    ["file:///w/../CANARY/y", false],
    ["file:///w/%2e%2e/CANARY/y", false],
    ["file:///w/.%2E/CANARY/y", false],
    ["file:///CANARY/../w/a.ts", false],
    ["file:///w\\..\\CANARY", false],
    ["file:///w%2f..%2fCANARY", false],
    ["file://host/w/a.ts", false],
    ["file:///w/..a/b..ts", true],
  ])("%s: named is %s", (uri, named) => {
    expect(isNamedInside(uri, ["/w"])).toBe(named);
  });

  it("is bounded in depth, items, members and length, and so is its line", () => {
    const deep = { params: { a: { b: { c: { d: { e: { uri: "file:///w/a" } } } } } } };
    expect(JSON.stringify(mask(deep))).not.toContain("file:");
    const wide = { result: Array.from({ length: 50 }, () => 1) };
    expect(mask(wide)).toEqual({ result: [...Array.from({ length: 20 }, () => 1), "<30 more>"] });
    const keys = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`k${index}`, 1]));
    expect(Object.keys(mask(keys) as object)).toHaveLength(41);
    expect(mask({ uri: `file:///w/${"a".repeat(200)}` })).toEqual({ uri: "<210 characters>" });
    const items = Array.from({ length: 20 }, () => ({
      uri: "file:///w/a.ts",
      kind: 1,
      range: { start: keys },
    }));
    const line = fitting(8_192, (depth) => JSON.stringify(maskWith({ result: { items } }, mayShow, depth)));
    expect(line.length).toBeLessThanOrEqual(8_192);
    expect(line).toContain("items");
  });

  it("prints nothing from settings, not even numbers", () => {
    const params = { settings: { uri: "file:///home/me", pin: 4711 }, initializationOptions: { pin: 4711 } };
    expect(JSON.stringify(mask({ params }))).not.toMatch(/4711|home/);
    expect(maskReply({ jsonrpc: "2.0", id: 3, result: [{ pin: 4711 }] }, mayShow)).toEqual({
      jsonrpc: "2.0",
      id: 3,
      result: "<14 characters>",
    });
  });
});

it("the names of LSP are those that its own types have", () => {
  const types = ["protocol/lib/common/protocol.d.ts", "types/lib/umd/main.d.ts"]
    .map((path) => new URL(`../../node_modules/vscode-languageserver-${path}`, import.meta.url))
    .map((path) => readFileSync(path, "utf8"))
    .join("\n");
  const names = [...types.matchAll(/^ +(\w+)\??: [^(]*;$/gm)].map(([, name]) => name ?? "");
  expect(names.length).toBeGreaterThan(80);
  expect(names.filter((name) => !protocolNames.has(name))).toEqual([]);
});
