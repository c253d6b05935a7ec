/** Finding the files that command line arguments and variables name. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, expect, test } from "vitest";
import { filesNamedIn } from "../../src/lsp/process/argument-files.js";
import { workspace, write } from "./support.js";

const there = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-")));
for (const name of ["hook.mjs", "a.jar", "b.jar", "my hook.cjs", "@scope/tool@2/run.js", "tool.txt"])
  write(join(there, name), "");
afterAll(() => rmSync(there, { recursive: true }));

test.each<[string, string[]]>([
  [`${there}/hook.mjs`, ["hook.mjs"]],
  ["hook.mjs", ["hook.mjs"]],
  ["./hook.mjs", ["hook.mjs"]],
  [`--import=${there}/hook.mjs`, ["hook.mjs"]],
  [`${pathToFileURL(join(there, "hook.mjs"))}`, ["hook.mjs"]],
  [`--import=${pathToFileURL(join(there, "hook.mjs"))}`, ["hook.mjs"]],
  [`--import FILE://localhost${there}/h%6fok.mjs?fresh`, ["hook.mjs"]],
  [`file://${there}/my%20hook.cjs`, ["my hook.cjs"]],
  [`--require "${there}/hook.mjs"`, ["hook.mjs"]],
  [`--require "${there}/my hook.cjs" --no-warnings`, ["my hook.cjs"]],
  ["--require './my hook.cjs'", ["my hook.cjs"]],
  [`--require=${there}/my\\ hook.cjs`, ["my hook.cjs"]],
  [`-javaagent:${there}/a.jar`, ["a.jar"]],
  ["-javaagent:a.jar=option,b.jar", ["a.jar", "b.jar"]],
  [`${there}/a.jar:b.jar`, ["a.jar", "b.jar"]],
  ["a.jar;b.jar", ["a.jar", "b.jar"]],
  [`-Xbootclasspath/a:${there}/a.jar`, ["a.jar"]],
  [`jar:file:${there}/a.jar!/x`, ["a.jar"]],
  [`@${there}/hook.mjs`, ["hook.mjs"]],
  ["@hook.mjs", ["hook.mjs"]],
  [`-r${there}/hook.mjs`, ["hook.mjs"]],
  ["-rhook.mjs", ["hook.mjs"]],
  ["-include./hook.mjs", ["hook.mjs"]],
  [`-Wl,-plugin,${there}/hook.mjs`, ["hook.mjs"]],
  [`{"path":"${there}/hook.mjs"}`, ["hook.mjs"]],
  [`${there}/@scope/tool@2/run.js`, ["@scope/tool@2/run.js"]],
  ["@scope/tool@2/run.js,a.jar", ["@scope/tool@2/run.js", "a.jar"]],
  ["./hook", ["hook.mjs"]],
  [`--import=${there}/hook`, ["hook.mjs"]],
])("%s", (word, names) => {
  expect(filesNamedIn([word], there)).toEqual(names.map((name) => join(there, name)));
});

test.each([
  "--stdio",
  "",
  there,
  "hook",
  "server",
  `${there}/none`,
  "a\0b",
  "x".repeat(5000),
  "/",
  "file://",
])("%j names none", (word) => {
  expect(filesNamedIn([word], there)).toEqual([]);
});

test("a link counts as what it leads to, once", () => {
  const other = workspace({});
  mkdirSync(join(other, "bin"));
  symlinkSync(join(there, "hook.mjs"), join(other, "bin/hook"));
  expect(filesNamedIn([join(other, "bin/hook"), join(there, "hook.mjs")], other)).toEqual([
    join(there, "hook.mjs"),
  ]);
});
