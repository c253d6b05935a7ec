/** What a fresh clone and an installed package need of `package.json` and the lock, and what the package is. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
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
import { delimiter, join, posix } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { digests } from "./digests.js";

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
  expect(manifest.files).toEqual(expect.arrayContaining(["dist", "templates", "configs", "docs"]));
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
      paths.filter(
        (path) =>
          !/^(configs|dist|docs|templates)\/|^(CHANGELOG\.md|LICENSE|README\.md|package\.json)$/.test(path),
      ),
    ).toEqual([]);
    expect(paths.filter((path) => /\.(map|tsx?|log)$|(^|\/)\.|node_modules/.test(path))).toEqual([
      ...paths.filter((path) => path.startsWith("configs/samples/") && /\.tsx?$|(^|\/)\./.test(path)),
    ]);
    // They print the pages of the documentation, which are there.
    expect(paths.filter((path) => path.startsWith("templates/docs/"))).toEqual([]);
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

  it("has every page that its own pages link to", () => {
    const paths = new Set(packed.files.map(({ path }) => path));
    const pages = [...paths].filter((path) => path.endsWith(".md") && /^(README|docs\/)/.test(path));
    expect(pages.length).toBeGreaterThan(20);
    const missing = pages.flatMap((page) =>
      [...readFileSync(page, "utf8").matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)]
        .map(([, link = ""]) => posix.join(posix.dirname(page), link))
        // Pictures would be a sixth of the package; they are in the repository only.
        .filter((target) => !(target.startsWith("docs/images/") && existsSync(target)))
        .filter((target) => !(paths.has(target) || [...paths].some((path) => path.startsWith(`${target}/`))))
        .map((target) => `${page}: ${target}`),
    );
    expect(missing).toEqual([]);
  });

  it("installs nothing else, and runs no script", () => {
    for (const key of ["dependencies", "optionalDependencies", "peerDependencies"])
      expect(manifest[key]).toBeUndefined();
    expect(Object.keys(manifest.scripts).filter((name) => /^(pre|post)?install$/.test(name))).toEqual([]);
  });

  describe("installed into an empty folder, for a user with an empty home", () => {
    const file = { file_path: "src/greet.ts" };
    let bin: string;
    let project: string;
    let env: { [name: string]: string };
    beforeAll(() => {
      const [prefix, home] = [join(folder, "prefix"), join(folder, "home")];
      project = join(folder, "project");
      for (const path of [home, join(project, "src")]) mkdirSync(path, { recursive: true });
      const programs = join(process.cwd(), "node_modules", ".bin");
      env = { HOME: home, PATH: [programs, process.env.PATH].join(delimiter) };
      // Offline, and with its scripts: there is nothing to fetch, and none to run.
      const words = ["install", "--global", "--prefix", prefix, "--offline", "--no-audit", "--no-fund"];
      const install = spawnSync("npm", [...words, tarball], {
        cwd: folder,
        encoding: "utf8",
        timeout: 240_000,
        env,
      });
      expect(install.status, install.stderr).toBe(0);
      bin = join(prefix, "bin", "lsp-proxy");
      expect(existsSync(join(prefix, "lib", "node_modules", "lsp-proxy", "node_modules"))).toBe(false);
      writeFileSync(
        join(project, "lspi.toml"),
        '[allow]\ncommands = ["tsc"]\neffects = ["read", "edit"]\n[[servers]]\nid = "ts"\nkind = "typescript"\n' +
          '[[tools]]\nname = "whole_file"\ndescription = "x"\ninput = "document"\nrequest.method = "textDocument/documentSymbol"\nrequest.params = "text_document"\noutput = "document_symbols"\n',
      );
      writeFileSync(join(project, "tsconfig.json"), '{ "include": ["src"] }');
      writeFileSync(
        join(project, "src", "greet.ts"),
        "export function greet(): string {\n  return 'hello';\n}\n",
      );
      writeFileSync(join(project, "src", "use.ts"), 'import { greet } from "./greet.js";\ngreet();\n');
    }, 300_000);

    function run(...args: string[]) {
      return spawnSync(bin, args, { cwd: project, encoding: "utf8", timeout: 120_000, env });
    }

    function succeeds(...args: string[]): string {
      const { status, stdout, stderr } = run(...args);
      expect(status, `${args.join(" ")}\n${stdout}\n${stderr}`).toBe(0);
      return stdout;
    }

    it("has the whole build, and nothing that it did not make", () => {
      const bytes = (dist: string) =>
        Object.entries(digests(dist)).map(([path, digest]) => [path, digest.split(" ")[0]]);
      const installed = bytes(join(folder, "prefix", "lib", "node_modules", "lsp-proxy", "dist"));
      // The tools of the build itself are left out.
      const isPublished = ([path = ""]: (string | undefined)[]) => !/^cli\/(print|precompile)\./.test(path);
      expect(installed).toEqual(bytes("dist").filter(isPublished));
    });

    it("says its version, checks a config, generates a bundle, and renames", () => {
      expect(succeeds("--version")).toBe(`${manifest.version}\n`);
      const trusted = ["--config", "lspi.toml", "--trust-workspace"];
      succeeds("validate", "--config", "lspi.toml");
      succeeds("generate", "--config", "lspi.toml", "--out", join(folder, "bundle"));
      const change = { ...file, symbol_name: "greet", new_name: "welcome", dry_run: false };
      succeeds("call", "rename_symbol", JSON.stringify(change), ...trusted);
      expect(readFileSync(join(project, "src", "use.ts"), "utf8")).toContain("welcome();");
    }, 300_000);

    it("is started by the stanza that it prints for a client, from another folder, and answers", async () => {
      const entry = JSON.parse(succeeds("client", "vscode", "--config", "lspi.toml")).servers["lsp-proxy"];
      expect(entry.args[0]).toBe(
        join(folder, "prefix", "lib", "node_modules", "lsp-proxy", "dist", "cli", "bin.js"),
      );
      const client = new Client({ name: "package", version: "0" });
      const started = { ...entry, env: { ...env, ...entry.env }, cwd: tmpdir(), stderr: "ignore" };
      await client.connect(new StdioClientTransport(started));
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(
        expect.arrayContaining(["find_definition", "whole_file"]),
      );
      const call = async (tool: string, args: object) =>
        JSON.stringify(await client.callTool({ name: tool, arguments: { ...file, ...args } }));
      expect(await call("find_references", { symbol_name: "welcome" })).toContain("src/use.ts");
      expect(await call("whole_file", {})).toContain("welcome");
      await client.close();
    }, 120_000);

    it("serves HTTP", async () => {
      const words = ["serve", "--http", "--port", "0", "--config", "lspi.toml", "--trust-workspace"];
      const secret = "a-token-of-this-test-0123456789";
      const gateway = spawn(bin, words, { cwd: project, env: { ...env, LSP_PROXY_TOKEN: secret } });
      try {
        const url = await new Promise<string>((resolve, reject) => {
          let said = "";
          gateway.stderr.setEncoding("utf8").on("data", (text: string) => {
            said += text;
            const [found] = /http:\/\/\S+\/mcp/.exec(said) ?? [];
            if (found !== undefined) resolve(found);
          });
          gateway.once("exit", () => reject(new Error(said)));
        });
        const client = new Client({ name: "package", version: "0" });
        const headers = { authorization: `Bearer ${secret}` };
        await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
        const { structuredContent } = await client.callTool({
          name: "get_document_symbols",
          arguments: file,
        });
        expect(structuredContent).toMatchObject({ ok: true });
        await client.close();
      } finally {
        const ended = gateway.exitCode === null ? once(gateway, "exit") : undefined;
        gateway.kill("SIGTERM");
        await ended;
      }
    }, 120_000);
  });
});
