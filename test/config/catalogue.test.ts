/** The catalogue as a whole: every file of one layout, every claim settled, every preset good for a plan. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "smol-toml";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/base/json.js";
import { Catalogue } from "../../src/config/catalogue/catalogue.js";
import { INDEX_FILE, indexText } from "../../src/config/catalogue/preset-index.js";
import { commentLines, commentOf, serverLines } from "../../src/config/edit/server-text.js";
import { diskFiles, type Files } from "../../src/config/files.js";
import { formats } from "../../src/config/import/formats.js";
import { loadConfig } from "../../src/config/load.js";
import type { PresetConfig } from "../../src/config/schema.js";
import { buildPlan } from "../../src/plan/build.js";
import { languageIds } from "../../src/protocol/languages.js";
import { overShipped, request, SHIPPED } from "./memory-files.js";

const catalogue = new Catalogue(SHIPPED, diskFiles);
const presets = catalogue.presets().map(({ config }) => config);
const files = readdirSync(join(SHIPPED, "servers")).filter((name) => name.endsWith(".toml"));
const claimsOf = ({ extensions = [], filenames = [], globs = [] }: PresetConfig) => [
  ...extensions.map((extension) => `*.${extension}`),
  ...filenames,
  ...globs.map((glob) => `glob ${glob}`),
];

/** The plan of a config with one server. A profile with one tool: the tools do not depend on the server. */
function planOf(server: object) {
  const { config, ...loaded } = loadConfig(
    request({ shipped: SHIPPED, configPath: "/w/c.json" }),
    overShipped({ "/w/c.json": JSON.stringify({ servers: [server], mcp: { context: "pathfinder" } }) }),
  );
  return buildPlan(config, loaded);
}

const plansOfPresets = new Map<string, ReturnType<typeof planOf>>();
/** The plan of a config with one preset only; made once, because there are hundreds. */
function planOfPreset(kind: string): ReturnType<typeof planOf> {
  const plan = plansOfPresets.get(kind) ?? planOf({ id: "mine", kind });
  plansOfPresets.set(kind, plan);
  return plan;
}

