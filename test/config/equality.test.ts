import fc from "fast-check";
import { stringify } from "smol-toml";
import { expect, test } from "vitest";
import { canonicalText, type JsonObject } from "../../src/base/json.js";
import { loadConfig } from "../../src/config/load.js";
import { overShipped, request, SHIPPED } from "./memory-files.js";

const load = (file: string, text: string) =>
  loadConfig(request({ shipped: SHIPPED, configPath: file }), overShipped({ [file]: text }));

/** The same tree with the keys of every table in another order. */
function shuffled(tree: unknown, seed: number): unknown {
  if (Array.isArray(tree)) return tree.map((item) => shuffled(item, seed));
  if (typeof tree !== "object" || tree === null) return tree;
  const keys = Object.keys(tree);
  const turned = keys.map((_, index) => keys[(index * 7 + seed) % keys.length] ?? "");
  const order = new Set([...turned, ...keys.toReversed()]);
  return Object.fromEntries([...order].map((key) => [key, shuffled((tree as JsonObject)[key], seed)]));
}

const word = fc.stringMatching(/^[a-z]{1,8}$/);
const value = fc.oneof(fc.string({ unit: "grapheme" }), fc.integer(), fc.boolean(), fc.array(word));
const settings = fc.dictionary(word, fc.oneof(value, fc.dictionary(word, value)));
const config = fc.record(
  {
    servers: fc.uniqueArray(
      fc.record(
        {
          id: word,
          kind: fc.constantFrom("pyright", "rust_analyzer"),
          workspace_configuration: settings,
          env: fc.dictionary(word, word),
        },
        { requiredKeys: ["id"] },
      ),
      { selector: ({ id }) => id, maxLength: 3 },
    ),
    limits: fc.record({ max_items: fc.integer({ min: 1, max: 5000 }) }),
    mcp: fc.record({ context: fc.constantFrom("codex", "full", "default") }),
  },
  { requiredKeys: [] },
);

test("TOML and JSON, and keys in any order, are one config", () => {
  fc.assert(
    fc.property(config, fc.nat(50), (tree, seed) => {
      const plain = JSON.parse(JSON.stringify(tree)) as JsonObject;
      const toml = load("/w/c.toml", stringify(plain));
      const json = load("/w/c.json", JSON.stringify(shuffled(plain, seed), null, 1));
      expect(canonicalText(json.config)).toBe(canonicalText(toml.config));
      for (const pointer of ["/tools/0", "/servers/0/command", "/servers/0/id"])
        expect(json.origin(pointer)).toBe(toml.origin(pointer));
    }),
    { numRuns: 50 },
  );
});
