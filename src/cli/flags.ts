/** Declarations of flags, and the flags that several commands share. */

/** One flag, as `parseArgs` of `node:util` takes it and as `--help` shows it. */
export interface Flag {
  type: "string" | "boolean";
  short?: string;
  multiple?: boolean;
  /** Placeholder for the value in the help text. */
  value?: string;
  description: string;
}

export type Flags = { [name: string]: Flag };

/** Declares a flag without a value. */
export function toggle(description: string, short?: string): Flag {
  return { type: "boolean", description, ...(short === undefined ? {} : { short }) };
}

/** Declares a flag with a value. */
export function option(
  value: string,
  description: string,
  more: Pick<Flag, "short" | "multiple"> = {},
): Flag {
  return { type: "string", value, description, ...more };
}

/** The flags that select the config and the workspace. */
export const configFlags = {
  config: option("FILE", "The config file, TOML or JSON. A config given here is trusted.", { short: "c" }),
  workspace: option(
    "DIR",
    "The workspace; default: the current folder. Relative folders of a config given with --config start here.",
    { short: "w" },
  ),
  context: option("NAME", "The profile to use instead of the config's."),
  "read-only": toggle("Hides and refuses every tool that does more than read."),
  "trust-workspace": toggle(
    "Trusts the workspace for this run: its own config, and its code, which servers may run.",
  ),
} satisfies Flags;

export const bundleFlags = {
  bundle: option("DIR", "A bundle written by `generate`, instead of a config.", { short: "b" }),
  expect: option("sha256-…", "Refuses any other bundle."),
} satisfies Flags;
