/** A preset of the catalogue: a file in `configs/servers/`. */
import * as z from "zod";
import { installSchema } from "./install.js";
import { serverSchema } from "./server.js";
import { nonEmpty, optional, optionalSet, set } from "./values.js";

const version = z.string().regex(/^\d+(\.\d+)*$/, "a version");

/** A preset: the keys of a file in `configs/servers/`. */
export const presetSchema = serverSchema.extend({
  kinds: optionalSet(z.string(), "Other names for this preset, such as lspi's `rust_analyzer`."),
  known_as: optional(
    z.record(z.string(), z.array(nonEmpty).min(1).meta(set("Its names there."))),
    "Names of this server in programs with built-in servers, by the format name of `import`; only where they are not `id` or one of `kinds`.",
  ),
  languages: optionalSet(z.string(), "The languages it serves, for people and for detection."),
  rank: optional(z.int(), "Among presets for the same files the highest is preferred."),
  preferred: optional(nonEmpty, "Why it is preferred to others for the same files, if possible measured."),
  requires: optional(
    z.strictObject({
      package: nonEmpty.describe("The name of a node package."),
      at_least: optional(version, "The oldest version that fits."),
      below: optional(version, "The first version that no longer fits."),
    }),
    "The version of a package of the project that the server is for. Where the project has another, `init`, `add` and the detection prefer a server that fits.",
  ),
  companion: optional(z.boolean(), "It supplements another server (lint, spelling) and is never detected."),
  stack: optional(
    nonEmpty,
    "The stack in `configs/stacks/` that it needs; it does not work alone, so `init` and `add` write the stack.",
  ),
  interpreter: optional(
    z.boolean(),
    "Its program runs any code that its arguments name: without `allow.commands` it may be started only with the preset's arguments.",
  ),
  command_env: optional(z.string(), "An environment variable that names another program for it."),
  install: optional(installSchema, "How to install it. The ways are tried in the order of this table."),
  homepage: optional(z.string(), "Where it comes from."),
});
