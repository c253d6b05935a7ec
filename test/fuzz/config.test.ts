/** Whatever stands in a config: a plan, or problems with a place; never an exception of another kind. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { ConfigError } from "../../src/base/problem.js";
import { loadConfig } from "../../src/config/load.js";
import { buildPlan } from "../../src/plan/build.js";
import { overShipped, request } from "../config/memory-files.js";
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

function load(file: string, content: Uint8Array): void {
  try {
    const loaded = loadConfig(
      request({ workspace: "/w", configPath: file }),
      overShipped({ [file]: content }),
    );
    for (const { code, message } of buildPlan(loaded.config, loaded).problems)
      expect(code + message).not.toBe("");
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    expect(error.problems.length).toBeGreaterThan(0);
    for (const { code, message, fix } of error.problems)
      expect([code, message, fix].every((text) => text !== "")).toBe(true);
  }
}

test("TOML", { timeout: patience }, () => {
  fc.assert(
    fc.property(fc.oneof(nearly(fc.constant(toml)), noise), (bytes) => load("/w/lspi.toml", bytes)),
    rounds(60),
  );
});

test("JSON", { timeout: patience }, () => {
  const any = fc.json().map((text) => Buffer.from(text));
  fc.assert(
    fc.property(fc.oneof(nearly(fc.constant(json)), any, noise), (bytes) => load("/w/lspi.json", bytes)),
    rounds(60),
  );
});
