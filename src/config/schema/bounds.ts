/** What may be seen, done and used: `workspace`, `allow`, `limits`. */
import * as z from "zod";
import { defaultIsLimit, labelled } from "./discovered-rules.js";
import { effect, milliseconds, nonEmpty, optional, optionalSet, positive, sequence } from "./values.js";

/** The table `workspace`. */
export const workspace = z.strictObject({
  roots: optional(
    z.array(nonEmpty).min(1),
    sequence(
      "Folders that may be read. Relative to the folder of the config, or to `--workspace` where that is given; the first is where relative paths of a call start.",
    ),
    labelled("inside", "the folder"),
  ),
  extra_roots: optionalSet(
    z.string().regex(/^(\/|[A-Za-z]:[\\/]|\\\\)/, "an absolute path"),
    "Absolute folders that may be read, never written: toolchain sources, vendored code. Servers of the workspace open their files, so a folder is as trusted as the workspace.",
    labelled("inside", "the folder"),
  ),
  deny: optionalSet(
    nonEmpty,
    "Globs of paths that are refused, relative to each root, besides `**/.git/**`, which always is.",
    defaultIsLimit("union"),
  ),
});

/** The table `allow`. */
export const allow = z.strictObject({
  commands: optionalSet(
    nonEmpty,
    "The only programs that may be started: bare names or absolute paths. No globs, no shell.",
    "subset",
  ),
  hosts: optionalSet(
    nonEmpty,
    "Other machines on which a language server may be reached (`transport.tcp`). What is said to it is not encrypted.",
    labelled("subset", "language servers on"),
  ),
  effects: optionalSet(
    effect,
    "Which tools are listed and callable.",
    labelled("subset", "tools with the effect"),
  ),
  env: optionalSet(
    z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "the name of an environment variable"),
    "Environment variables that a language server inherits.",
    labelled("subset", "the variable"),
  ),
});

/** The table `limits`. */
export const limits = z.strictObject({
  max_items: optional(positive.max(20_000), "Items in one answer.", "at_most"),
  max_bytes: optional(z.int().min(16_384).max(8_000_000), "Bytes of one answer.", "at_most"),
  max_message_bytes: optional(z.int().min(65_536).max(1_073_741_824), "Bytes of one LSP message.", "at_most"),
  max_file_bytes: optional(
    z.int().min(1024).max(1_073_741_824),
    "Bytes of a file that is sent to a server.",
    "at_most",
  ),
  timeout_ms: optional(milliseconds.min(100), "Longest time for one call.", "at_most"),
  max_servers: optional(
    positive.max(256),
    "Language servers running at once; the idlest stops first.",
    "at_most",
  ),
  max_open_documents: optional(
    positive.max(10_000),
    "Documents open in one server; the oldest is closed first.",
    "at_most",
  ),
  cache_bytes: optional(
    z.int().min(0).max(268_435_456),
    "Has no effect: there is no answer cache any more.",
    "any",
  ),
});
