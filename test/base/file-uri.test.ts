import { fileURLToPath, pathToFileURL } from "node:url";
import fc from "fast-check";
import { expect, test } from "vitest";
import { fileUri } from "../../src/base/file-uri.js";

test.each(["/", "/a b/c.ts", "/a#b?c%d.ts", "/é/😀.ts"])("%s is spelt as everybody does", (path) => {
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
    }),
  );
});
