import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";

/** The import rule of docs/architecture.md: what each stage may import besides itself, and which packages. */
const rule: { [stage: string]: { stages: string[]; packages: string[] } } = {
  base: { stages: [], packages: [] },
  abi: { stages: ["base"], packages: [] },
  protocol: { stages: ["base", "abi"], packages: ["vscode-languageserver-protocol"] },
  hub: { stages: ["base"], packages: [] },
  config: {
    stages: ["base"],
    packages: ["smol-toml", "jsonc-parser", "toml-eslint-parser", "zod"],
  },
  plan: { stages: ["base", "abi", "config", "protocol"], packages: [] },
  emit: { stages: ["base", "abi", "plan", "protocol"], packages: ["ajv", "diff", "handlebars"] },
  lsp: {
    stages: ["base", "abi", "protocol", "workspace"],
    packages: ["vscode-jsonrpc", "vscode-languageserver-protocol", "lru-cache"],
  },
  workspace: { stages: ["base"], packages: ["diff"] },
  runtime: {
    stages: ["base", "abi", "protocol", "lsp", "workspace"],
    packages: ["lru-cache", "vscode-languageserver-protocol"],
  },
  mcp: {
    stages: ["base", "abi", "hub", "runtime", "lsp"],
    packages: [
      "@hono/node-server",
      "@modelcontextprotocol/sdk",
      "@modelcontextprotocol/server",
      "eventsource-parser",
    ],
  },
  dashboard: {
    stages: ["base", "abi", "protocol", "lsp", "runtime", "mcp"],
    packages: ["eventsource-parser", "lru-cache", "preact", "prom-client", "uplot"],
  },
  cli: {
    stages: [
      "base",
      "abi",
      "hub",
      "protocol",
      "config",
      "plan",
      "emit",
      "lsp",
      "workspace",
      "runtime",
      "mcp",
      "dashboard",
    ],
    packages: ["semver"],
  },
};

/** Stages of which another may use the types, but no code. */
const typesOnly: { [stage: string]: string[] } = {
  plan: ["config"],
  mcp: ["lsp"],
  dashboard: ["lsp", "runtime"],
};

/** Stages where the same input must always give the same output. */
const pure = ["base", "protocol", "plan", "emit"];

const src = new URL("../src", import.meta.url).pathname;

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? sources(path) : /\.tsx?$/.test(path) ? [path] : [];
  });
}

interface Import {
  file: string;
  stage: string;
  specifier: string;
  isType: boolean;
}

