import { expect, it } from "vitest";
import { argumentMeant } from "../../src/base/argument-hint.js";

const pointing = ["file_path", "line", "character", "symbol_name", "symbol_kind", "line_text", "page_size"];

it.each<[string, string | undefined]>([
  ["column", "character"],
  ["col", "character"],
  ["uri", "file_path"],
  ["path", "file_path"],
  ["file", "file_path"],
  ["filePath", "file_path"],
  ["position", "line and character"],
  ["symbol", "symbol_name"],
  ["name", "symbol_name"],
  ["symbl_name", "symbol_name"],
  ["text", "line_text"],
  ["zzz", undefined],
])("of %s, %s is meant", (given, meant) => {
  expect(argumentMeant(given, pointing)).toBe(meant);
});

it.each([
  ["symbol", ["query", "page_size"], "query"],
  ["name", ["query", "page_size"], "query"],
  ["new_text", ["file_path", "symbol_name", "body"], "body"],
  ["text", ["file_path", "symbol_name", "body"], "body"],
  ["content", ["file_path", "symbol_name", "body"], "body"],
  ["character", ["uri", "line", "column"], "column"],
])("of %s for a tool with %j, %s is meant", (given, known, meant) => {
  expect(argumentMeant(given, known)).toBe(meant);
});
