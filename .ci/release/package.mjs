/** The npm package: what publishing with provenance needs, what publint says, its licences, and that packing again gives the same bytes. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { trySetup } from "./session.mjs";
import { mustRun } from "./tools.mjs";

const PART = "npm package";

/** Makes the tarball and a folder with its content. Undefined when it cannot be packed. */
export async function npmPackage({ root, out, report, facts }) {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const tarball = join(out, `${facts.name}-${facts.version}.tgz`);
  const unpacked = join(out, "package");
  const isPacked = await report.check(PART, "is packed, twice with the same bytes", () => {
    const [first, second] = [out, join(out, "again")].map((folder) => {
      mkdirSync(folder, { recursive: true });
      // Without its scripts, which would build the program that is packed anew.
      mustRun("npm", ["pack", "--ignore-scripts", "--pack-destination", folder], { cwd: root });
      return digest(join(folder, `${facts.name}-${facts.version}.tgz`));
    });
    if (first !== second) throw new Error("the bytes differ");
    mustRun("rm", ["-r", join(out, "again")]);
    mustRun("tar", ["-xzf", tarball, "-C", out]);
    return `sha256 ${first}`;
  });
  if (!isPacked || !existsSync(unpacked)) return undefined;

  await report.check(PART, "publint finds nothing", async () => {
    const bytes = new Uint8Array(readFileSync(tarball)).buffer;
    const { messages, pkg } = await publint({ pack: { tarball: bytes }, level: "suggestion" });
    if (messages.length > 0)
      throw new Error(messages.map((message) => formatMessage(message, pkg)).join("; "));
  });
  await report.check(PART, "has the fields that publishing with provenance needs", () => {
    const wrong = missingFields(manifest, process.env.GITHUB_REPOSITORY);
    if (wrong.length > 0) throw new Error(wrong.join("; "));
  });
  await report.check(PART, "has the licence and the notices of everything that is bundled", () => {
    const notices = readFileSync(join(unpacked, "dist", "THIRD_PARTY_NOTICES.txt"), "utf8");
    const packages = bundledPackages(notices);
    if (packages.length < 10) throw new Error(`only ${packages.length} packages have a notice`);
    if (!existsSync(join(unpacked, "LICENSE"))) throw new Error("LICENSE is not packed");
    return `${packages.length} packages`;
  });
  await report.check(PART, "has a changelog entry for its version", () => {
    const text = readFileSync(join(unpacked, "CHANGELOG.md"), "utf8");
    const wrong = changelogProblem(text, facts.version, process.env.GITHUB_REF_TYPE === "tag");
    if (wrong !== undefined) throw new Error(wrong);
  });
  await report.check(
    PART,
    "is installed with npm, sets up a project in one command, and `doctor` is content",
    () => trySetup(root, tarball),
  );
  return unpacked;
}

/** The errors in a manifest for `npm publish --provenance`. npm compares `repository` with where the workflow runs. */
export function missingFields(manifest, runsIn) {
  const wrong = [
    "name",
    "version",
    "description",
    "license",
    "author",
    "repository",
    "bin",
    "files",
    "engines",
    "mcpName",
  ]
    .filter((key) => manifest[key] === undefined)
    .map((key) => `package.json has no \`${key}\``);
  const [, place] =
    /^git\+https:\/\/github\.com\/([\w.-]+\/[\w.-]+)\.git$/.exec(manifest.repository?.url ?? "") ?? [];
  if (place === undefined) wrong.push("`repository.url` is not git+https://github.com/OWNER/NAME.git");
  else {
    if (runsIn !== undefined && runsIn !== place)
      wrong.push(`\`repository\` says ${place}, but this runs in ${runsIn}`);
    const [owner, name] = place.split("/");
    if (manifest.mcpName !== `io.github.${owner}/${name}`)
      wrong.push(
        `\`mcpName\` is not io.github.${owner}/${name}, the name that the MCP Registry gives to this repository`,
      );
  }
  if (manifest.private) wrong.push("`private` forbids publishing");
  return wrong;
}

/** The kinds of changes of Keep a Changelog. */
const KINDS = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"];

/** The errors in the changelog for a version, which has a date once its tag is pushed. */
export function changelogProblem(text, version, isTagged) {
  const line = text.split("\n").find((entry) => entry.startsWith(`## [${version}]`));
  if (line === undefined) return `CHANGELOG.md has no section [${version}]`;
  if (isTagged && !/ - \d{4}-\d\d-\d\d$/.test(line))
    return `the section [${version}] of CHANGELOG.md has no date`;
  const odd = [...text.matchAll(/^### (.*)$/gm)]
    .map(([, kind]) => kind)
    .filter((kind) => !KINDS.includes(kind));
  if (odd.length > 0) return `CHANGELOG.md has the section ${odd.join(", ")}, not one of ${KINDS.join(", ")}`;
  return undefined;
}

/** Name and version of each package in the notices of the build. */
export function bundledPackages(notices) {
  const sections = notices.split(`\n${"-".repeat(80)}\n\n`).slice(1);
  return sections.map((section) => {
    const [, name, version] = /^(\S+) (\S+) \(/.exec(section) ?? [];
    return { name, version };
  });
}

/** The SHA-256 of a file. */
export function digest(file) {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}
