/**
 * The extra tools, which the mapping language makes of requests by config alone, with real servers. Servers that are no
 * npm packages are asked where they are installed; the name of a skipped test says what is missing.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installed, type LiveSession, openSession, repository, type ToolResult } from "./session.js";

const READY_MS = 120_000;

/** A config with the extra tools and one server. */
function extra(kind: string, command: string, server = ""): string {
  const env = [
    "PATH",
    "HOME",
    "LANG",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "GOFLAGS",
    "GOPATH",
    "GOCACHE",
    "GOVULNDB",
  ];
  return `extends = ["profiles/extra"]
[allow]
commands = [${JSON.stringify(command)}]
effects = ["read", "edit", "command"]
env = ${JSON.stringify([...env, "GOPROXY", "GOTOOLCHAIN"])}

[[servers]]
id = ${JSON.stringify(kind)}
kind = ${JSON.stringify(kind)}
command = ${JSON.stringify(command)}
${server}`;
}

/** The members of every item of a list. */
function rows(result: ToolResult, list: string, ...members: string[]): unknown[][] {
  const items = (result.structuredContent[list] ?? []) as Record<string, unknown>[];
  return items.map((item) => members.map((name) => item[name]));
}

/** The version of a program, such as 22.1 or 0.2; zero when it says none. */
function versionOf(program: string | undefined, ...args: string[]): number {
  const { stdout } = program === undefined ? { stdout: "" } : spawnSync(program, args, { encoding: "utf8" });
  return Number(/\bv?(\d+\.\d+)/.exec(stdout ?? "")?.[1] ?? 0);
}

