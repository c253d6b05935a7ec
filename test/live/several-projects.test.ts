/** Several TypeScript projects in one workspace: uses in each are found and renamed, wherever the question is asked. */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type LiveSession, openSession, repository } from "./session.js";

let session: LiveSession;
afterEach(() => session?.close());

const tsserver = join(repository, "node_modules", "typescript-5", "lib", "tsserver.js");
const servers = {
  typescript: '[[servers]]\nid = "ts"\nkind = "typescript"\n',
  "typescript-language-server": `[[servers]]\nid = "ts"\nkind = "typescript-language-server"\ninitialize_options.tsserver.path = "${tsserver}"\n`,
};
// Without the types of browsers, which are most of what a server would load.
const tsconfig = (include: string[]) =>
  JSON.stringify({ compilerOptions: { lib: ["es5"], strict: true }, include });

async function open(config: string): Promise<void> {
  session = await openSession("empty", `[allow]\neffects = ["read", "edit"]\n${config}`, [
    "--trust-workspace",
  ]);
  session.write("tsconfig.json", tsconfig(["src"]));
  session.write("src/price.ts", "export function total(n: number): number { return n; }\n");
  session.write("src/main.ts", 'import { total } from "./price";\nexport const sum = total(1);\n');
  addProject("test");
}

/** A folder with a project of its own, with two uses; and a file that belongs to no project, which is tried first. */
function addProject(folder: string): void {
  session.write(`${folder}/tsconfig.json`, tsconfig(["../src", "cases"]));
  session.write(`${folder}/a.config.ts`, "export {};\n");
  session.write(
    `${folder}/cases/price.ts`,
    'import { total } from "../../src/price";\nexport const t = total(3);\n',
  );
}

async function references(): Promise<string[]> {
  const args = { file_path: "src/price.ts", symbol_name: "total" };
  const { structuredContent } = await session.call("find_references", args);
  expect(structuredContent).toMatchObject({ ok: true, readiness: "ready", warnings: [] });
  return (structuredContent.locations as { path: string }[]).map(({ path }) => path);
}

const ofSource = ["src/main.ts", "src/main.ts", "src/price.ts"];
const twice = (path: string) => [path, path];

describe.each(Object.entries(servers))("%s", { timeout: 120_000 }, (_name, config) => {
  it("has the uses of every project, also of one that is added or removed later", async () => {
    await open(config);
    expect(await references()).toEqual([...ofSource, ...twice("test/cases/price.ts")]);
    addProject("bench");
    expect(await references()).toEqual([
      ...twice("bench/cases/price.ts"),
      ...ofSource,
      ...twice("test/cases/price.ts"),
    ]);
    rmSync(join(session.folder, "test"), { recursive: true });
    expect(await references()).toEqual([...twice("bench/cases/price.ts"), ...ofSource]);
  });

  it("renames in every project", async () => {
    await open(config);
    const renamed = await session.call("rename_symbol", {
      file_path: "src/price.ts",
      symbol_name: "total",
      new_name: "whole",
      dry_run: false,
    });
    expect(renamed.structuredContent).toMatchObject({ ok: true, status: "applied" });
    const text = readFileSync(join(session.folder, "test/cases/price.ts"), "utf8");
    expect(text).toBe('import { whole } from "../../src/price";\nexport const t = whole(3);\n');
  });
});

it("typescript finds symbols of every project", async () => {
  await open(servers.typescript);
  session.write("bench/tsconfig.json", tsconfig(["."]));
  session.write("bench/measure.ts", "export function measureAll(): void {}\n");
  for (const [query, path] of [
    ["measureAll", "bench/measure.ts"],
    ["total", "src/price.ts"],
  ] as const) {
    const { structuredContent } = await session.call("search_workspace_symbols", { query });
    expect(structuredContent).toMatchObject({ readiness: "ready", symbols: [{ name: query, path }] });
  }
}, 120_000);
