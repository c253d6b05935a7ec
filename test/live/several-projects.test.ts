/** Uses are found and renamed in every project of a workspace, and in files that belong to no project. */
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

describe.each(Object.entries(servers))(
  "%s and files that no project includes",
  { timeout: 120_000 },
  (_name, config) => {
    const use = (name: string) => `import { ${name} } from "../src/price";\nexport const t = ${name}(3);\n`;
    async function openWithTests() {
      await open(config);
      rmSync(join(session.folder, "test/tsconfig.json"));
      rmSync(join(session.folder, "test/cases"), { recursive: true });
      session.write("test/price.spec.ts", use("total"));
      session.write("test/other.ts", "export const subtotal = 1;\n");
    }

    it("has their uses, also after a change", async () => {
      await openWithTests();
      expect(await references()).toEqual([...ofSource, ...twice("test/price.spec.ts")]);
      session.write("test/other.ts", use("total"));
      session.write("scripts/run.js", use("total"));
      rmSync(join(session.folder, "test/price.spec.ts"));
      expect(await references()).toEqual([
        ...twice("scripts/run.js"),
        ...ofSource,
        ...twice("test/other.ts"),
      ]);
    });

    it("has their uses without any tsconfig.json", async () => {
      await openWithTests();
      rmSync(join(session.folder, "tsconfig.json"));
      const { structuredContent } = await session.call("find_references", {
        file_path: "src/price.ts",
        symbol_name: "total",
      });
      expect(structuredContent).toMatchObject({ total: 5, warnings: [] });
    });

    it("renames in them, and updates their imports of a moved file", async () => {
      await openWithTests();
      const rename = { file_path: "src/price.ts", symbol_name: "total", new_name: "whole", dry_run: false };
      expect((await session.call("rename_symbol", rename)).structuredContent).toMatchObject({
        status: "applied",
      });
      expect(readFileSync(join(session.folder, "test/price.spec.ts"), "utf8")).toBe(use("whole"));
      const move = { old_path: "src/price.ts", new_path: "src/cost.ts" };
      const preview = await session.call("rename_file", move);
      const { edit_token } = preview.structuredContent;
      const applied = await session.call("rename_file", { ...move, dry_run: false, edit_token });
      expect(applied.structuredContent).toMatchObject({ status: "applied" });
      const moved = use("whole").replace("src/price", "src/cost");
      expect(readFileSync(join(session.folder, "test/price.spec.ts"), "utf8")).toBe(moved);
    });
  },
);

it("typescript finds symbols of every project", async () => {
  await open(servers.typescript);
  session.write("bench/tsconfig.json", tsconfig(["."]));
  session.write("bench/measure.ts", "export function measureAll(): void {}\n");
  session.write("scripts/clean.ts", "export function cleanAll(): void {}\n");
  for (const [query, path] of [
    ["measureAll", "bench/measure.ts"],
    ["cleanAll", "scripts/clean.ts"],
    ["total", "src/price.ts"],
  ] as const) {
    const { structuredContent } = await session.call("search_workspace_symbols", { query });
    expect(structuredContent).toMatchObject({ readiness: "ready", symbols: [{ name: query, path }] });
  }
}, 120_000);
