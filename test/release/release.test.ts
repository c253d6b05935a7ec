/**
 * What a release consists of, as far as it can be checked quickly. `npm run release -- --dry-run` does the rest, with the tools of
 * those who receive it.
 */
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
// Comes with the YAML language server that the live tests use.
import { parse } from "yaml";
import type { JsonObject } from "../../src/base/json.js";
import { exitCodes } from "../../src/cli/command.js";
import { schemaUrl } from "../../src/cli/shipped.js";
import { configSchema } from "../../src/config/schema.js";
import { runHere } from "../cli/terminal.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const manifest = readJson(join(root, "package.json"));

interface Templates {
  facts: { name: string; version: string; entry: string };
  write(name: string, folder: string): void;
}
interface Bill {
  metadata: { component: JsonObject };
  components: JsonObject[];
  dependencies: { ref: string; dependsOn: string[] }[];
}
interface Modules {
  package: {
    missingFields(manifest: JsonObject, runsIn?: string): string[];
    changelogProblem(text: string, version: string, isTagged: boolean): string | undefined;
    bundledPackages(notices: string): { name: string; version: string }[];
  };
  image: { ruleProblems(instructions: readonly (readonly [string, string])[]): string[] };
  registry: { registryProblems(server: JsonObject, schema: JsonObject, manifest: JsonObject): string[] };
  sbom: { ofBundled(bill: object, bundled: object[], facts: object): Bill };
  report: {
    Report: new () => {
      check(part: string, what: string, check: () => string): Promise<boolean>;
      end(isComplete: boolean): number;
    };
    Skipped: new (reason: string) => Error;
  };
  templates: { openTemplates(root: string): Promise<Templates> };
}

function load<K extends keyof Modules>(name: K): Promise<Modules[K]> {
  return import(new URL(`../../.ci/release/${name}.mjs`, import.meta.url).href) as Promise<Modules[K]>;
}

function readJson(file: string) {
  return JSON.parse(readFileSync(file, "utf8"));
}

it("is not published by the command that makes it", () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, ".ci", "release.mjs")], {
    encoding: "utf8",
  });
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toContain("--dry-run");
  expect(stderr).toContain(".github/workflows/release.yml");
});

it.for([
  ["passes with a skipped check", false, 0],
  ["fails with a skipped check before publishing", true, 1],
] as const)("%s", async ([, isComplete, code]) => {
  const { Report, Skipped } = await load("report");
  const lines: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((line) => void lines.push(line));
  try {
    const report = new Report();
    await report.check("part", "right", () => "detail");
    await report.check("part", "left out", () => {
      throw new Skipped("no tool");
    });
    expect(report.end(isComplete)).toBe(code);
  } finally {
    log.mockRestore();
  }
  expect(lines).toEqual([
    "ok part: right: detail",
    "skipped part: left out: no tool",
    "1 passed, 0 failed, 1 skipped",
  ]);
});

describe("the manifest of the package", () => {
  it("has what publishing with provenance needs", async () => {
    const { missingFields } = await load("package");
    expect(missingFields(manifest)).toEqual([]);
  });

  it.for([
    ["no licence", { license: undefined }, undefined, "package.json has no `license`"],
    ["no address of a repository", { repository: "somewhere" }, undefined, "`repository.url` is not"],
    ["another repository than the one it runs in", {}, "someone/else", "but this runs in someone/else"],
    [
      "another name in the MCP Registry",
      { mcpName: "io.github.someone/else" },
      undefined,
      "`mcpName` is not",
    ],
    ["a private package", { private: true }, undefined, "`private` forbids"],
  ] as const)("is refused with %s", async ([, change, runsIn, problem]) => {
    const { missingFields } = await load("package");
    const wrong = missingFields({ ...manifest, ...change } as JsonObject, runsIn);
    expect(wrong.join("\n")).toContain(problem);
  });

  it("has an entry in the changelog, which gets a date before its tag is pushed", async () => {
    const { changelogProblem } = await load("package");
    expect(changelogProblem(readFileSync(join(root, "CHANGELOG.md"), "utf8"), manifest.version, false)).toBe(
      undefined,
    );
    expect(changelogProblem("## [1.0.0] - 2026-11-18\n", "1.0.0", true)).toBe(undefined);
    expect(changelogProblem("## [1.0.0] - Unreleased\n", "1.0.0", true)).toContain("no date");
    expect(changelogProblem("## [1.0.0] - 2026-11-18\n", "1.0.1", false)).toContain("no section [1.0.1]");
    expect(changelogProblem("## [1.0.0] - 2026-11-18\n### New\n", "1.0.0", true)).toContain("section New");
  });
});