describe("the catalogue", () => {
  test("has at least 400 servers for at least 250 languages, all valid", () => {
    expect(catalogue.problems).toEqual([]);
    expect(presets.length).toBe(files.length);
    expect(presets.length).toBeGreaterThanOrEqual(400);
    const languages = new Set(presets.flatMap(({ languages = [] }) => languages));
    expect(languages.size).toBeGreaterThanOrEqual(250);
  });

  test("is laid out alike in every file", () => {
    for (const file of files) {
      const text = readFileSync(join(SHIPPED, "servers", file), "utf8");
      const preset = parse(text) as JsonObject;
      expect(text, file).toBe([...commentLines(commentOf(text)), ...serverLines(preset), ""].join("\n"));
      expect(commentOf(text), file).toMatch(/[.)]$/);
      expect(text.split("\n").length, file).toBeLessThan(50);
      expect(preset.id).toBe(file.slice(0, -".toml".length));
    }
  });

  /** A server that runs anything of a project must not be among them: packages, plugins, configuration, interpreter, build. */
  test("allows only these for an untrusted workspace", () => {
    const harmless = presets.filter(({ untrusted }) => untrusted?.start === true).map(({ id }) => id);
    expect(harmless).toEqual([
      "bash-language-server",
      "biome",
      "cucumber-language-server",
      "docker-compose-langserver",
      "dockerfile",
      "gopls",
      "harper-ls",
      "jedi-language-server",
      "markdown-oxide",
      "marksman",
      "ngserver",
      "pyright",
      "quick-lint-js",
      "ruff",
      "svelteserver",
      "taplo",
      "tombi",
      "tsgo",
      "ty",
      "typescript",
      "typescript-language-server",
      "typos-lsp",
      "vim-language-server",
      "vscode-css-language-server",
      "vscode-html-language-server",
      "vscode-json-language-server",
      "vtsls",
      "yaml-language-server",
      "zuban",
    ]);
    for (const preset of presets) {
      const [server] = planOfPreset(preset.id).plan.servers;
      expect(server?.untrusted.start, preset.id).toBe(harmless.includes(preset.id));
    }
  });

  const eslint = "vscode-eslint-language-server";
  test.each<[boolean, object]>([
    [false, { command: ["npx", "-y", `${eslint}@4`, "--stdio"] }],
    [false, { command: ["pnpm", "exec", eslint] }],
    [false, { command: ["npx", "@vue/language-server", "--stdio"] }],
    [false, { command: ["node", `/x/node_modules/.bin/${eslint}`], args: ["--stdio"] }],
    [false, { command: "nice", args: ["-n", "5", eslint] }],
    [false, { command: eslint, adapter: "pyright" }],
    [false, { kind: eslint, adapter: "pyright" }],
    [false, { kind: "pyright", command: ["npx", eslint] }],
    [true, { kind: "pyright", command: ["npx", "pyright-langserver", "--stdio"] }],
    [true, { command: ["npx", "pyright-langserver", "--stdio"] }],
    [true, { command: ["my-ls", "--pyright", "x"] }],
    [true, { command: ["npx", eslint], untrusted: { start: true } }],
  ])("%s for an untrusted workspace in any form: %j", (start, server) => {
    const [planned] = planOf({ id: "x", extensions: ["x"], ...server }).plan.servers;
    expect(planned?.untrusted.start).toBe(start);
  });

  test("says of each server what is needed", () => {
    for (const preset of presets) {
      const { id, install = {} } = preset;
      expect(preset.languages?.length, id).toBeGreaterThan(0);
      expect(claimsOf(preset).length, id).toBeGreaterThan(0);
      expect(claimsOf(preset).length, id).toBe(new Set(claimsOf(preset)).size);
      for (const extension of preset.extensions ?? []) expect(extension, id).toBe(extension.toLowerCase());
      if (preset.transport === undefined) {
        expect(preset.command, `${id}: a bare name`).toMatch(/^[A-Za-z0-9_][A-Za-z0-9_.+-]*$/);
        expect(preset.args, id).toBeDefined();
      }
      expect(preset.companion === true, `${id}: a rank, or a companion`).toBe(preset.rank === undefined);
      if (preset.companion) expect(preset.priority, id).toBeLessThan(0);
      expect(preset.homepage, id).toMatch(/^https:\/\/\S+$/);
      expect(Object.keys(install).length, `${id}: a way to install it`).toBeGreaterThan(0);
    }
  });

  test("no two presets answer to one name", () => {
    const names = presets.flatMap(({ id, kinds = [] }) => [id, ...kinds]);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  test("other programs' names are theirs, unlike ours, and each means one preset", () => {
    const foreign = presets.flatMap(({ id, known_as: names = {} }) =>
      Object.entries(names).flatMap(([program, own]) => own.map((name) => ({ id, program, name }))),
    );
    const programs = formats.filter(({ hasBuiltInServers }) => hasBuiltInServers).map(({ name }) => name);
    const called = foreign.map(({ program, name }) => `${program}: ${name}`);
    expect(foreign.length).toBeGreaterThan(20);
    expect(foreign.filter(({ program }) => !programs.includes(program))).toEqual([]);
    expect(foreign.filter(({ id, name }) => catalogue.preset(name)?.config.id === id)).toEqual([]);
    expect(called.filter((name, index) => called.indexOf(name) !== index)).toEqual([]);
  });

  test("where presets claim the same files, their ranks differ and the first says why", () => {
    const byClaim = new Map<string, PresetConfig[]>();
    for (const preset of presets.filter(({ companion }) => companion !== true))
      for (const claim of claimsOf(preset)) byClaim.set(claim, [...(byClaim.get(claim) ?? []), preset]);
    const tied: string[] = [];
    const unexplained = new Set<string>();
    for (const [claim, rivals] of byClaim) {
      if (rivals.length < 2) continue;
      const ranked = rivals.toSorted((a, b) => (b.rank ?? 0) - (a.rank ?? 0));
      ranked.forEach(({ id, rank }, index) => {
        const next = ranked[index + 1];
        if (next?.rank === rank) tied.push(`${claim}: ${id} and ${next?.id} at ${rank}`);
      });
      if (ranked[0]?.preferred === undefined) unexplained.add(`${ranked[0]?.id} for ${claim}`);
    }
    expect({ tied, unexplained: [...unexplained] }).toEqual({ tied: [], unexplained: [] });
    const rivalled = new Set([...byClaim.values()].filter(({ length }) => length > 1).flat());
    const boastful = presets.filter((preset) => preset.preferred !== undefined && !rivalled.has(preset));
    expect(boastful.map(({ id }) => id)).toEqual([]);
  });

  test("goes through config and plan, preset by preset", () => {
    for (const preset of presets) {
      const { plan, problems } = planOfPreset(preset.id);
      expect(problems, preset.id).toEqual([]);
      const [server] = plan.servers;
      expect(server?.command, preset.id).toEqual([preset.command ?? []].flat());
      expect(plan.allow.commands, preset.id).toEqual([preset.command ?? []].flat());
      expect(server?.extensions, preset.id).toEqual(preset.extensions?.toSorted() ?? []);
      expect(server?.settings, preset.id).toEqual(preset.workspace_configuration ?? {});
      for (const language of Object.values(server?.languageIds ?? {}))
        expect(language, preset.id).toMatch(/\S/);
    }
  }, 120_000);
});

describe("stacks", () => {
  const stacks = catalogue.names().filter((name) => name.startsWith("stacks/"));

  test.each(stacks)("%s goes through config and plan", (name) => {
    const { config, ...loaded } = loadConfig(
      request({ shipped: SHIPPED, configPath: "/w/c.json" }),
      overShipped({ "/w/c.json": JSON.stringify({ extends: [name] }) }),
    );
    const { plan, problems } = buildPlan(config, loaded);
    expect(problems).toEqual([]);
    expect(plan.servers.length).toBeGreaterThan(1);
  });
});

describe("a program that runs any code", () => {
  const interpreter = presets.find((preset) => preset.interpreter);

  test("may be started as its preset says, and with other arguments only when allowed", () => {
    expect(planOf({ id: "mine", kind: interpreter?.id }).problems).toEqual([]);
    const other = planOf({ id: "mine", kind: interpreter?.id, args: ["-e", "anything"] }).problems;
    expect(other.map(({ code }) => code)).toEqual(["plan/command-not-allowed"]);
    const generic = planOf({ id: "mine", command: interpreter?.command, extensions: ["x"] }).problems;
    expect(generic.map(({ code }) => code)).toEqual(["plan/command-not-allowed"]);
  });
});

describe("the program", () => {
  const src = fileURLToPath(new URL("../../src", import.meta.url));
  const sources = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );

  test("knows no server by name: the special behaviour of one is in its file", () => {
    const languages = presets.flatMap(({ languages = [], language_id, language_ids = {} }) => [
      ...languages,
      language_id,
      ...Object.values(language_ids),
    ]);
    // A server that is called as its language is, or as a word of the protocol, cannot be told from it in a text.
    const words = new Set<unknown>([
      ...languages,
      ...Object.values(languageIds),
      "pb",
      "tsx",
      "codex",
      "marksman",
    ]);
    const names = new Set(
      presets.flatMap(({ id, kinds = [] }) => [id, ...kinds]).filter((name) => !words.has(name)),
    );
    const named = sources.flatMap((file) => {
      const literals = readFileSync(join(src, file), "utf8").matchAll(/"([^"\n]+)"|'([^'\n]+)'|`([^`\n]+)`/g);
      return [...literals].flatMap((match) => {
        const text = match[1] ?? match[2] ?? match[3] ?? "";
        return names.has(text) ? [`${file}: ${text}`] : [];
      });
    });
    expect(named).toEqual([]);
  });
});