function importsOf(file: string): Import[] {
  const text = readFileSync(file, "utf8");
  const stage = relative(src, file).split("/")[0] ?? "";
  const found = [
    ...text.matchAll(
      /(?:^|\n)(?:import|export)\s(type\s)?(?:[^"';]*?\sfrom\s)?"([^"]+)"|import\("([^"]+)"\)/g,
    ),
  ];
  return found.map((match) => ({
    file: relative(src, file),
    stage,
    specifier: match[2] ?? match[3] ?? "",
    isType: match[1] !== undefined,
  }));
}

const imports = sources(src).flatMap(importsOf);

function stageOf({ file, specifier }: Import): string | undefined {
  if (!specifier.startsWith(".")) return undefined;
  return relative(src, join(src, file, "..", specifier)).split("/")[0];
}

function packageOf(specifier: string): string {
  const parts = specifier.split("/");
  return specifier.startsWith("@") ? parts.slice(0, 2).join("/") : (parts[0] ?? "");
}

describe("the import rule", () => {
  it("knows every folder", () => {
    expect(readdirSync(src).toSorted()).toEqual(Object.keys(rule).toSorted());
  });

  it("is the table of docs/architecture.md", () => {
    const page = readFileSync(join(src, "../docs/architecture.md"), "utf8");
    const rows = [...page.matchAll(/^\| `src\/(\w+)` \|.*\| ([^|]+) \|$/gm)];
    const order = Object.keys(rule);
    const described = rows.map(([, stage = "", imports = ""]) => [stage, imports]);
    const expected = Object.entries(rule).map(([stage, { stages }]) => {
      if (stages.length === order.length - 1) return [stage, "all"];
      const names = stages.map((name) => (typesOnly[stage]?.includes(name) ? `${name} (types)` : name));
      return [stage, names.length > 0 ? names.toSorted().join(", ") : "nothing"];
    });
    const sorted = (rows: (string | undefined)[][]) =>
      rows
        .map(([stage, imports = ""]) => `${stage}: ${imports.split(", ").toSorted().join(", ")}`)
        .toSorted();
    expect(sorted(described)).toEqual(sorted(expected));
  });

  it("lets a stage import only the stages before it", () => {
    const wrong = imports.filter((entry) => {
      const target = stageOf(entry);
      if (target === undefined || target === entry.stage) return false;
      if (!rule[entry.stage]?.stages.includes(target)) return true;
      return (typesOnly[entry.stage]?.includes(target) ?? false) && !entry.isType;
    });
    expect(wrong.map((entry) => `${entry.file} → ${entry.specifier}`)).toEqual([]);
  });

  it("lets a stage use only its own packages", () => {
    const wrong = imports.filter(
      (entry) =>
        !entry.specifier.startsWith(".") &&
        !entry.specifier.startsWith("node:") &&
        !rule[entry.stage]?.packages.includes(packageOf(entry.specifier)),
    );
    expect(wrong.map((entry) => `${entry.file} → ${entry.specifier}`)).toEqual([]);
  });

  it("leaves the question which system it is to one module", () => {
    const asks = sources(src).filter((file) =>
      /process\.platform|\b(?:os\.)?(?:platform|type)\(\)|\bsep [!=]== "|process\.gete?uid [!=]==/.test(
        readFileSync(file, "utf8"),
      ),
    );
    expect(asks.map((file) => relative(src, file))).toEqual(["base/platform.ts"]);
  });

  it("keeps the page of the dashboard apart: it runs in a browser, and shares only the API's types and names", () => {
    const page = "dashboard/page/";
    const target = ({ file, specifier }: Import) =>
      specifier.startsWith(".") ? relative(src, join(src, file, "..", specifier)) : specifier;
    const inside = imports.filter(({ file }) => file.startsWith(page));
    expect(inside.length).toBeGreaterThan(50);
    const allowed = /^(?:dashboard\/page\/|dashboard\/(?:config-)?api\.js$|base\/|preact|uplot$)/;
    expect(inside.filter((entry) => !allowed.test(target(entry)))).toEqual([]);
    const outside = imports.filter(({ file }) => !file.startsWith(page));
    expect(outside.filter((entry) => /^(?:dashboard\/page\/|preact|uplot)/.test(target(entry)))).toEqual([]);
  });

  it("takes only types from the package of the language server protocol, which is slow to load", () => {
    const found = imports.filter(
      ({ specifier }) => packageOf(specifier) === "vscode-languageserver-protocol",
    );
    expect(found.length).toBeGreaterThan(0);
    expect(found.filter(({ isType }) => !isType).map(({ file }) => file)).toEqual([]);
  });
});

describe("determinism", () => {
  const files = sources(src).map((file) => ({ file: relative(src, file), text: readFileSync(file, "utf8") }));

  it("sorts in one place", () => {
    const wrong = files.filter(
      ({ file, text }) =>
        file !== "base/order.ts" && /\.(sort|toSorted)\(|localeCompare|Intl\.Collator/.test(text),
    );
    expect(wrong.map(({ file }) => file)).toEqual([]);
  });

  it("keeps clock, chance, locale and environment out of the pure stages", () => {
    const wrong = files.filter(
      ({ file, text }) =>
        pure.includes(file.split("/")[0] ?? "") &&
        /Date\.now|new Date\(|Math\.random|randomUUID|randomBytes|process\.env|process\.cwd|toLocale/.test(
          text,
        ),
    );
    expect(wrong.map(({ file }) => file)).toEqual([]);
  });
});

it("writes to stdout and stderr in one place, which escapes what is foreign", () => {
  const sources = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((name) =>
    /\.tsx?$/.test(name),
  );
  const using = (pattern: RegExp) =>
    sources.filter((name) => pattern.test(readFileSync(join("src", name), "utf8"))).sort();
  expect(using(/process\.(?:stdout|stderr)|console\./)).toEqual(["cli/bin.ts"]);
  // The protocol of `serve`, and questions.
  expect(using(/\.(?:stdout|stderr)\.stream/)).toEqual([
    "cli/serve-alone.ts",
    "cli/streams.ts",
    "cli/terminal/prompt.ts",
  ]);
});

it("exports nothing that no other file uses", () => {
  const roots = [src, join(src, "../test"), join(src, "../.ci")];
  const words = new Map(
    roots.flatMap(sources).map((file) => [file, new Set(readFileSync(file, "utf8").match(/\w+/g))]),
  );
  const exported = /^export (?:abstract |async )?(?:const|function\*?|class|interface|type) (?<name>\w+)/gm;
  const unused = sources(src).flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(exported)]
      .map(({ groups }) => groups?.name ?? "")
      .filter((name) => ![...words].some(([other, used]) => other !== file && used.has(name)))
      .map((name) => `${relative(src, file)}: ${name}`),
  );
  expect(unused).toEqual([]);
});

it("has no file of more than 300 lines, except tables of data", () => {
  const long = sources(src).filter((file) => readFileSync(file, "utf8").split("\n").length - 1 > 300);
  expect(long.map((file) => relative(src, file))).toEqual(["base/codes.ts"]);
});

it("spreads no literal only to write several members on one line", () => {
  const spread = /^\s*\.\.\.(?:\{.*\}|\[.*\]),$/m;
  const found = sources(src).filter((file) => spread.test(readFileSync(file, "utf8")));
  expect(found.map((file) => relative(src, file))).toEqual([]);
});

it("has no hooks in helpers of tests, which would run only in the first file that loads a helper", () => {
  const helpers = readdirSync("test", { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && !name.startsWith("fixtures"),
  );
  const hook = /^(?:before|after)(?:Each|All)\(|^vi\.|^onTestFinished\(/m;
  const found = helpers.filter((name) => hook.test(readFileSync(join("test", name), "utf8")));
  expect(found).toEqual(["setup.ts"]);
});
