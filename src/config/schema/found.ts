/**
 * What a config that was merely found in a workspace may say, declared with each key so that no key is forgotten. Every word
 * compares with a bound: what holds without that config while nobody trusts it, and what the user wrote once it is trusted.
 */

/** What happens to a value beyond its bound. */
export type FoundWord =
  /** Says nothing by itself: taken as it is. */
  | "free"
  /** Needs trust when it changes anything; then taken where the user wrote nothing. */
  | "asks"
  /** Needs trust; then it stays what the user wrote. */
  | "fixed"
  /** A number that may only become less; more is held back. */
  | "least"
  /** A number that may only become more; less is held back. */
  | "most"
  /** A time that may only become less, where 0 means never. */
  | "sooner"
  /** May only be switched on. */
  | "only_true"
  /** May only be switched off. */
  | "only_false"
  /** A list of which only what is in the bound counts; more needs trust. */
  | "within"
  /** Folders that must lie in those of the bound; others need trust. */
  | "inside"
  /** A list that is added to the bound. */
  | "joined"
  /** A list that chooses from the bound, where empty means everything. */
  | "chosen"
  /** A choice of features (`only` or `except`) that may only become smaller. */
  | "fewer"
  /** A confinement that may only become stricter. */
  | "confined";

/** How a key says it. */
export type FoundRule = {
  found: FoundWord;
  /** What is asked for, in words, before each of the values where there are several. */
  words?: string;
  /** Trusted or not, what a config that says nothing gets counts as the user's word. */
  firm?: true;
  /** Where nobody says it there is no bound, so that any value is less. */
  open?: true;
};

/** A rule for a key's `meta`. */
export function found(word: FoundWord, words?: string): FoundRule {
  return words === undefined ? { found: word } : { found: word, words };
}

/** The same for what is boundless until somebody says it. */
export function open(word: FoundWord): FoundRule {
  return { ...found(word), open: true };
}

/** The same, also against what the user left to the default. */
export function firm(word: FoundWord, words?: string): FoundRule {
  return { ...found(word, words), firm: true };
}
