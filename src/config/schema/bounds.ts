/** The tables `workspace`, `allow` and `limits`: what may be read, started and used. */
import * as z from "zod";
import {
  atMost,
  defaultIsLimit,
  effect,
  labelled,
  milliseconds,
  nonEmpty,
  optional,
  optionalSet,
  positive,
  sequence,
} from "./values.js";

export const workspace = z.strictObject({
  roots: optional(
    z.array(nonEmpty).min(1),
    sequence(
      "Folders that may be read. Relative to the folder of the config, or to `--workspace` if given. Relative paths of a call start from the first one.",
    ),
    labelled("inside", "the folder"),
  ),
  extra_roots: optionalSet(
    z.string().regex(/^(\/|[A-Za-z]:[\\/]|\\\\)/, "an absolute path"),
    "Absolute folders that may be read, never written: toolchain sources, vendored code. Servers of the workspace open their files, so these folders are trusted like the workspace.",
    labelled("inside", "the folder"),
  ),
  deny: optionalSet(
    nonEmpty,
    "Globs of paths that are refused, relative to each root. `**/.git/**` is always refused.",
    defaultIsLimit("union"),
  ),
});

export const allow = z.strictObject({
  commands: optionalSet(nonEmpty, "The only programs that may be started: names or full paths.", "subset"),
  hosts: optionalSet(
    nonEmpty,
    "Other machines whose language servers may be connected to (`transport.tcp`). The connection is not encrypted.",
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

export const limits = z.strictObject({
  max_items: atMost(positive.max(20_000), "Items in one answer."),
  max_bytes: atMost(z.int().min(16_384).max(8_000_000), "Bytes of one answer."),
  max_message_bytes: atMost(z.int().min(65_536).max(1_073_741_824), "Bytes of one LSP message."),
  max_file_bytes: atMost(z.int().min(1024).max(1_073_741_824), "Bytes of a file sent to a server."),
  timeout_ms: atMost(milliseconds.min(100), "Longest time for one call."),
  max_servers: atMost(positive.max(256), "Language servers at once; the longest idle one is stopped."),
  max_open_documents: atMost(positive.max(10_000), "Open documents in one server; the oldest is closed."),
  cache_bytes: optional(z.int().min(0).max(268_435_456), "Has no effect: there is no answer cache.", "any"),
});
