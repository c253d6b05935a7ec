/** `generate`: writes the bundle, or with `--check` says whether the one on disk is what would be written. */
import { resolve } from "node:path";
import { checkBundle } from "../../emit/check.js";
import { writeBundle } from "../../emit/write.js";
import { type Command, exitCodes, isOn, textFlag, UsageError } from "../command.js";
import { compile } from "../compile.js";
import { deployFlags, writeDeployment } from "../deploy.js";
import { configFlags } from "../flags.js";
import { printProblems } from "../terminal/problems.js";

export const generate: Command = {
  name: "generate",
  summary: "Compiles a config into a bundle of handlers, schemas and validators.",
  usage: "(--out DIR [--check] | --deploy TARGET) [--config FILE]",
  description:
    "Writes the bundle that `serve --bundle` loads. Same meaning gives the same bytes. The old bundle is replaced as a\n" +
    "whole or not at all. With --check nothing is written: it exits with 1 when a file is stale, missing or foreign.\n" +
    "With --deploy it writes no bundle but one file: HAProxy's configuration, systemd's unit, or all of it for containers.",
  flags: {
    ...configFlags,
    out: { type: "string", short: "o", value: "DIR", description: "The bundle's folder." },
    check: { type: "boolean", description: "Compares instead of writing." },
    json: { type: "boolean", description: "Prints problems as JSON on stdout." },
    ...deployFlags,
  },
  words: { min: 0, max: 0 },
  examples: [
    "lsp-proxy generate --config lspi.toml --out .lspi/bundle",
    "lsp-proxy generate --config lspi.toml --out .lspi/bundle --check",
    "lsp-proxy generate --config lspi.toml --deploy haproxy --gateways 4 > haproxy.cfg",
  ],
  async run(input, io) {
    const target = textFlag(input, "deploy");
    if (target !== undefined) {
      writeDeployment(target, input, io);
      return exitCodes.ok;
    }
    const out = textFlag(input, "out");
    if (out === undefined) throw new UsageError("generate needs --out DIR", "generate");
    const { bundle, warnings } = await compile(input, io);
    const json = isOn(input, "json");
    if (warnings.length > 0 && !json) printProblems(warnings, { json, io });
    const folder = resolve(io.cwd, out);
    if (isOn(input, "check")) {
      const differences = checkBundle(bundle, folder);
      if (json || differences.length > 0) printProblems(differences, { json, io });
      if (differences.length > 0) return exitCodes.no;
      if (!json) io.stdout.write(`${out}: up to date, ${bundle.manifest.bundle}\n`);
      return exitCodes.ok;
    }
    writeBundle(bundle, folder);
    if (json)
      io.stdout.write(
        `${JSON.stringify({ bundle: bundle.manifest.bundle, files: bundle.files.length + 1 })}\n`,
      );
    else io.stdout.write(`${out}: ${bundle.files.length + 1} files, ${bundle.manifest.bundle}\n`);
    return exitCodes.ok;
  },
};
