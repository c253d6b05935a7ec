/** How a preset's server is installed: one table, with a key for each package manager that has it. */
import * as z from "zod";
import { optional, sequence, set } from "./values.js";

/** A package name, with a version or range behind it where one is needed. Never an option of the package manager. */
const npmSpec = z
  .string()
  .regex(/^(?:@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*(?:@[\w.^~*-]+)?$/i, "a package, or package@version");
const pipSpec = z
  .string()
  .regex(/^[a-z0-9][\w.-]*(?:\[[\w,-]+\])?(?:[<>=!~]=?[\w.,<>=!~*]+)?$/i, "a package, or package>=version");
const atSpec = z.string().regex(/^[a-z0-9][\w.-]*(?:@[\w.*-]+)?$/i, "a name, or name@version");
const goSpec = z
  .string()
  .regex(/^[a-z0-9][\w.-]*(?:\/[\w.~-]+)+(?:@[\w.+-]+)?$/i, "a package path, or path@version");
const webPage = z.string().regex(/^https:\/\/\S+$/, "an https address");
/** One command without any shell syntax. */
const line = z
  .string()
  .regex(/^[a-z](?:[^;&|<>$"'`\\]|"[^"$`\\]*"|'[^']*')*$/i, "one command, without shell syntax");

const packages = (spec: z.ZodString, description: string) =>
  optional(z.array(spec).min(1), sequence(description));

const systemPackage = z
  .string()
  .regex(/^(?:--(?:cask|install)|[a-z0-9@][\w.@+/#-]*)$/i, "a package of that manager");

const archive = z.strictObject({
  os: z.enum(["linux", "macos", "windows"]).describe("The system that it is for."),
  cpu: z.enum(["x64", "arm64"]).describe("The processor that it is for."),
  version: z
    .string()
    .regex(/^\w[\w.+-]*$/, "a version")
    .describe("The version of the server in it."),
  url: z
    .string()
    .regex(/^https:\/\/\S+$/, "an https address")
    .describe(
      "Where it is downloaded from. The name's end says what it is: `.tar.gz`, `.tgz`, `.tar.xz`, `.zip`, `.gz`, or a bare program.",
    ),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, "64 hexadecimal digits")
    .describe("The SHA-256 of the download. Anything else is refused."),
  bin: z
    .string()
    .regex(/^(?!\/)(?!.*(?:^|\/)\.\.(?:\/|$))[^\\]+$/, "a relative path")
    .describe("The program's path in the archive; of a bare program, its name."),
});

const cargo = z.strictObject({
  crates: z.array(atSpec).meta(sequence("The crates; the version of the first counts. Empty: all of `git`.")),
  features: optional(z.array(z.string().regex(/^[\w-]+$/)).min(1), set("Features that are turned on.")),
  git: optional(webPage, "The repository, where crates.io has no release."),
  toolchain: optional(z.string().regex(/^[\w.-]+$/), "The Rust toolchain that builds it, such as `nightly`."),
});

const systemPackages = (name: string) =>
  optional(z.array(systemPackage).min(1), sequence(`Packages of \`${name}\`.`));

const system = z.strictObject({
  apt: systemPackages("apt"),
  dnf: systemPackages("dnf"),
  pacman: systemPackages("pacman"),
  zypper: systemPackages("zypper"),
  apk: systemPackages("apk"),
  brew: systemPackages("brew"),
  winget: systemPackages("winget"),
  scoop: systemPackages("scoop"),
  guix: systemPackages("guix"),
  nix: systemPackages("nix"),
  "xcode-select": systemPackages("xcode-select"),
});

/** The keys stand in the order in which they are tried: what fits the toolchain or needs no build comes first. */
export const installSchema = z.strictObject({
  rustup: optional(z.string().regex(/^[\w-]+$/, "a component"), "A component of the Rust toolchain."),
  archive: optional(z.array(archive).min(1), sequence("Downloads, each for one system and processor.")),
  npm: packages(npmSpec, "npm packages. The version of the first counts; the others are what it loads."),
  pip: packages(pipSpec, "Python packages, installed into a virtual environment."),
  gem: packages(atSpec, "Ruby gems."),
  dotnet: optional(atSpec, "A .NET tool; `name@*-*` takes prereleases too."),
  go: optional(goSpec, "A Go package, built with the `go` that is installed."),
  cargo: optional(cargo, "Rust crates, built with the `cargo` that is installed."),
  system: optional(system, "Packages of the system's package manager: installed for everybody, after a yes."),
  line: optional(line, "A command of another package manager, which is shown, and run after a yes."),
  see: optional(webPage, "A page that says how to install it."),
});

export type InstallConfig = z.infer<typeof installSchema>;
