import { fileURLToPath, pathToFileURL } from "node:url";
import fc from "fast-check";
import { expect, test } from "vitest";
import { fileUri, plainPath } from "../../src/base/file-uri.js";

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

test("a plain URI names the path that any reader of URIs finds, and whatever is not plain is left to one", () => {
  const odd = fc.constantFrom(
    ".",
    "..",
    "",
    "a",
    "a.b",
    "-x",
    "A_1",
    "%2e%2e",
    "é",
    "a b",
    "a:b",
    "~",
    "?q",
    "#f",
  );
  fc.assert(
    fc.property(
      fc.array(odd, { maxLength: 6 }),
      fc.constantFrom("file:///", "file://", "file:/", "FILE:///"),
      (parts, start) => {
        const uri = `${start}${parts.join("/")}`;
        const path = plainPath(uri);
        if (path !== undefined) expect(path).toBe(fileURLToPath(uri));
        const named = `/${parts.join("/")}`;
        if (/^[\w./-]*$/.test(named))
          expect(fileUri(named)).toBe(pathToFileURL(`${named}_`).href.slice(0, -1));
      },
    ),
  );
  expect(plainPath("file:///w/src/a-b.test.ts")).toBe("/w/src/a-b.test.ts");
});