describe("what clients and registries get", () => {
  let out: string;
  let templates: Templates;
  beforeAll(async () => {
    out = mkdtempSync(join(tmpdir(), "lsp-proxy-release-"));
    templates = await (await load("templates")).openTemplates(root);
    for (const name of ["mcp-registry", "claude-desktop", "claude-code", "gemini"])
      templates.write(name, join(out, name));
  }, 60_000);
  afterAll(() => rmSync(out, { recursive: true, force: true }));

  it("is an entry of the MCP Registry by its published schema", async () => {
    const { registryProblems } = await load("registry");
    const schema = readJson(join(root, "test", "fixtures", "release", "server.schema.json"));
    const server = readJson(join(out, "mcp-registry", "server.json"));
    expect(registryProblems(server, schema, manifest)).toEqual([]);
    const wrong = (change: object) => registryProblems({ ...server, ...change }, schema, manifest).join("\n");
    expect(wrong({ description: "x".repeat(101) })).toContain("/description");
    expect(wrong({ name: "lsp-proxy" })).toContain("/name");
    expect(wrong({ name: "io.github.someone/else" })).toContain("mcpName");
    expect(wrong({ packages: [{ ...server.packages[0], version: "9.9.9" }] })).toContain("9.9.9");
  });

  it("starts the packed program, at one version", () => {
    const bundle = readJson(join(out, "claude-desktop", "manifest.json"));
    const plugin = readJson(join(out, "claude-code", ".claude-plugin", "plugin.json"));
    const extension = readJson(join(out, "gemini", "gemini-extension.json"));
    for (const { name, version } of [bundle, plugin, extension])
      expect({ name, version }).toEqual({ name: manifest.name, version: manifest.version });
    const entries = [
      bundle.server.mcp_config,
      readJson(join(out, "claude-code", ".mcp.json")).mcpServers[manifest.name],
      extension.mcpServers[manifest.name],
    ];
    for (const { command, args } of entries) {
      expect(command).toBe("node");
      expect(args[0]).toMatch(/^\$\{\w+\}.*dist\/cli\/bin\.js$/);
      expect(args[1]).toBe("serve");
    }
    expect(existsSync(join(root, templates.facts.entry))).toBe(true);
    expect(bundle.tools.length).toBeGreaterThan(5);
  });
});

describe("the bill of materials", () => {
  const component = (ref: string) => ({
    "bom-ref": ref,
    scope: "optional",
    licenses: [{ license: { id: "MIT" } }],
    hashes: [{ alg: "SHA-512", content: "00" }],
  });
  const bill = {
    serialNumber: "urn:uuid:random",
    metadata: { timestamp: "now", component: { "bom-ref": "own@1.0.0", type: "library" } },
    components: [component("bundled@1.0.0"), component("inner@2.0.0"), component("tool@3.0.0")],
    dependencies: [
      { ref: "own@1.0.0", dependsOn: ["bundled@1.0.0", "tool@3.0.0"] },
      { ref: "bundled@1.0.0", dependsOn: ["inner@2.0.0", "tool@3.0.0"] },
      { ref: "tool@3.0.0", dependsOn: [] },
    ],
  };
  const own = { name: "own", version: "1.0.0" };
  const bundled = [
    { name: "bundled", version: "1.0.0" },
    { name: "inner", version: "2.0.0" },
  ];

  it("has the packages that are bundled, and nothing that changes with the time", async () => {
    const { ofBundled } = await load("sbom");
    const made = ofBundled(bill, bundled, own);
    expect(made.components.map((entry) => [entry["bom-ref"], entry.scope])).toEqual([
      ["bundled@1.0.0", "required"],
      ["inner@2.0.0", "required"],
    ]);
    expect(made.dependencies).toEqual([
      { ref: "own@1.0.0", dependsOn: ["bundled@1.0.0", "inner@2.0.0"] },
      { ref: "bundled@1.0.0", dependsOn: ["inner@2.0.0"] },
    ]);
    expect(JSON.stringify(made)).not.toMatch(/random|now/);
  });

  it("is refused without a bundled package, or without the licence of one", async () => {
    const { ofBundled } = await load("sbom");
    expect(() => ofBundled(bill, [...bundled, { name: "absent", version: "1.0.0" }], own)).toThrow(
      /absent@1/,
    );
    const bare = { ...bill, components: bill.components.map((entry) => ({ ...entry, licenses: [] })) };
    expect(() => ofBundled(bare, bundled, own)).toThrow(/without licence/);
  });

  it("knows the packages of the build by their notices", async () => {
    const { bundledPackages } = await load("package");
    const found = bundledPackages(readFileSync(join(root, "dist", "THIRD_PARTY_NOTICES.txt"), "utf8"));
    expect(found.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["@modelcontextprotocol/sdk", "vscode-jsonrpc", "zod"]),
    );
    expect(found.filter(({ version }) => !/^\d+\.\d+\.\d+/.test(version))).toEqual([]);
  });
});

it.for([
  ["one stage", 0, "it has one stage"],
  ["a base image of any version", 1, "a base image has no version"],
  ["root", 2, "the user is root"],
  ["no health check", 3, "it has no health check"],
] as const)("refuses an image with %s", async ([, without, problem]) => {
  const { ruleProblems } = await load("image");
  const right: [string, string][] = [
    ["FROM", "node:24-slim AS build"],
    ["FROM", "node:24-slim AS runtime"],
    ["USER", "1000:1000"],
    ["HEALTHCHECK", 'CMD ["true"]'],
  ];
  expect(ruleProblems(right)).toEqual([]);
  const wrong = without === 1 ? right.with(1, ["FROM", "node"]) : right.toSpliced(without, 1);
  expect(ruleProblems(wrong).join("\n")).toContain(problem);
});