describe("the index", () => {
  test("is what the presets say", () => {
    expect(readFileSync(join(SHIPPED, INDEX_FILE), "utf8")).toBe(indexText(presets));
  });

  test("keeps a start from reading presets that it does not use", () => {
    const read: string[] = [];
    const counting = (inner: Files): Files => ({
      ...inner,
      read: (path) => {
        read.push(path);
        return inner.read(path);
      },
    });
    const [one, two] = [presets[0]?.id, presets[1]?.kinds?.[0]];
    const config = { servers: [one, two].map((kind) => ({ id: kind, kind })) };
    loadConfig(
      request({ shipped: SHIPPED, configPath: "/w/c.json" }),
      counting(overShipped({ "/w/c.json": JSON.stringify(config) })),
    );
    const servers = read.filter(
      (path) => path.startsWith(join(SHIPPED, "servers")) && path.endsWith(".toml"),
    );
    expect(servers.toSorted()).toEqual(
      [presets[0]?.id, presets[1]?.id].map((id) => join(SHIPPED, "servers", `${id}.toml`)),
    );
  });

  test("is not needed: without it the presets themselves are read", () => {
    const bare = new Catalogue(SHIPPED, {
      ...diskFiles,
      read: (path) => (path.endsWith("index.json") ? undefined : diskFiles.read(path)),
    });
    expect(bare.facts()).toEqual(catalogue.facts());
  });
});
