/** What a fresh clone and an installed package need of `package.json` and the lock, and what the package is. */
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

interface Locked {
  optionalDependencies?: { [name: string]: string };
  resolved?: string;
}

const manifest = JSON.parse(readFileSync("package.json", "utf8"));
const locked: { [path: string]: Locked } = JSON.parse(readFileSync("package-lock.json", "utf8")).packages;

it("locks the packages of every platform, or npm ci refuses on a fresh clone", () => {
  const missing = Object.entries(locked).flatMap(([path, entry]) =>
    Object.keys(entry.optionalDependencies ?? {}).filter(
      (name) =>
        locked[`node_modules/${name}`] === undefined && locked[`${path}/node_modules/${name}`] === undefined,
    ),
  );
  expect(missing).toEqual([]);
});

it("names no registry", () => {
  expect(
    Object.entries(locked).filter(([path, entry]) => path !== "" && entry.resolved !== undefined),
  ).toEqual([]);
});

it("ships what the program reads", () => {
  expect(manifest.files).toEqual(expect.arrayContaining(["dist", "templates", "configs"]));
  expect(existsSync(manifest.bin["lsp-proxy"])).toBe(true);
  expect(readFileSync(manifest.bin["lsp-proxy"], "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/);
});

describe("the package", () => {
  let folder: string;
  let tarball: string;
  let packed: { size: number; unpackedSize: number; files: { path: string; mode: number }[] };
  beforeAll(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-package-")));
    // Without its scripts, which would build the program anew under the other tests.
    const { stdout } = npm(
      ["pack", "--json", "--ignore-scripts", "--pack-destination", folder],
      process.cwd(),
    );
    packed = JSON.parse(stdout)[0];
    tarball = join(folder, `${manifest.name}-${manifest.version}.tgz`);
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function npm(args: string[], cwd: string) {
    return spawnSync("npm", args, { cwd, encoding: "utf8", timeout: 240_000 });
  }

  it("has what it needs and nothing else, and is small", () => {
    const paths = packed.files.map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining([
        "LICENSE",
        "README.md",
        "configs/clients.toml",
        "dist/cli/bin.js",
        "package.json",
      ]),
    );
    expect(
      paths.filter((path) => !/^(configs|dist|templates)\/|^(LICENSE|README\.md|package\.json)$/.test(path)),
    ).toEqual([]);
    expect(paths.filter((path) => /\.(map|tsx?|log)$|(^|\/)\.|node_modules/.test(path))).toEqual([
      ...paths.filter((path) => path.startsWith("configs/samples/") && /\.tsx?$|(^|\/)\./.test(path)),
    ]);
    expect(packed.size).toBeLessThan(2_000_000);
    expect(packed.unpackedSize).toBeLessThan(12_000_000);
    expect(manifest.license).toBe("MIT");
    expect(readFileSync("LICENSE", "utf8")).toContain("Permission is hereby granted, free of charge");
  });

  it("contains nothing about the machine it was built on", () => {
    const texts = packed.files.filter(({ path }) => /\.(js|json|toml|txt|md|hbs)$/.test(path));
    const telling = texts.filter(({ path }) => readFileSync(path, "utf8").includes(process.cwd()));
    expect(telling.map(({ path }) => path)).toEqual([]);
  });

  it("is well formed for publint", async () => {
    const bytes = new Uint8Array(readFileSync(tarball)).buffer;
    const { messages, pkg } = await publint({ pack: { tarball: bytes }, level: "suggestion" });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  it("works from an empty folder that it was installed in", async (context) => {
    const app = join(folder, "app");
    mkdirSync(app);
    const install = npm(
      ["install", "--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts", tarball],
      app,
    );
    const why = /npm error code (\S+)/.exec(install.stderr)?.[1] ?? "";
    if (/^(E(NOTFOUND|AI_AGAIN|CONNREFUSED|CONNRESET|TIMEDOUT|NOTCACHED)|ETARGET|E404|E5..)$/.test(why))
      context.skip(`npm's registry cannot be had here: ${why}`);
    expect(install.status, install.stderr).toBe(0);

    const run = (...args: string[]) =>
      spawnSync("npx", ["--no-install", "lsp-proxy", ...args], {
        cwd: app,
        encoding: "utf8",
        timeout: 60_000,
      });
    expect(run("--version").stdout).toBe(`${manifest.version}\n`);
    writeFileSync(
      join(app, "lspi.toml"),
      '[allow]\ncommands = ["x"]\n[[servers]]\nid = "x"\ncommand = "x"\nextensions = ["x"]\n',
    );
    expect(run("validate", "--config", "lspi.toml")).toMatchObject({ status: 0 });
    const entry = JSON.parse(run("client", "vscode", "--config", "lspi.toml").stdout).servers["lsp-proxy"];
    expect(entry.args[0]).toBe(join(app, "node_modules", "lsp-proxy", "dist", "cli", "bin.js"));

    // What the stanza says is what a client starts, from another directory.
    const client = new Client({ name: "package", version: "0" });
    await client.connect(new StdioClientTransport({ ...entry, cwd: tmpdir(), stderr: "ignore" }));
    expect((await client.listTools()).tools).toHaveLength(12);
    await client.close();
  }, 300_000);
});