describe("the schema for editors", () => {
  describe.each([
    ["init", ["init", "--all", "--output"]],
    ["import", ["import", "cclsp.json", "--output"]],
    ["add", ["add", "pyright", "--config"]],
  ])("is named in a config that `%s` creates", (_name, words) => {
    let folder: string;
    beforeEach(() => {
      folder = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-editors-")));
      writeFileSync(join(folder, "main.py"), "print(1)\n");
      const server = { extensions: ["py"], command: ["pyright-langserver", "--stdio"] };
      writeFileSync(join(folder, "cclsp.json"), JSON.stringify({ servers: [server] }));
    });
    afterEach(() => rmSync(folder, { recursive: true, force: true }));

    async function created(name: string): Promise<string> {
      const { code, stdout, stderr } = await runHere([...words, name], { cwd: folder });
      expect(code, stdout + stderr).toBe(0);
      const checked = await runHere(["validate", "--config", name], { cwd: folder });
      expect(checked.code, checked.stdout + checked.stderr).toBe(0);
      return readFileSync(join(folder, name), "utf8");
    }

    it("before the first key of TOML, as a comment", async () => {
      const lines = (await created("lspi.toml")).split("\n");
      const line = lines.indexOf(`#:schema ${schemaUrl()}`);
      expect(line, lines.join("\n")).toBeGreaterThanOrEqual(0);
      expect(lines.slice(0, line).filter((text) => !text.startsWith("#"))).toEqual([]);
    });

    it("as the first key of JSON", async () => {
      const config = JSON.parse(await created("lspi.json"));
      expect(Object.entries(config)[0]).toEqual(["$schema", schemaUrl()]);
      expect(config.servers).toContainEqual({ id: "pyright", kind: "pyright" });
    });
  });

  it("is named in the page about editors", () => {
    const page = readFileSync(join(root, "docs", "editors.md"), "utf8");
    const named = page.match(/https:\/\/unpkg\.com[^\s"]+/g);
    expect(named).toEqual([schemaUrl(), schemaUrl()]);
  });

  it("is in the package, at the version that the address names", () => {
    const [, name, range, path = ""] =
      /^https:\/\/unpkg\.com\/([^@]+)@([^/]+)\/(.+)$/.exec(schemaUrl()) ?? [];
    expect(name).toBe(manifest.name);
    expect(manifest.version.startsWith(`${range}.`)).toBe(true);
    expect(existsSync(join(root, path))).toBe(true);
  });
});

it("promises the config language and the exit codes that the program has", () => {
  const page = readFileSync(join(root, "docs", "versioning.md"), "utf8");
  const { version } = configSchema.shape;
  const [, language = ""] = /`version = (\d+)` is the version of the config language/.exec(page) ?? [];
  expect(version.safeParse(Number(language)).success).toBe(true);
  const [, listed = ""] = /Exit codes: ([\s\S]*?)\.\n/.exec(page) ?? [];
  const numbers = Array.from(listed.matchAll(/(?:^|;\s)(\d+)\s/g), ([, number]) => Number(number));
  expect(numbers).toEqual(Object.values(exitCodes));
});

describe("the workflows", () => {
  const folder = join(root, ".github", "workflows");
  const workflows = readdirSync(folder).map((name) => ({
    name,
    ...parse(readFileSync(join(folder, name), "utf8")),
  }));

  it("test on every system and every version of Node that the package promises", () => {
    const { matrix } = workflows.find(({ name }) => name === "test").jobs.test.strategy;
    expect(matrix).toEqual({ os: ["ubuntu-latest", "macos-latest", "windows-latest"], node: [20, 22, 24] });
    expect(manifest.engines.node).toBe(`>=${matrix.node[0]}`);
    const { steps } = workflows.find(({ name }) => name === "test").jobs.test;
    const commands = steps.flatMap(({ run }: { run?: string }) => run ?? []);
    expect(commands).toEqual(["npm ci", "npm test", "npm run windows"]);
  });

  it("use actions at fixed commits, and may write only where they must", () => {
    for (const { permissions, jobs } of workflows) {
      expect(permissions).toEqual({ contents: "read" });
      for (const { steps } of Object.values<{ steps: { uses?: string }[] }>(jobs))
        for (const { uses } of steps) if (uses !== undefined) expect(uses).toMatch(/^[\w./-]+@[0-9a-f]{40}$/);
    }
  });

  it("publish only what was checked, with provenance", () => {
    const { jobs } = workflows.find(({ name }) => name === "release");
    const commands = (job: { steps: { run?: string }[] }) => job.steps.map(({ run = "" }) => run).join("\n");
    expect(commands(jobs.check)).toContain("npm run release -- --dry-run --complete");
    expect(jobs.npm.needs).toBe("check");
    expect(jobs.npm.permissions["id-token"]).toBe("write");
    expect(commands(jobs.npm)).toMatch(/npm publish .*--provenance/);
  });
});
