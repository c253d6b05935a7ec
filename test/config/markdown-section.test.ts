/** The digest of a stamped text: any edit is detected, changed line breaks are not. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { isUntouched, stamped } from "../../src/config/edit/markdown-section.js";

const MARK = "made by us";
const text = stamped(`# A title\n<!-- ${MARK} -->\n\nSome words.\n`, MARK);

it("knows its own text, with any line breaks and with or without the last one", () => {
  expect(text).toMatch(/made by us \([0-9a-f]{12}\) -->/);
  for (const same of [text, text.replaceAll("\n", "\r\n"), text.trimEnd()])
    expect(isUntouched(same, MARK)).toBe(true);
});

it("sees every edit, and a stamp that is not there", () => {
  for (const other of ["", "Some words.", text.replace(/ \([0-9a-f]+\)/, ""), `${text}More.\n`, `x${text}`])
    expect(isUntouched(other, MARK)).toBe(false);
  const edit = fc.tuple(fc.nat(text.trimEnd().length - 1), fc.constantFrom("a", "Z", "#", "\u00e9", "~"));
  fc.assert(
    fc.property(edit, ([at, piece]) => {
      expect(isUntouched(text.slice(0, at) + piece + text.slice(at), MARK)).toBe(false);
    }),
  );
});
