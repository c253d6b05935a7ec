/** Whatever stands in a config: a plan, or problems with a place; never an exception of another kind. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { define, type Json, type JsonObject } from "../../src/base/json.js";
import { ConfigError, type Problem } from "../../src/base/problem.js";
import type { Files } from "../../src/config/files.js";
import { loadConfig } from "../../src/config/load.js";
import { UnusableConfig } from "../../src/config/usable-part.js";
import { buildPlan } from "../../src/plan/build.js";
import { overShipped, request, SHIPPED } from "../config/memory-files.js";
import { holdMemory, nearly, noise, patience, rounds } from "./rounds.js";

holdMemory();

const toml = `extends = ["tools/core"]
[allow]
commands = ["rust-analyzer"]
[limits]
max_items = 20
[[servers]]
id = "rust"
kind = "rust-analyzer"
replies = { "a/b" = [1, { c = "d" }] }
[[tools]]
name = "own"
description = "One."
input = ["position", "symbol"]
output = { shape = "locations" }
request = { method = "textDocument/definition", params = "text_document_position" }
args.deep = { type = "integer", default = 1, description = "How deep." }
[http]
port = 3939
`;
const json = JSON.stringify({
  allow: { commands: ["x"] },
  servers: [{ id: "s", command: ["x", "y"], extensions: ["s"] }],
  tools: [],
});

const kept = new Map<string, ReturnType<Files["read"]>>();
/** The shipped files, each read once. */
function readOnce(files: Files): Files {
  const read: Files["read"] = (path) => {
    if (!path.startsWith(SHIPPED)) return files.read(path);
    if (!kept.has(path)) kept.set(path, files.read(path));
    return kept.get(path);
  };
  return { ...files, read };
}

/** Loads a file and plans what it means, or what is left of it, as the commands do; gives what is wrong with it. */
function load(file: string, content: Uint8Array, found?: { isTrusted: boolean }): string[] {
  const user: { [path: string]: string } = found ? { "/home/me/.config/lsp-proxy/config.toml": toml } : {};
  const how = found ? { isTrusted: () => found.isTrusted } : { configPath: file };
  const codesOf = (problems: readonly Problem[]): string[] => {
    for (const { code, message, fix } of problems) expect([code, message, fix]).not.toContain("");
    return problems
      .filter(({ severity }) => severity === "error")
      .map(({ code, message }) => `${code} ${message}`);
  };
  try {
    const files = readOnce(overShipped({ ...user, [file]: content }));
    const loaded = loadConfig(request({ shipped: SHIPPED, ...how }), files);
    return codesOf(buildPlan(loaded.config, loaded).problems);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    expect(error.problems.length).toBeGreaterThan(0);
    const rest = error instanceof UnusableConfig ? buildPlan(error.rest.config, error.rest).problems : [];
    return [...codesOf(error.problems), ...codesOf(rest)];
  }
}

test("TOML", { timeout: patience }, () => {
  fc.assert(
    fc.property(fc.oneof(nearly(fc.constant(toml)), noise), (bytes) => void load("/w/lspi.toml", bytes)),
    rounds(30),
  );
});

test("JSON", { timeout: patience }, () => {
  const any = fc.json().map((text) => Buffer.from(text));
  fc.assert(
    fc.property(fc.oneof(nearly(fc.constant(json)), any, noise), (bytes) => void load("/w/lspi.json", bytes)),
    rounds(30),
  );
});

/** A config that says something in every table. */
const whole: JsonObject = {
  workspace: { roots: ["."], extra_roots: ["/usr/include"], deny: ["**/.env"] },
  allow: { commands: ["x", "rust-analyzer"], effects: ["read", "edit"], env: ["PATH"], hosts: ["build.lan"] },
  limits: { max_items: 20, max_bytes: 100_000, timeout_ms: 5000 },
  mcp: { context: "full", name: "fuzzed", tools: { exclude: ["get_hover"] }, output: {} },
  http: { port: 4000, allowed_hosts: ["a"], strict: true, older_handshakes: ["2025-06-18"] },
  dialect: {
    position: { line_base: 0 },
    members: { ok: "" },
    errors: { form: "result", codes: { "*": "X" } },
  },
  servers: [
    { id: "s", command: ["x", "y"], extensions: ["s"], sandbox: "read_only", limits: { nice: 5 } },
    {
      id: "rust",
      kind: "rust-analyzer",
      initialize_options: { a: { b: [1] } },
      ready: { notification: "x/ready" },
    },
  ],
  methods: [{ method: "x/y", servers: ["s"] }],
  tools: [
    {
      name: "one",
      description: "One.",
      input: "position",
      output: { shape: "locations" },
      args: { deep: { type: "integer", default: 1, description: "How deep." } },
      steps: [{ id: "a", method: "textDocument/definition", params: "text_document_position" }],
    },
    {
      name: "two",
      description: "Two.",
      input: "workspace",
      output: { shape: "text" },
      request: { method: "x/y" },
    },
  ],
};

/** The places of a tree, each as the way to it. */
function waysIn(value: Json, way: string[] = []): string[][] {
  if (typeof value !== "object" || value === null) return [way];
  return [way, ...Object.entries(value).flatMap(([key, inner]) => waysIn(inner as Json, [...way, key]))];
}

const at = (tree: Json, way: readonly string[]): Json =>
  way.reduce<Json>((inner, key) => (inner as { [key: string]: Json })[key] ?? null, tree);

const odd = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom<Json>(-1, 0, 1e308, "", " ", "__proto__", "*", "x".repeat(5000), [], {}, [[]], null, true),
);
const bend = fc.record({
  at: fc.nat(),
  from: fc.nat(),
  to: odd,
  how: fc.constantFrom("put", "move", "drop", "rename"),
});

/** Trees that are nearly a config: values replaced, put where others were, taken out or given another name. */
const bent = fc.array(bend, { minLength: 1, maxLength: 3 }).map((bends) => {
  const tree = structuredClone(whole);
  for (const { at: place, from, to, how } of bends) {
    const ways = waysIn(tree).slice(1);
    const pick = (index: number): string[] => ways[index % ways.length] ?? [];
    const way = pick(place);
    const parent = at(tree, way.slice(0, -1)) as { [key: string]: Json };
    const last = way.at(-1) ?? "";
    if (how === "put") define(parent, last, to);
    if (how === "move") define(parent, last, structuredClone(at(tree, pick(from))));
    if (how === "rename") define(parent, `${last}_`, at(tree, way));
    if (how === "rename" || how === "drop") delete parent[last];
  }
  return Buffer.from(JSON.stringify(tree));
});

test("what the changes begin with is good", () => {
  expect(load("/w/lspi.toml", Buffer.from(toml))).toEqual([]);
  expect(load("/w/lspi.json", Buffer.from(json))).toEqual([]);
  expect(load("/w/lspi.json", Buffer.from(JSON.stringify(whole)))).toEqual([]);
});

test("what each stage makes of a tree: named, found, and found where it is trusted", {
  timeout: patience,
}, () => {
  let good = 0;
  const { numRuns } = rounds(10);
  fc.assert(
    fc.property(bent, (bytes) => {
      good += load("/w/lspi.json", bytes).length === 0 ? 1 : 0;
      for (const isTrusted of [true, false]) load("/w/lspi.json", bytes, { isTrusted });
    }),
    rounds(10),
  );
  // A fuzz that only ever meets refusals looks at no later stage.
  expect(good).toBeGreaterThan(numRuns / 50 - 1);
});
