/**
 * What a config discovered in a workspace may set, declared with each key of the schema. A rule compares the value with a
 * limit: the effective value without that config while it is untrusted, and what the user wrote once it is trusted.
 */

export type RuleName =
  /** Any value is accepted. */
  | "any"
  /** A change needs trust; then it counts where the user wrote nothing. */
  | "needs_trust"
  /** A change needs trust; even then the user's value wins. */
  | "fixed"
  /** A number that may only be lowered. */
  | "at_most"
  /** A number that may only be raised. */
  | "at_least"
  /** A time that may only be lowered, where 0 means never. */
  | "at_most_or_never"
  /** May only be switched on. */
  | "only_true"
  /** May only be switched off. */
  | "only_false"
  /** A list: only items of the limit count; others need trust. */
  | "subset"
  /** Folders: they must lie inside those of the limit; others need trust. */
  | "inside"
  /** A list that is added to the limit. */
  | "union"
  /** A list that selects from the limit, where empty means everything. */
  | "selection"
  /** A choice of features (`only` or `except`) that may only become smaller. */
  | "fewer_features"
  /** A sandbox that may only become stricter. */
  | "stricter_sandbox";

export interface DiscoveredRule {
  rule: RuleName;
  /** What is asked for, in the question to the user; each value follows it where there are several. */
  label?: string;
  /** The default counts as the user's own value, also once the config is trusted. */
  defaultIsLimit?: true;
  /** Without a value of the user's there is no limit, so that any value is accepted. */
  unlimited?: true;
}

export function labelled(rule: RuleName, label: string): DiscoveredRule {
  return { rule, label };
}

/** A rule for a key that has no limit until somebody sets one. */
export function unlimited(rule: RuleName): DiscoveredRule {
  return { rule, unlimited: true };
}

/** A rule for a key whose default counts as the user's own value. */
export function defaultIsLimit(rule: RuleName, label?: string): DiscoveredRule {
  return { rule, ...(label === undefined ? {} : { label }), defaultIsLimit: true };
}
