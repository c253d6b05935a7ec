/** The server that fits the project: by the version of TypeScript that it has, on its own TypeScript. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fitsProject } from "../../src/cli/requires.js";
import { packageVersion } from "../../src/lsp/process/package-version.js";
import { runHere } from "../cli/terminal.js";
import { repository } from "./session.js";

let folder: string;
let project: string;
let home: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-fits-")));
  project = join(folder, "project");
  home = join(folder, "home");
  mkdirSync(home);
  write("src/a.ts", "export function greet(): number {\n  return 1;\n}\ngreet();\n");
  write("tsconfig.json", '{ "compilerOptions": { "baseUrl": ".", "moduleResolution": "node10" } }');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, text: string): void {
  mkdirSync(dirname(join(project, name)), { recursive: true });
  writeFileSync(join(project, name), text);
}

/** Installs a package of this repository in the project, with one of its programs. */
function install(from: string, as: string, program?: string): void {
  const bin = join(project, "node_modules", ".bin");
  mkdirSync(bin, { recursive: true });
  symlinkSync(join(repository, "node_modules", from), join(project, "node_modules", as));
  if (program !== undefined) symlinkSync(join("..", as, "bin", program), join(bin, program));
}

function run(args: string[], env: { [name: string]: string } = {}) {
  return runHere(args, {
    cwd: project,
    env: { HOME: home, XDG_STATE_HOME: "", XDG_CONFIG_HOME: "", ...env },
  });
}

async function initialised(...more: string[]): Promise<string> {
  return (await run(["init", "--dry-run", "--yes", "--trust-workspace", ...more])).stdout;
}

describe("a project with TypeScript 5", () => {
  it("gets typescript-language-server, and no errors that its own compiler does not have", async () => {
    install("typescript-5", "typescript", "tsc");
    const config = await initialised();
    expect(config).toContain('kind = "typescript-language-server"');
    expect(config).not.toContain('kind = "typescript"\n');
    const call = ["call", "find_references", '{"file_path":"src/a.ts","symbol_name":"greet"}'];
    const found = await run([...call, "--trust-workspace"]);
    expect(found.stdout).toContain("server typescript-language-server");
    const checked = await run(["call", "get_diagnostics", '{"file_path":"src/a.ts"}', "--trust-workspace"]);
    expect(checked).toMatchObject({ code: 0, stdout: expect.not.stringMatching(/TS?5102|TS?5108/) });
  }, 120_000);

  it("gets it also where package.json only declares the version", async () => {
    write("package.json", '{ "devDependencies": { "typescript": "^5.4.0" } }');
    expect(await initialised("--all")).toContain('kind = "typescript-language-server"');
    expect((await run(["add", "typescript", "--dry-run"])).stdout).toContain("typescript-language-server");
  }, 60_000);
});

it("a project with TypeScript 7 gets `tsc --lsp`", async () => {
  install("typescript", "typescript", "tsc");
  expect(await initialised()).toContain('kind = "typescript"');
  const call = ["call", "find_references", '{"file_path":"src/a.ts","symbol_name":"greet"}'];
  expect((await run([...call, "--trust-workspace"])).stdout).toContain("server typescript,");
}, 120_000);

it("a config that names `tsc --lsp` does not start the project's older one, but the next that fits", async () => {
  install("typescript-5", "typescript", "tsc");
  write("lspi.toml", '[allow]\ncommands = ["tsc"]\n[[servers]]\nid = "ts"\nkind = "typescript"\n');
  const call = ["call", "get_hover", '{"file_path":"src/a.ts","symbol_name":"greet"}'];
  const { code, stdout } = await run([...call, "--config", "lspi.toml", "--trust-workspace"]);
  expect(stdout).toContain("greet(): number");
  expect(code).toBe(0);
}, 60_000);

it("a refusal for a file without a server names a server that fits", async () => {
  write("package.json", '{ "devDependencies": { "typescript": "^5.4.0" } }');
  write("lspi.toml", '[allow]\ncommands = ["gopls"]\n[[servers]]\nid = "go"\nkind = "gopls"\n');
  const call = ["call", "get_hover", '{"file_path":"src/a.ts","symbol_name":"greet"}'];
  const { stdout } = await run([...call, "--config", "lspi.toml"]);
  expect(stdout).toContain("lsp-proxy install typescript-language-server");
}, 60_000);

