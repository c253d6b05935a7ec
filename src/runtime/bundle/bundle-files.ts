/** Reads a bundle from disk or memory. It must have every file of its manifest, with the given hash, and no other. */
import { lstat, readdir, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import {
  type Bundle,
  MANIFEST_FILE,
  MAX_FILE_BYTES,
  type Manifest,
  PLAN_FILE,
  replacedBundle,
  TOOLS_FILE,
} from "../../abi/bundle.js";
import { ABI_VERSION } from "../../abi/plan.js";
import { type Code, codes } from "../../base/codes.js";
import { readPlainFile } from "../../base/guarded-open.js";
import { digest } from "../../base/hash.js";
import { canonicalText, isTable } from "../../base/json.js";
import { sortedSet } from "../../base/order.js";
import { ConfigError, type Problem } from "../../base/problem.js";

/** Path → bytes of every file except the manifest. */
export type BundleBytes = ReadonlyMap<string, Uint8Array>;

/** A bundle that was read and not yet verified. */
interface RawBundle {
  manifest: Manifest;
  bytes: BundleBytes;
  /** Paths on disk that the manifest does not name. */
  foreign: string[];
}

/** A bundle that is not on disk. */
export function bundleInMemory(bundle: Bundle): RawBundle {
  const encoder = new TextEncoder();
  const bytes = new Map(bundle.files.map((file) => [file.path, encoder.encode(file.text)]));
  const foreign = sortedSet(bytes.keys()).filter((path) => !Object.hasOwn(bundle.manifest.files, path));
  return { manifest: bundle.manifest, bytes, foreign };
}

/** A bundle in a folder. Only regular files that the manifest names are opened. */
export async function bundleOnDisk(named: string): Promise<RawBundle> {
  const folder = await wholeFolder(named);
  const manifest = readManifest(folder);
  const found: string[] = [];
  const foreign: string[] = [];
  await walk(folder, "", new Set(Object.keys(manifest.files)), found, foreign);
  const bytes = new Map<string, Uint8Array>();
  for (const path of found) bytes.set(path, await readFile(join(folder, path)));
  return { manifest, bytes, foreign: sortedSet(foreign) };
}

/** The folder, or the previous bundle when a writer died while replacing it. */
async function wholeFolder(folder: string): Promise<string> {
  const replaced = join(dirname(folder), replacedBundle(basename(folder)));
  return !(await exists(folder)) && (await exists(join(replaced, MANIFEST_FILE))) ? replaced : folder;
}

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}

/** Throws one ConfigError with every difference between the bytes, the manifest and the pin. */
export function verifyBundle(raw: RawBundle, expect: string | undefined): void {
  const { manifest, bytes } = raw;
  if (manifest.abi !== ABI_VERSION)
    throw refused("bundle/abi", `The bundle has ABI ${manifest.abi}; this runtime has ${ABI_VERSION}.`);
  const problems: Problem[] = [];
  const { bundle: _, ...members } = manifest;
  if (manifest.bundle !== digest(canonicalText(members)))
    problems.push(bundleProblem("bundle/corrupt", `${MANIFEST_FILE} does not have its own hash.`));
  for (const path of sortedSet([...Object.keys(manifest.files), PLAN_FILE, TOOLS_FILE])) {
    const content = bytes.get(path);
    if (content === undefined) problems.push(bundleProblem("bundle/missing", `${path} is missing.`));
    else if (manifest.files[path] !== digest(content))
      problems.push(bundleProblem("bundle/corrupt", `${path} is not what the manifest names.`));
  }
  for (const path of raw.foreign)
    problems.push(bundleProblem("bundle/foreign", `${path} is not part of the bundle.`));
  if (manifest.plan !== manifest.files[PLAN_FILE])
    problems.push(bundleProblem("bundle/corrupt", "The manifest names another plan than the one it lists."));
  if (expect !== undefined && manifest.bundle !== expect)
    problems.push(bundleProblem("bundle/pin", `The bundle is ${manifest.bundle}, not ${expect}.`));
  if (problems.length > 0) throw new ConfigError(problems);
}

function readManifest(folder: string): Manifest {
  const content = manifestIn(folder);
  if (content === undefined)
    throw refused("bundle/missing", `There is no ${MANIFEST_FILE} in the bundle's folder.`);
  let value: unknown;
  try {
    value = JSON.parse(content.toString("utf8"));
  } catch {
    throw refused("bundle/corrupt", `${MANIFEST_FILE} is not JSON.`);
  }
  if (!isManifest(value)) throw refused("bundle/corrupt", `${MANIFEST_FILE} is not a manifest.`);
  return value;
}

function manifestIn(folder: string): Buffer | undefined {
  try {
    return readPlainFile(join(folder, MANIFEST_FILE), MAX_FILE_BYTES);
  } catch {
    return undefined;
  }
}

function isManifest(value: unknown): value is Manifest {
  return (
    isTable(value) &&
    Object.keys(value).length === 5 &&
    typeof value.abi === "number" &&
    typeof value.generator === "string" &&
    typeof value.plan === "string" &&
    typeof value.bundle === "string" &&
    isTable(value.files) &&
    Object.values(value.files).every((hash) => typeof hash === "string")
  );
}

async function walk(folder: string, prefix: string, named: Set<string>, found: string[], foreign: string[]) {
  for (const name of await readdir(join(folder, prefix))) {
    const path = `${prefix}${name}`;
    if (path === MANIFEST_FILE) continue;
    const facts = await lstat(join(folder, path));
    const below = [...named].some((file) => file.startsWith(`${path}/`));
    // A folder without files of the bundle is not entered: the flag may have named a home directory.
    if (facts.isDirectory() && below) await walk(folder, `${path}/`, named, found, foreign);
    else (facts.isFile() && named.has(path) ? found : foreign).push(path);
  }
}

export function bundleProblem(code: Code, message: string): Problem {
  return { code, severity: "error", message, pointer: "", fix: codes[code].fix };
}

function refused(code: Code, message: string): ConfigError {
  return new ConfigError([bundleProblem(code, message)]);
}
