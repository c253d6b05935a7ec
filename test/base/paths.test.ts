import { fileURLToPath, pathToFileURL } from "node:url";
import fc from "fast-check";
import { expect, test } from "vitest";
import { fileUri, isInside, pathOfUri } from "../../src/base/paths.js";

test.each(["/", "/a b/c.ts", "/a#b?c%d.ts", "/é/😀.ts"])("%s has the same URI as in Node", (path) => {
  expect(fileUri(path)).toBe(pathToFileURL(path).href);
});

test("every file has its own URI, also with blanks and control characters at the end of its name", () => {
  for (const path of ["/a ", "/a\u0001", "/a\t", "/a\n", "/a/ "])
    expect(fileURLToPath(fileUri(path))).toBe(path);
  const name = fc
    .string({ unit: "grapheme", minLength: 1 })
    .filter((text) => !/[/\0\\]/.test(text) && !/^\.+$/.test(text));
  fc.assert(
    fc.property(name, (text) => {
      expect(fileURLToPath(fileUri(`/w/${text}`))).toBe(`/w/${text}`);
      expect(pathOfUri(fileUri(`/w/${text}`))).toBe(`/w/${text}`);
    }),
  );
});

test.each([undefined, 1, "", "http://a/b", "file://host/a", "file:///a%2fb"])(
  "%s has no path of a local file",
  (uri) => {
    expect(pathOfUri(uri)).toBeUndefined();
  },
);

test("a folder contains itself and what is below it, not its neighbours", () => {
  expect(["/w", "/w/a", "/w/..a"].map((path) => isInside(path, "/w"))).toEqual([true, true, true]);
  expect(["/", "/wa", "/v/a"].map((path) => isInside(path, "/w"))).toEqual([false, false, false]);
});
