/** Any character, for texts of properties. fast-check's own unit `binary` builds a table of all of them each time it is used. */
import fc from "fast-check";

const SURROGATES = 0x800;
const FIRST_SURROGATE = 0xd800;
const LAST = 0x10ffff;

/** Every code point but the surrogates; one of the first 128 in half of the cases. */
export const character = fc
  .oneof(fc.nat(127), fc.nat(LAST - SURROGATES))
  .map((code) => String.fromCodePoint(code < FIRST_SURROGATE ? code : code + SURROGATES));