it("every extra tool is asked here", () => {
  const folder = join(repository, "configs", "tools", "extra");
  const declared = readdirSync(folder).flatMap((file) =>
    [...readFileSync(join(folder, file), "utf8").matchAll(/^\[\[tools\]\]\nname = "(.+)"$/gm)].map(
      ([, name]) => name,
    ),
  );
  const asked = [
    ...readFileSync(join(repository, "test", "live", "extra.test.ts"), "utf8").matchAll(
      /session\.call\(\s*"([a-z_]+)"/g,
    ),
  ].map(([, name]) => name);
  expect(declared.length).toBeGreaterThan(10);
  expect(declared.filter((name) => !asked.includes(name))).toEqual([]);
});

describe("typescript-language-server", { timeout: 120_000 }, () => {
  const greet = `/** Builds a greeting: 挨拶. */
export function greet(name: string, times = 1): string {
  return times > 1 ? greet(name, times - 1) : \`hi \${name}\`;
}

/** Only calls itself. */
export function lonely(n: number): number {
  return n > 0 ? lonely(n - 1) : 0;
}

export interface Shape {
  area(): number;
}

export class Square implements Shape {
  constructor(readonly side: number) {}
  area(): number {
    return this.side ** 2;
  }

  /** Nobody calls it. */
  idle(): void {}
}
`;
  const app = `import { greet, type Shape, Square } from "./greet.js";
export function run(): string {
  const shape: Shape = new Square(2);
  return "漢字𝒳" + greet("Zoë", shape.area());
}
console.log(run());
`;
  const shout =
    "/** Loud: 大声. */\nexport function shout(s: string): string {\n  return s.toUpperCase() + mark;\n}\n";
  const talk = `export const mark = "!";\n\n${shout}`;
  const use = 'import { shout } from "./talk.js";\nconsole.log("𝒳", shout("漢字"));\n';
  let session: LiveSession;
  beforeAll(async () => {
    const tsserver = join(repository, "node_modules", "typescript-5", "lib", "tsserver.js");
    const options = `execute_commands = ["typescript.tsserverRequest"]
[servers.initialize_options.tsserver]
path = ${JSON.stringify(tsserver)}
`;
    const config = extra("typescript-language-server", "typescript-language-server", options);
    session = await openSession("empty", config, [], {
      "tsconfig.json": '{ "compilerOptions": { "strict": true, "lib": ["es2022"] }, "include": ["*.ts"] }',
      "greet.ts": greet,
      "app.ts": app,
      "talk.ts": talk,
      "words.ts": 'export const hi = "hi";\n',
      "use.ts": use,
    });
  });
  afterAll(() => session?.close());
  const at = (file: string, marked: string) => ({ file_path: file, ...session.place(file, marked) });

  it("finds dead code, where a use of itself is none", async () => {
    const result = await session.call("find_unused_symbols", { file_path: "greet.ts" });
    expect(rows(result, "unused", "name", "kind")).toEqual([
      ["lonely", "function"],
      ["idle", "method"],
    ]);
    const [first] = result.structuredContent.unused as { range: object }[];
    expect(first?.range).toMatchObject({ line: 7, character: 1, end_line: 9, end_character: 2 });
  });

  it("does not delete what is used, and says where", async () => {
    const { structuredContent } = await session.call("safe_delete_symbol", at("greet.ts", "function |greet"));
    expect(structuredContent).toMatchObject({
      ok: false,
      error: {
        code: "call/must-be-empty",
        data: {
          total: 3,
          places: [
            { path: "app.ts", ...session.place("app.ts", "{ |greet,") },
            // Behind characters of two UTF-16 units.
            { path: "app.ts", ...session.place("app.ts", "+ |greet(") },
            { path: "greet.ts", ...session.place("greet.ts", "? |greet(") },
          ],
        },
      },
    });
  });

  it("deletes what nothing uses, with its comment", async () => {
    const place = at("greet.ts", "|idle()");
    const preview = await session.call("safe_delete_symbol", place);
    expect(preview.structuredContent).toMatchObject({ ok: true, status: "preview" });
    expect(readFileSync(join(session.folder, "greet.ts"), "utf8")).toBe(greet);
    const token = preview.structuredContent.edit_token;
    await session.call("safe_delete_symbol", { ...place, dry_run: false, edit_token: token });
    const text = readFileSync(join(session.folder, "greet.ts"), "utf8");
    expect(text).toBe(greet.replace("\n  /** Nobody calls it. */\n  idle(): void {}\n", "\n"));
    session.write("greet.ts", greet);
  });

  it("gives an overview of a symbol in one call", async () => {
    const { structuredContent } = await session.call(
      "get_symbol_overview",
      at("greet.ts", "function |greet"),
    );
    expect(structuredContent).toMatchObject({
      ok: true,
      definition: {
        total: 1,
        locations: [{ path: "greet.ts", ...session.place("greet.ts", "function |greet") }],
      },
      hover: { contents: [expect.stringContaining("挨拶")] },
      uses: 3,
      callers: {
        total: 2,
        calls: [
          { name: "run", path: "app.ts" },
          { name: "greet", path: "greet.ts" },
        ],
      },
      warnings: [],
    });
  });

  it("finds implementations", async () => {
    const result = await session.call("find_implementations_or_uses", at("greet.ts", "interface |Shape"));
    expect(rows(result, "locations", "path", "line")).toEqual([["greet.ts", 15]]);
    expect(result.structuredContent.warnings).toEqual([]);
  });

  it("helps with an argument", async () => {
    const { structuredContent } = await session.call("get_argument_help", {
      file_path: "app.ts",
      line_text: 'greet("Zoë", |shape.area())',
    });
    expect(structuredContent).toMatchObject({
      signatures: {
        signatures: [{ label: "greet(name: string, times?: number): string", active_parameter: 1 }],
      },
      argument: { contents: [expect.stringContaining("shape: Shape")] },
    });
  });

  it("makes a tree of callers, in which recursion ends", async () => {
    const result = await session.call("get_caller_tree", at("greet.ts", "function |greet"));
    expect(rows(result, "callers", "depth", "name", "repeated").slice(0, 3)).toEqual([
      [0, "greet", undefined],
      [1, "run", undefined],
      [2, expect.stringContaining("app"), undefined],
    ]);
    expect(rows(result, "callers", "depth", "name", "repeated")).toContainEqual([1, "greet", true]);
  });

  it("says that it knows no type hierarchy", async () => {
    const { structuredContent } = await session.call("get_type_tree", at("greet.ts", "class |Square"));
    expect(structuredContent).toMatchObject({ total: 0, warnings: [{ code: "answer/not-supported" }] });
  });

  it("moves a symbol to a file, with its imports and those of others, and only inside the workspace", async () => {
    const text = (file: string) => readFileSync(join(session.folder, file), "utf8");
    const symbol = { file_path: "talk.ts", symbol_name: "shout" };
    const outside = await session.call("move_symbol", { ...symbol, to: "../../escaped.ts" });
    expect(outside.structuredContent).toMatchObject({ ok: false, error: { code: "guard/outside-root" } });
    const missing = await session.call("move_symbol", { ...symbol, to: "none.ts" });
    expect(missing.structuredContent).toMatchObject({ ok: false, error: { code: "guard/not-a-file" } });
    const inner = await session.call("move_symbol", { ...at("use.ts", "import { |shout"), to: "words.ts" });
    expect(inner.structuredContent).toMatchObject({ ok: false, error: { code: "lsp/no-answer" } });
    const preview = await session.call("move_symbol", { ...symbol, to: "words.ts" });
    expect(preview.structuredContent).toMatchObject({ status: "preview", summary: { files: 3 } });
    expect([text("talk.ts"), text("use.ts")]).toEqual([talk, use]);
    const token = preview.structuredContent.edit_token;
    const move = { ...symbol, to: "words.ts", dry_run: false, edit_token: token };
    const done = await session.call("move_symbol", move);
    expect(done.structuredContent).toMatchObject({ ok: true, status: "applied" });
    expect(text("talk.ts").trim()).toBe('export const mark = "!";');
    // tsserver formats what it moves.
    const bare = (source: string) => source.replaceAll(/\s/g, "");
    expect(bare(text("words.ts"))).toContain(bare(shout));
    expect(text("words.ts")).toMatch(/^import \{ mark \} from "\.\/talk(?:\.js)?";/);
    expect(text("use.ts")).toMatch(/^import \{ shout \} from "\.\/words(?:\.js)?";/);
    const undone = await session.call("undo_edit", {
      undo_token: done.structuredContent.undo_token,
      dry_run: false,
    });
    expect(undone.structuredContent).toMatchObject({ ok: true, status: "undone" });
    expect([text("talk.ts"), text("use.ts")]).toEqual([talk, use]);
  });

  it("moves a file to a destination, with the imports of it, and only inside the workspace", async () => {
    const outside = await session.call("move_file", { from: "greet.ts", to: "../../escaped.ts" });
    expect(outside.structuredContent).toMatchObject({ ok: false, error: { code: "guard/outside-root" } });
    const taken = await session.call("move_file", { from: "greet.ts", to: "app.ts" });
    expect(taken.structuredContent).toMatchObject({ ok: false });
    const move = { from: "greet.ts", to: "moved.ts" };
    const preview = await session.call("move_file", move);
    expect(preview.structuredContent).toMatchObject({ ok: true, status: "preview" });
    const token = preview.structuredContent.edit_token;
    const done = await session.call("move_file", { ...move, dry_run: false, edit_token: token });
    expect(done.structuredContent).toMatchObject({ ok: true, status: "applied" });
    expect(readFileSync(join(session.folder, "moved.ts"), "utf8")).toBe(greet);
    expect(readFileSync(join(session.folder, "app.ts"), "utf8")).toBe(
      app.replace("./greet.js", "./moved.js"),
    );
  });
});

describe("pyright", { timeout: 120_000 }, () => {
  let session: LiveSession;
  beforeAll(async () => {
    session = await openSession("empty", extra("pyright", "pyright-langserver"), [], {
      "pyproject.toml": "[tool.pyright]\n",
      "greet.py":
        'def greet(name: str) -> str:\n    return "挨拶" + name\n\n\ndef idle() -> None:\n    idle()\n',
      "app.py": 'from greet import greet\n\nprint("漢字", greet("Zoë"))\n',
    });
  });
  afterAll(() => session?.close());

  it("finds dead code", async () => {
    const result = await session.call("find_unused_symbols", { file_path: "greet.py" });
    expect(rows(result, "unused", "name", "kind")).toEqual([["idle", "function"]]);
  });

  it("gives uses where the server knows no implementations, and says so", async () => {
    const at = session.place("greet.py", "def |greet");
    const result = await session.call("find_implementations_or_uses", { file_path: "greet.py", ...at });
    expect(rows(result, "locations", "path", "line")).toEqual([
      ["app.py", 1],
      ["app.py", 3],
    ]);
    expect(result.structuredContent.warnings).toMatchObject([
      { code: "answer/or-else", data: { step: "implementations", used: "references" } },
    ]);
  });
});

const clangd = installed("clangd", ["--version"]);
const hasTypes = versionOf(clangd, "--version") >= 15;

describe.skipIf(clangd === undefined)(
  `clangd${clangd === undefined ? " (not installed)" : ""}`,
  { timeout: 120_000 },
  () => {
    let session: LiveSession;
    beforeAll(async () => {
      session = await openSession("empty", extra("clangd", clangd ?? ""), ["--trust-workspace"]);
      session.write(
        "shape.h",
        `#pragma once
struct Shape { virtual double area() const = 0; };
struct Square : Shape { double side; double area() const override; };
struct Cube : Square {};
/* 漢字 */ struct Circle : Shape { double area() const override { return 1; } };
`,
      );
      session.write("shape.cpp", '#include "shape.h"\ndouble Square::area() const { return side * side; }\n');
      const entry = { directory: session.folder, file: "shape.cpp", arguments: ["c++", "-c", "shape.cpp"] };
      session.write("compile_commands.json", JSON.stringify([entry]));
    });
    afterAll(() => session?.close());

    it("switches between a source file and its header", async () => {
      const header = await session.call("switch_source_header", { file_path: "shape.cpp" });
      expect(rows(header, "files", "path")).toEqual([["shape.h"]]);
      const source = await session.call("switch_source_header", { file_path: "shape.h" });
      expect(rows(source, "files", "path")).toEqual([["shape.cpp"]]);
    });

    it.skipIf(!hasTypes)(`shows types as a tree${hasTypes ? "" : " (clangd is older than 15)"}`, async () => {
      const down = await session.call("get_type_tree", {
        file_path: "shape.h",
        ...session.place("shape.h", "struct |Shape"),
      });
      const tree = rows(down, "types", "depth", "name");
      expect(tree).toEqual([
        [0, "Shape"],
        [1, "Square"],
        [2, "Cube"],
        [1, "Circle"],
      ]);
      expect(down.content[0]?.text).toMatch(/^ {4}Cube/m);
      const [, , , circle] = down.structuredContent.types as { position: object }[];
      expect(circle?.position).toEqual(session.place("shape.h", "struct |Circle"));
      const cube = {
        file_path: "shape.h",
        ...session.place("shape.h", "struct |Cube"),
        direction: "supertypes",
      };
      const up = await session.call("get_type_tree", cube);
      expect(rows(up, "types", "depth", "name")).toEqual([
        [0, "Cube"],
        [1, "Square"],
        [2, "Shape"],
      ]);
      expect(up.structuredContent.warnings).toEqual([]);
    });
  },
);

const rust = installed("rust-analyzer", ["--version"]);
const noRust =
  rust === undefined
    ? " (not installed)"
    : installed("cargo", ["version"]) === undefined
      ? " (cargo is not installed)"
      : "";

describe.skipIf(noRust !== "")(`rust-analyzer${noRust}`, { timeout: 300_000 }, () => {
  const main = `fn add(a: i32, b: i32) -> i32 {
    a + b
}

fn plus(a: i32, b: i32) -> i32 {
    a + b
}

fn main() {
    println!("漢字 {}", add(1, 2));
    let _ = plus(add(3, 4), 5);
}

#[cfg(test)]
mod tests {
    #[test]
    fn adds() {
        assert_eq!(super::add(1, 2), 3);
    }
}
`;
  let session: LiveSession;
  beforeAll(async () => {
    session = await openSession("empty", extra("rust-analyzer", rust ?? ""), ["--trust-workspace"]);
    session.write("Cargo.toml", '[package]\nname = "demo"\nversion = "0.1.0"\nedition = "2021"\n');
    session.write("src/main.rs", main);
    // A method that is not of the specification is answered at once, whatever is indexed.
    const end = Date.now() + READY_MS;
    for (;;) {
      const { structuredContent } = await session.call("get_runnables", { file_path: "src/main.rs" });
      if (structuredContent.readiness === "ready") break;
      if (Date.now() > end) throw new Error("rust-analyzer has not indexed in time");
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }, 200_000);
  afterAll(() => session?.close());

  it("lists what can be run", async () => {
    const result = await session.call("get_runnables", { file_path: "src/main.rs" });
    const found = result.structuredContent.runnables as {
      label: string;
      place?: { path: string; line: number };
    }[];
    const test = found.find(({ label }) => label.includes("tests::adds"));
    expect(test).toMatchObject({ place: { path: "src/main.rs" }, cargo: expect.arrayContaining(["test"]) });
  });

  it("replaces by structure, as a preview first", async () => {
    const { structuredContent } = await session.call("structural_replace", {
      file_path: "src/main.rs",
      ...session.place("src/main.rs", "fn |main"),
      query: "add($a, $b) ==>> plus($b, $a)",
    });
    expect(structuredContent).toMatchObject({ ok: true, status: "preview" });
    const diff = JSON.stringify(structuredContent);
    expect(diff).toContain("plus(2, 1)");
    expect(diff).toContain("plus(plus(4, 3), 5)");
    expect(readFileSync(join(session.folder, "src/main.rs"), "utf8")).toBe(main);
  });
});

const gopls = installed("gopls", ["version"]);
const go = installed("go", ["version"]);
/** gopls can check while the caller waits since 0.17. */
const noVulncheck =
  gopls === undefined || go === undefined
    ? " (gopls or go is not installed)"
    : Number(/v0\.(\d+)/.exec(spawnSync(gopls, ["version"], { encoding: "utf8" }).stdout)?.[1] ?? 0) < 17
      ? " (gopls is older than 0.17)"
      : "";

describe.skipIf(noVulncheck !== "")(`gopls${noVulncheck}`, { timeout: 300_000 }, () => {
  let session: LiveSession;
  const id = "GO-2024-9999";
  const before = process.env.GOVULNDB;
  let database = "";
  const writeInto = (file: string, value: unknown) => {
    mkdirSync(dirname(join(database, file)), { recursive: true });
    writeFileSync(join(database, file), JSON.stringify(value));
  };
  beforeAll(async () => {
    // A database of one entry on disk, so that no network is needed. The program gets it by its environment.
    database = mkdtempSync(join(tmpdir(), "lsp-proxy-vulndb-"));
    process.env.GOVULNDB = pathToFileURL(database).href;
    const config = extra("gopls", gopls ?? "", 'execute_commands = ["gopls.vulncheck"]\n');
    session = await openSession("empty", config, ["--trust-workspace"]);
    const modified = "2024-01-01T00:00:00Z";
    const entry = {
      ...{
        schema_version: "1.3.1",
        id,
        modified,
        published: modified,
        summary: "A test",
        details: "Not real.",
      },
      affected: [
        {
          package: { name: "stdlib", ecosystem: "Go" },
          ranges: [{ type: "SEMVER", events: [{ introduced: "0" }] }],
          ecosystem_specific: { imports: [{ path: "os", symbols: ["Getenv"] }] },
        },
      ],
      database_specific: { url: `https://pkg.go.dev/vuln/${id}`, review_status: "REVIEWED" },
    };
    const index = {
      db: { modified },
      modules: [{ path: "stdlib", vulns: [{ id, modified }] }],
      vulns: [{ id, modified }],
    };
    for (const [name, value] of Object.entries(index)) writeInto(`index/${name}.json`, value);
    writeInto(`ID/${id}.json`, entry);
    session.write("go.mod", "module example.com/demo\n\ngo 1.21\n");
    session.write(
      "main.go",
      'package main\n\nimport (\n\t"fmt"\n\t"os"\n)\n\nfunc main() { fmt.Println(os.Getenv("HOME")) }\n',
    );
  }, 60_000);
  afterAll(async () => {
    if (before === undefined) delete process.env.GOVULNDB;
    else process.env.GOVULNDB = before;
    rmSync(database, { recursive: true, force: true });
    await session?.close();
  });

  it("finds a vulnerability that the program reaches", async () => {
    const result = await session.call("check_vulnerabilities", { file_path: "main.go" });
    expect(rows(result, "findings", "id", "module", "package", "function")).toContainEqual([
      id,
      "stdlib",
      "os",
      "Getenv",
    ]);
  });
});