it("a program that is too old is not started, and the refusal says which version is here and which is needed", async () => {
  install("typescript-5", "typescript", "tsc");
  write("lspi.toml", '[allow]\ncommands = ["tsc"]\n[[servers]]\nid = "ts"\nkind = "typescript"\n');
  const PATH = [dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter);
  const call = ["call", "get_hover", '{"file_path":"src/a.ts","symbol_name":"greet"}'];
  const { code, stdout } = await run([...call, "--config", "lspi.toml", "--trust-workspace"], { PATH });
  expect(code).not.toBe(0);
  const doctor = await run(["doctor", "--no-start", "--config", "lspi.toml", "--trust-workspace"], { PATH });
  for (const text of [stdout, doctor.stdout]) {
    expect(text).toMatch(/`tsc` here is 5\.\d+\.\d+; `--lsp` needs 7 or later/);
    expect(text).toContain("lsp-proxy install typescript-language-server");
    expect(text).toContain('kind = "typescript-language-server"');
    expect(text).not.toContain("is not installed");
  }
}, 60_000);

it("the version of a program is its package's, also behind a script of pnpm, and never the project's own", () => {
  write("package.json", '{ "version": "1.0.0" }');
  write("node_modules/.bin/tsc", '#!/bin/sh\nexec node  "$basedir/../typescript/bin/tsc" "$@"\n');
  const version = () => packageVersion(join(project, "node_modules", ".bin", "tsc"));
  expect(version()).toBe(undefined);
  write("node_modules/typescript/package.json", '{ "version": "5.4.2" }');
  expect(version()).toBe("5.4.2");
  write("node_modules/.bin/tsc", "#!/bin/sh\n");
  expect(version()).toBe(undefined);
});

describe("what a project has", () => {
  const seven = { requires: { package: "typescript", at_least: "7" } };
  const older = { requires: { package: "typescript", below: "7" } };
  const fits = (from = project) => [seven, older].map(fitsProject(from));

  it.each([
    ["^5.4.0", [false, true]],
    ["~4.9", [false, true]],
    [">=5.4 <6", [false, true]],
    ["5", [false, true]],
    ["npm:typescript@^5.9.3", [false, true]],
    ["^7.0.2", [true, false]],
    ["10.1", [true, false]],
    ["latest", [true, true]],
    ["workspace:*", [true, true]],
    ["<8", [true, true]],
    ["*", [true, true]],
  ])("is read from what it declares: %s", (range, expected) => {
    write("package.json", JSON.stringify({ devDependencies: { typescript: range } }));
    expect(fits()).toEqual(expected);
  });

  it("is what is installed, whatever is declared; that of the nearest folder; and else nothing", () => {
    expect(fits()).toEqual([true, true]);
    write("package.json", '{ "devDependencies": { "typescript": "^5" } }');
    write("node_modules/typescript/package.json", '{ "version": "7.0.2" }');
    expect(fits()).toEqual([true, false]);
    write("packages/one/package.json", '{ "dependencies": { "typescript": "5.1" } }');
    expect(fits(join(project, "packages", "one"))).toEqual([false, true]);
    expect(fits(join(project, "packages", "two"))).toEqual([true, false]);
    write("packages/three/package.json", "{ broken");
    expect(fits(join(project, "packages", "three"))).toEqual([true, false]);
  });

  it("is the oldest of its subprojects where it has none of its own", () => {
    write("web/package.json", '{ "devDependencies": { "typescript": "^7" } }');
    expect(fits()).toEqual([true, false]);
    write("packages/one/package.json", '{ "devDependencies": { "typescript": "^5.4" } }');
    write("packages/one/node_modules/typescript/package.json", '{ "version": "5.4.5" }');
    write("node_modules/other/node_modules/typescript/package.json", '{ "version": "4.0.0" }');
    expect(fits()).toEqual([false, true]);
    write("package.json", '{ "devDependencies": { "typescript": "^7" } }');
    expect(fits()).toEqual([true, false]);
  });
});
