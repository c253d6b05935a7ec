/** What may be seen, done and used: `workspace`, `allow`, `limits`. */
import * as z from "zod";
import { firm, found } from "./found.js";
import { effect, milliseconds, positive, sequence, set } from "./values.js";

/** The table `workspace`. */
export const workspace = z.strictObject({
  roots: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .meta(
      sequence(
        "Folders that may be read. Relative to the folder of the config, or to `--workspace` where that is given; the first is where relative paths of a call start.",
      ),
    )
    .meta(found("inside", "the folder")),
  extra_roots: z
    .array(z.string().regex(/^(\/|[A-Za-z]:[\\/]|\\\\)/, "an absolute path"))
    .optional()
    .meta(
      set(
        "Absolute folders that may be read, never written: toolchain sources, vendored code. Servers of the workspace open their files, so a folder is as trusted as the workspace.",
      ),
    )
    .meta(found("inside", "the folder")),
  deny: z
    .array(z.string().min(1))
    .optional()
    .meta(
      set("Globs of paths that are refused, relative to each root, besides `**/.git/**`, which always is."),
    )
    .meta(firm("joined")),
});

/** The table `allow`. */
export const allow = z.strictObject({
  commands: z
    .array(z.string().min(1))
    .optional()
    .meta(set("The only programs that may be started: bare names or absolute paths. No globs, no shell."))
    .meta(found("within")),
  hosts: z
    .array(z.string().min(1))
    .optional()
    .meta(
      set(
        "Other machines on which a language server may be reached (`transport.tcp`). What is said to it is not encrypted.",
      ),
    )
    .meta(found("within", "language servers on")),
  effects: z
    .array(effect)
    .optional()
    .meta(set("Which tools are listed and callable."))
    .meta(found("within", "tools with the effect")),
  env: z
    .array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "the name of an environment variable"))
    .optional()
    .meta(set("Environment variables that a language server inherits."))
    .meta(found("within", "the variable")),
});

/** The table `limits`. */
export const limits = z.strictObject({
  max_items: positive.max(20_000).optional().describe("Items in one answer.").meta(found("least")),
  max_bytes: z
    .int()
    .min(16_384)
    .max(8_000_000)
    .optional()
    .describe("Bytes of one answer.")
    .meta(found("least")),
  max_message_bytes: z
    .int()
    .min(65_536)
    .max(1_073_741_824)
    .optional()
    .describe("Bytes of one LSP message.")
    .meta(found("least")),
  max_file_bytes: z
    .int()
    .min(1024)
    .max(1_073_741_824)
    .optional()
    .describe("Bytes of a file that is sent to a server.")
    .meta(found("least")),
  timeout_ms: milliseconds.min(100).optional().describe("Longest time for one call.").meta(found("least")),
  max_servers: positive
    .max(256)
    .optional()
    .describe("Language servers running at once; the idlest stops first.")
    .meta(found("least")),
  max_open_documents: positive
    .max(10_000)
    .optional()
    .describe("Documents open in one server; the oldest is closed first.")
    .meta(found("least")),
  cache_bytes: z
    .int()
    .min(0)
    .max(268_435_456)
    .optional()
    .describe("Bytes of answers kept while nothing they depend on has changed; 0 keeps none.")
    .meta(found("least")),
});
