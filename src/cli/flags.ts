/** The flags that say which config is meant. They stand apart so that `serve --bundle` need not load the compiler. */
import type { Flags } from "./command.js";

export const configFlags: Flags = {
  config: {
    type: "string",
    short: "c",
    value: "FILE",
    description: "The config, TOML or JSON. Naming it is trusting it.",
  },
  workspace: {
    type: "string",
    short: "w",
    value: "DIR",
    description:
      "The workspace; the current folder when absent. Where it is given, relative folders of a config that was named start there.",
  },
  context: { type: "string", value: "NAME", description: "The profile, over what the config says." },
  "read-only": { type: "boolean", description: "Hides and refuses every tool that does more than read." },
  "trust-workspace": {
    type: "boolean",
    description: "Trusts the workspace for this run: its own config, and its code, which servers may run.",
  },
};
