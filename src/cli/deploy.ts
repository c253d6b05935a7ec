/** `generate --deploy`: the place that a command line means, and the file for it. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Plan } from "../abi/plan.js";
import { sortedSet } from "../base/order.js";
import { isInside } from "../base/paths.js";
import { type DeployPlace, deployFile, deployTargets } from "../emit/deploy.js";
import { readTemplates } from "../emit/templates.js";
import { type Input, type Surroundings, textFlag, UsageError } from "./command.js";
import { type Compiled, planConfig } from "./compile.js";
import { executable, shippedTemplates, version } from "./shipped.js";
import { printProblems } from "./terminal/problems.js";

const MOST_GATEWAYS = 64;

/** Flags that only count with `--deploy`. */
export const deployFlags = {
  deploy: {
    type: "string",
    value: "TARGET",
    // Only who asks for help reads the folder of the targets.
    get description() {
      return `Prints, or writes into --out, what runs several gateways behind one address there: ${targetNames()}.`;
    },
  },
  gateways: { type: "string", value: "N", description: "With --deploy: how many gateways; 2 when absent." },
  image: {
    type: "string",
    value: "NAME",
    description: "With --deploy: the container image that has lsp-proxy and the language servers.",
  },
} as const;

/** Prints or writes the file of a target. */
export function writeDeployment(target: string, input: Input, io: Surroundings): void {
  const templates = readTemplates(shippedTemplates);
  if (!deployTargets(templates).includes(target)) throw usage(`--deploy takes ${targetNames(templates)}`);
  const compiled = planConfig(input, io);
  if (compiled.warnings.length > 0) printProblems(compiled.warnings, { json: false, io });
  const file = deployFile(target, compiled.plan, placeOf(input, compiled), templates);
  if (compiled.plan.http.isBindSealed && file.text.includes("--allow-remote"))
    throw usage(`the profile listens on ${compiled.plan.http.bind} alone, and ${target} would need more`);
  const out = textFlag(input, "out");
  if (out === undefined) {
    io.stdout.write(file.text);
    return;
  }
  const folder = resolve(io.cwd, out);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, file.name), file.text);
  io.stdout.write(`${join(out, file.name)}\n`);
}

function targetNames(templates = readTemplates(shippedTemplates)): string {
  return deployTargets(templates).join(", ");
}

function placeOf(input: Input, { plan, loaded }: Omit<Compiled, "bundle">): DeployPlace {
  const { main, base } = loaded;
  // A service finds nobody's trust where it runs, so what it serves has to be named.
  if (main.kind !== "named" || main.file === null) throw usage("--deploy needs --config FILE");
  const gateways = gatewaysOf(input);
  const { port, bind } = plan.http;
  if (port === 0 || port + gateways > 65_535)
    throw usage("--deploy needs an `http.port` with a free number for each gateway after it");
  if (!/^[A-Za-z0-9.:-]+$/.test(bind)) throw usage("`http.bind` is no address");
  return {
    command: [process.execPath, executable],
    serve: ["--config", main.file],
    folders: foldersOf(plan, base),
    gateways,
    image: textFlag(input, "image") ?? `lsp-proxy:${version()}`,
  };
}

/** The config's folder, and the roots that do not lie in it. */
function foldersOf({ workspace }: Plan, base: string): DeployPlace["folders"] {
  const outside = (paths: readonly string[]) => sortedSet(paths).filter((path) => !isInside(path, base));
  const roots = outside(workspace.roots.map((root) => resolve(base, root)));
  return [
    ...[base, ...roots].map((path) => ({ path, isOnlyRead: false })),
    ...outside(workspace.extraRoots)
      .filter((path) => !roots.includes(path))
      .map((path) => ({ path, isOnlyRead: true })),
  ];
}

function gatewaysOf(input: Input): number {
  const text = textFlag(input, "gateways") ?? "2";
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > MOST_GATEWAYS) throw usage(`--gateways takes a number from 1 to ${MOST_GATEWAYS}`);
  return count;
}

function usage(message: string): UsageError {
  return new UsageError(message, "generate");
}
