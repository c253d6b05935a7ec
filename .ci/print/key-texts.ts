/** Reads the defaults, example configs and messages of `.ci/print/`, which only the printer and its tests use. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "smol-toml";
import type { JsonObject } from "../../src/base/json.js";
import { sortedSet } from "../../src/base/order.js";
import type { KeyTexts } from "./config-keys.js";

/** `folder` is `.ci/print`. */
export function readKeyTexts(folder: string): KeyTexts {
  const { values, words } = readToml(join(folder, "defaults.toml")) as Pick<KeyTexts, "values" | "words">;
  const examples = sortedSet(readdirSync(join(folder, "examples")));
  return { values, words, examples: examples.map((name) => readToml(join(folder, "examples", name))) };
}

/** A message for each code. */
export function readMessages(folder: string): { [code: string]: string } {
  return readToml(join(folder, "messages.toml")) as { [code: string]: string };
}

function readToml(file: string): JsonObject {
  return parse(readFileSync(file, "utf8")) as JsonObject;
}
