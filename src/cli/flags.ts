/** Declarations of flags, and the flags that several commands share. */

/** One flag, as `parseArgs` of `node:util` takes it and as `--help` shows it. */
export interface Flag {
  type: "string" | "boolean";
  short?: string;
  multiple?: boolean;
  /** Placeholder for the value in the help text. */
  value?: string;
  description: string;
  /** The default, in words. `parseArgs` would take a member `default` for a value. */
  absent?: string;
  /** The only values that it takes, where the placeholder does not list them. */
  values?: readonly string[];
}

export type Flags = { [name: string]: Flag };

/** Declares a flag without a value. */
export function toggle(description: string, short?: string): Flag {
  return { type: "boolean", description, ...(short === undefined ? {} : { short }) };
}

/** Declares a flag with a value. */
export function option(value: string, description: string, short?: string): Flag {
  return { type: "string", value, description, ...(short === undefined ? {} : { short }) };
}

/** The flag with its default, in words. */
export function withDefault(flag: Flag, words: string): Flag {
  return { ...flag, absent: words };
}

/** The only values that a flag takes; none when it takes any. */
export function valuesOf({ value = "", values }: Flag): readonly string[] {
  return values ?? (value.includes("|") ? value.split("|") : []);
}

/** The flags of every command. */
export const commonFlags = {
  directory: withDefault(option("DIR", "Runs the command in this folder.", "C"), "the current folder"),
  help: toggle("Shows the usage, the options and examples.", "h"),
} satisfies Flags;

/**
 * Set where a host started the proxy by an environment variable: `mcp` where it passed the descriptors 3 and 4 for MCP,
 * `alone` where it has its own channel only. Not a flag of the command line.
 */
export const HOST = "host";

/** The flags that select the config and the workspace. */
export const configFlags = {
  config: withDefault(
    option("FILE", "The config file, TOML or JSON. It is trusted, and so is its workspace.", "c"),
    "the one in the workspace, if there is one",
  ),
  workspace: withDefault(
    option("DIR", "The workspace.", "w"),
    "the folder of the config, or the current one",
  ),
  context: withDefault(option("NAME", "The profile."), "the config's"),
  "read-only": toggle("Hides and refuses every tool that does more than read."),
  "trust-workspace": toggle("Trusts the workspace's config and code, which servers may run, for this run."),
} satisfies Flags;

export const bundleFlags = {
  bundle: option("DIR", "A bundle written by `generate`, instead of a config.", "b"),
  expect: option("sha256-…", "Refuses any other bundle."),
} satisfies Flags;

export const logLevels = ["debug", "info", "warn", "error"] as const;

export const logFlags: Flags = {
  "log-level": { ...option("LEVEL", "debug, info, warn or error."), absent: "warn", values: logLevels },
  "log-file": option("FILE", "Appends the log to a file instead of stderr."),
  "log-json": toggle("Writes one JSON document per line."),
};

export const traceFlags: Flags = {
  trace: option("FILE", "Appends the MCP and LSP messages to a file as lines of JSON, texts masked."),
  "trace-text": toggle("Does not mask the texts in the trace: code, settings, everything."),
};
