/** `generate`: writes a bundle, compares it with `--check`, or prints deployment files for several gateways. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Plan } from "../../abi/plan.js";
import { sortedSet } from "../../base/order.js";
import { isInside } from "../../base/paths.js";
import { checkBundle } from "../../emit/check.js";
import { type DeployPlace, deployFile, deployTargets } from "../../emit/deploy.js";
import { readTemplates } from "../../emit/templates.js";
import { writeBundle } from "../../emit/write.js";
import { type Command, exitCodes, type Input, type Io, UsageError } from "../command.js";
import { compile, type Planned, planConfig } from "../compile.js";
import { configFlags, option, toggle } from "../flags.js";
import { executable, shippedTemplates, version } from "../shipped.js";
import { printProblems } from "../terminal/report.js";

const MOST_GATEWAYS = 64;

export const generate: Command = {
  name: "generate",
  summary: "Compiles a config into a bundle of handlers, schemas and validators.",
  usage: "(--out DIR [--check] | --deploy TARGET) [--config FILE]",
  description:
    "Writes the bundle that `serve --bundle` loads. The same config always gives the same bytes. An old bundle is replaced\n" +
    "atomically. With --check nothing is written: it exits with 1 when a file is stale, missing or foreign. With --deploy\n" +
    "it writes no bundle but one file: a configuration for HAProxy, a unit for systemd, or a file for containers.",
  flags: {
    ...configFlags,
    out: option("DIR", "The bundle's folder.", "o"),
    check: toggle("Compares instead of writing."),
    json: toggle("Prints problems as JSON on stdout."),
    deploy: {
      type: "string",
      value: "TARGET",
      // A getter: only the help needs to read the folder of targets.
      get description() {
        return `Prints, or writes into --out, a file that runs several gateways behind one address: ${targetNames()}.`;
      },
    },
    gateways: option("N", "With --deploy: the number of gateways; default: 2."),
    image: option("NAME", "With --deploy: the container image with lsp-proxy and the language servers."),
  },
  examples: [
    "lsp-proxy generate --config lspi.toml --out .lspi/bundle",
    "lsp-proxy generate --config lspi.toml --out .lspi/bundle --check",
    "lsp-proxy generate --config lspi.toml --deploy haproxy --gateways 4 > haproxy.cfg",
  ],
  async run(input, io) {
    const target = input.text("deploy");
    if (target !== undefined) {
      writeDeployment(target, input, io);
      return exitCodes.ok;
    }
    const out = input.text("out");
    if (out === undefined) throw new UsageError("generate needs --out DIR");
    const { bundle, warnings } = await compile(input, io);
    const json = input.isOn("json");
    if (warnings.length > 0 && !json) printProblems(warnings, { json, io });
    const folder = resolve(io.cwd, out);
    const digest = bundle.manifest.bundle;
    if (input.isOn("check")) {
      const differences = checkBundle(bundle, folder);
      if (json || differences.length > 0) printProblems(differences, { json, io });
      if (differences.length > 0) return exitCodes.no;
      if (!json) io.stdout.write(`${out}: up to date, ${digest}\n`);
      return exitCodes.ok;
    }
    writeBundle(bundle, folder);
    const files = bundle.files.length + 1;
    io.stdout.write(
      json ? `${JSON.stringify({ bundle: digest, files })}\n` : `${out}: ${files} files, ${digest}\n`,
    );
  },
};

/** Prints the file of a deployment target, or writes it into `--out`. */
function writeDeployment(target: string, input: Input, io: Io): void {
  const templates = readTemplates(shippedTemplates);
  if (!deployTargets(templates).includes(target)) throw new UsageError(`--deploy takes ${targetNames()}`);
  const compiled = planConfig(input, io);
  if (compiled.warnings.length > 0) printProblems(compiled.warnings, { json: false, io });
  const file = deployFile(target, compiled.plan, placeOf(input, compiled), templates);
  if (compiled.plan.http.isBindSealed && file.text.includes("--allow-remote"))
    throw new UsageError(
      `the profile listens on ${compiled.plan.http.bind} alone, and ${target} would need more`,
    );
  const out = input.text("out");
  if (out === undefined) {
    io.stdout.write(file.text);
    return;
  }
  const folder = resolve(io.cwd, out);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, file.name), file.text);
  io.stdout.write(`${join(out, file.name)}\n`);
}

function targetNames(): string {
  return deployTargets(readTemplates(shippedTemplates)).join(", ");
}

function placeOf(input: Input, { plan, loaded }: Planned): DeployPlace {
  const { main, base } = loaded;
  // A service runs as another user, who has trusted nothing, so its config must be named.
  if (main.kind !== "named" || main.file === null) throw new UsageError("--deploy needs --config FILE");
  const count = input.text("gateways") ?? "2";
  const gateways = /^\d{1,3}$/.test(count) ? Number(count) : 0;
  if (gateways < 1 || gateways > MOST_GATEWAYS)
    throw new UsageError(`--gateways takes a number from 1 to ${MOST_GATEWAYS}`);
  const { port, bind } = plan.http;
  if (port === 0 || port + gateways > 65_535)
    throw new UsageError("--deploy needs an `http.port` followed by a free port for each gateway");
  if (!/^[A-Za-z0-9.:-]+$/.test(bind)) throw new UsageError("`http.bind` is not an address");
  return {
    command: [process.execPath, executable],
    serve: ["--config", main.file],
    folders: foldersOf(plan, base),
    gateways,
    image: input.text("image") ?? `lsp-proxy:${version()}`,
  };
}

/** The config's folder, and the roots outside it. */
function foldersOf({ workspace }: Plan, base: string): DeployPlace["folders"] {
  const outside = (paths: readonly string[]) => sortedSet(paths).filter((path) => !isInside(path, base));
  const roots = outside(workspace.roots.map((root) => resolve(base, root)));
  const extra = outside(workspace.extraRoots).filter((path) => !roots.includes(path));
  return [
    ...[base, ...roots].map((path) => ({ path, isOnlyRead: false })),
    ...extra.map((path) => ({ path, isOnlyRead: true })),
  ];
}
