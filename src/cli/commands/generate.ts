/** `generate`: writes a bundle, compares it with `--check`, or prints deployment files for several gateways. */
import { mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Plan } from "../../abi/plan.js";
import { sortedSet } from "../../base/order.js";
import { isInside } from "../../base/paths.js";
import { checkBundle } from "../../emit/check.js";
import { type DeployPlace, deployFile, deployTargets } from "../../emit/deploy.js";
import { readTemplates } from "../../emit/render.js";
import { writeBundle } from "../../emit/write.js";
import { type Command, exitCodes, type Input, type Io, UsageError } from "../command.js";
import { compile, type Planned, planConfig } from "../compile.js";
import { guardedFolders } from "../files/link-guard.js";
import { checkLinks, writeUserFile } from "../files/user-file.js";
import { configFlags, option, toggle, withDefault } from "../flags.js";
import { executable, shippedTemplates, version } from "../shipped.js";
import { printProblems, problemsJson } from "../terminal/report.js";

export const generate: Command = {
  name: "generate",
  summary: "Compiles a config into a bundle of handlers, schemas and validators.",
  usage: "(--out DIR [--check] | --deploy TARGET) [--config FILE]",
  description:
    "Writes the bundle that `serve --bundle` loads; the same config always gives the same bytes. --check exits with 1 when\n" +
    "a file is stale, missing or not part of the bundle. --deploy writes a file for HAProxy, systemd or containers instead.",
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
    gateways: withDefault(option("N", "With --deploy: the number of gateways."), "2"),
    image: option("NAME", "With --deploy: the container image with lsp-proxy and the language servers."),
  },
  examples: [
    "lsp-proxy generate --config lspi.toml --out .lspi/bundle --check",
    "lsp-proxy generate --config lspi.toml --deploy haproxy --gateways 4 > haproxy.cfg",
  ],
  async run(input, io) {
    const target = input.text("deploy");
    if (target !== undefined) {
      await writeDeployment(target, input, io);
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
      if (json) printProblems([...warnings, ...differences], { json, io });
      else if (differences.length > 0) printProblems(differences, { json, io });
      if (differences.length > 0) return exitCodes.no;
      if (!json) io.stdout.writeLine(`${out}: up to date, ${digest}`);
      return exitCodes.ok;
    }
    checkLinks(folder, guardedFolders(input, io));
    writeBundle(bundle, folder);
    const files = bundle.files.length + 1;
    const done = json
      ? JSON.stringify({ bundle: digest, files, ...problemsJson(warnings) })
      : `${out}: ${files} files, ${digest}`;
    io.stdout.writeLine(done);
  },
};

/** Prints the file of a deployment target, or writes it into `--out`. */
async function writeDeployment(target: string, input: Input, io: Io): Promise<void> {
  const templates = readTemplates(shippedTemplates);
  if (!deployTargets(templates).includes(target)) throw new UsageError(`--deploy takes ${targetNames()}`);
  const planned = await planConfig(input, io);
  const { http } = planned.plan;
  if (planned.warnings.length > 0) printProblems(planned.warnings, { json: false, io });
  const file = deployFile(target, planned.plan, deployPlace(input, planned), templates);
  if (http.isBindSealed && file.text.includes("--allow-remote"))
    throw new UsageError(`the profile listens on ${http.bind} alone, and ${target} would need more`);
  const out = input.text("out");
  if (out === undefined) io.stdout.write(file.text);
  else {
    const path = resolve(io.cwd, out, file.name);
    const guarded = guardedFolders(input, io);
    checkLinks(dirname(path), guarded);
    mkdirSync(dirname(path), { recursive: true });
    writeUserFile(path, file.text, guarded);
    io.stdout.writeLine(join(out, file.name));
  }
}

function targetNames(): string {
  return deployTargets(readTemplates(shippedTemplates)).join(", ");
}

function deployPlace(input: Input, { plan, loaded }: Planned): DeployPlace {
  const { main, base } = loaded;
  // A service runs as another user, who has trusted nothing, so its config must be named.
  if (main.kind !== "named" || main.file === null) throw new UsageError("--deploy needs --config FILE");
  const gateways = input.integer("gateways", 1, 64) ?? 2;
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
