/**
 * docs/config.md and configs/schema.json tell the truth about every key. Each has an example from a config that is
 * valid, a default that changes nothing when it is written out, and an example that does change something.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { annotatedSchema, exampleOf, type KeyFacts, keyFacts } from "../../.ci/print/config-keys.js";
import { readKeyTexts } from "../../.ci/print/key-texts.js";
import { sha256 } from "../../src/base/hash.js";
import { canonicalPretty, isTable, type Json, type JsonObject } from "../../src/base/json.js";
import { ConfigError, type Problem } from "../../src/base/problem.js";
import { configJsonSchema } from "../../src/config/schema.js";
import { textProblems } from "../../src/emit/texts.js";
import { buildPlan } from "../../src/plan/build.js";
import { run } from "../cli/run.js";
import { templates } from "../emit/support.js";
import { loadText } from "../plan/config.js";

const texts = readKeyTexts(fileURLToPath(new URL("../../.ci/print/", import.meta.url)));
const keys = keyFacts(configJsonSchema(), texts);
const named = (test: (key: KeyFacts) => boolean) =>
  keys.filter(test).map((key): [string, KeyFacts] => [key.path, key]);

/** Keys that say something to people or editors only, or that only the loader reads. */
const unseenInPlan = ["$schema", "version", "mcp.sealed", "servers[].probe.args"];

interface Meaning {
  text: string;
  problems: string[];
}
const meanings = new Map<string, Meaning>();

/** The plan and the problems of a config, as text: what the program makes of it. Many keys ask for the same configs. */
function meaningOf(config: JsonObject): Meaning {
  const text = JSON.stringify(config);
  const meaning = meanings.get(text) ?? compiled(text);
  meanings.set(text, meaning);
  return meaning;
}

function compiled(config: string): Meaning {
  try {
    const loaded = loadText(config, "json");
    const { plan, problems } = buildPlan(loaded.config, loaded);
    const all = [...loaded.warnings, ...problems, ...textProblems(plan, plan.tools, templates)];
    return { text: sha256(JSON.stringify(plan)), problems: all.map(({ code }: Problem) => code) };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { text: "", problems: error.problems.map(({ code }) => code) };
  }
}

/** An example config that has the key, and copies of it with another value or without the key. */
function exampleWith(key: KeyFacts) {
  const { config, pointer: place } = exampleOf(key, texts.examples) ?? {};
  if (config === undefined || place === undefined) throw new Error(`no example has ${key.path}`);
  const changed = (value: Json | undefined): JsonObject => {
    const copy = structuredClone(config);
    const name = place.at(-1) ?? "";
    const table = place.slice(0, -1).reduce<unknown>((at, step) => (at as JsonObject)[step], copy);
    if (!isTable(table)) throw new Error(`${key.path} is not in a table`);
    if (value === undefined) delete table[name];
    else table[name] = value;
    return copy;
  };
  return { config, changed };
}

describe("the example configs", () => {
  it.each(texts.examples.map((config, index) => [index + 1, config]))("%i is valid", (_, config) => {
    expect(meaningOf(config as JsonObject).problems).toEqual([]);
  });
});

describe("every key", () => {
  it.each(named(() => true))("%s has a sentence, an example and a default", (_, key) => {
    const { description } = key.schemas[0];
    expect(description).toMatch(/^[A-Z`"].*[.)]$/s);
    expect(String(description).split(/\s+/).length).toBeGreaterThan(2);
    expect(key.example).toBeDefined();
  });

  it("has one source for its default", () => {
    const paths = keys.map(({ path }) => path);
    const written = [...Object.keys(texts.values), ...Object.keys(texts.words)];
    expect(written.filter((path) => !paths.includes(path))).toEqual([]);
    const required = keys.filter(({ required }) => required).map(({ path }) => path);
    expect(written.filter((path) => required.includes(path))).toEqual([]);
    const planned = keyFacts(configJsonSchema(), { ...texts, values: {} }).filter(
      ({ path, value }) => value !== undefined && texts.values[path] !== undefined,
    );
    expect(planned.map(({ path }) => path)).toEqual([]);
  });
});

describe("a default", () => {
  it.each(named(({ value }) => value !== undefined))("of %s changes nothing when it is written", (_, key) => {
    const { changed } = exampleWith(key);
    const without = meaningOf(changed(undefined));
    expect(meaningOf(changed(key.value))).toEqual(without);
    expect(JSON.stringify(key.example)).not.toBe(JSON.stringify(key.value));
  });

  it.each(named(({ required }) => required))("is required for %s", (_, key) => {
    expect(meaningOf(exampleWith(key).changed(undefined)).problems).toContain("config/missing-key");
  });
});

describe("an example", () => {
  const seen = named(({ path, required }) => !required && !unseenInPlan.includes(path));
  it.each(seen)("of %s means something else than its absence", (_, key) => {
    const { config, changed } = exampleWith(key);
    expect(meaningOf(changed(undefined))).not.toEqual(meaningOf(config));
  });
});

describe("the schema for editors", () => {
  it("has the default and the example of every key", () => {
    const annotated = keyFacts(annotatedSchema(configJsonSchema(), texts), texts);
    for (const { path, schemas, value, example } of annotated)
      for (const schema of schemas) {
        expect(schema.examples, path).toEqual([example]);
        expect(schema.default, path).toEqual(value);
      }
  });

  it("is what the package has and what `lsp-proxy schema` prints, and accepts the examples", async () => {
    const shipped = readFileSync(new URL("../../configs/schema.json", import.meta.url), "utf8");
    expect(shipped).toBe(canonicalPretty(annotatedSchema(configJsonSchema(), texts)));
    expect((await run(["schema"])).stdout).toBe(shipped);
    const isValid = new Ajv2020({ strict: false }).compile(JSON.parse(shipped));
    for (const config of texts.examples) expect(isValid(config), JSON.stringify(isValid.errors)).toBe(true);
  });
});
