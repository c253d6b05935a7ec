/** Measures a config text before it is parsed: parsers need far more time and memory for each token than this does. */

/** Tokens of one config with everything that it extends. */
export const MAX_TOKENS = 20_000;
/** Tokens of another program's file. Some keep their history in their config. */
export const MAX_OTHER_TOKENS = 500_000;

/**
 * Strings, comments, brackets, signs and bare words of TOML and JSON. It never fails, so it reads each character once.
 */
const TOKEN =
  /"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:[^"\\\n]+|\\.)*"?|'[^'\n]*'?|#[^\n]*|[[\]{}=,:.]|[^\s"'#[\]{}=,:.]+/g;

/** The number of tokens, at most one more than `most`; and the first bracket that nests deeper than `depth`. */
export function measure(text: string, most: number, depth: number): { tokens: number; deepAt?: number } {
  let tokens = 0;
  let level = 0;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    tokens++;
    if (tokens > most) break;
    if (token === "[" || token === "{") level++;
    if (token === "]" || token === "}") level--;
    if (level > depth) return { tokens, deepAt: index };
  }
  return { tokens };
}
