/** What the matrix tries out is in the catalogue and has a sample, and what it saw last is enough of it. */
import { readFileSync } from "node:fs";
import { parse } from "smol-toml";
import { expect, test } from "vitest";
import type { JsonObject } from "../../src/base/json.js";
import { openCatalogue } from "../../src/cli/presets.js";
import { sampleFor } from "../../src/cli/verify/sample.js";

const read = (name: string) => readFileSync(new URL(name, import.meta.url), "utf8");
const servers = parse(read("servers.toml")) as { [id: string]: JsonObject };
const results = JSON.parse(read("results.json")) as { [id: string]: JsonObject };
const catalogue = openCatalogue();
const keys = ["npm", "pip", "deb", "cargo", "go", "maven"].concat([
  "overrides",
  "script",
  "scripts",
  "runs",
  "main",
  "command",
  "note",
]);

test("every server of the matrix has a preset, a sample and known keys", () => {
  for (const [id, entry] of Object.entries(servers)) {
    const preset = catalogue.preset(id)?.config;
    expect(preset?.id, id).toBe(id);
    expect(preset && sampleFor(preset)?.name, id).toBeDefined();
    for (const key of Object.keys(entry)) expect(keys, `${id}: ${key}`).toContain(key);
  }
});

test("results are only of tested servers, and give the reason for each failure", () => {
  expect(Object.keys(results).filter((id) => servers[id] === undefined)).toEqual([]);
  for (const [id, card] of Object.entries(results))
    if (card.ok !== true) expect(card.failure ?? card.probes, id).toBeDefined();
});

test("at least seventy servers were right, at least fifty of them from npm", () => {
  const right = Object.values(results).filter(({ ok }) => ok === true);
  expect(right.length).toBeGreaterThanOrEqual(70);
  expect(right.filter(({ source }) => source === "npm").length).toBeGreaterThanOrEqual(50);
});
