import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LiveSession, openSession, repository, testEnvironment } from "./session.js";

const servers = {
  "typescript-language-server": `
[allow]
commands = ["typescript-language-server"]

[[servers]]
id = "ts"
kind = "typescript-language-server"
[servers.initialize_options.tsserver]
path = "${join(repository, "node_modules", "typescript-5", "lib", "tsserver.js")}"
`,
  "typescript 7": `
[allow]
commands = ["tsc"]

[[servers]]
id = "ts"
kind = "typescript"
`,
};

describe.each(Object.entries(servers))("%s", (_name, config) => {
  let session: LiveSession;
  beforeAll(async () => {
    session = await openSession("typescript", config);
  });
  afterAll(() => session?.close());

  it("finds a definition across files, behind text that is not ASCII", async () => {
    const at = session.place("src/app.ts", "first = |greet(wave)");
    const { structuredContent } = await session.call("find_definition", { file_path: "src/app.ts", ...at });
    expect(structuredContent).toMatchObject({
      ok: true,
      tool: "find_definition",
      server_id: "ts",
      locations: [{ path: "src/greet.ts", ...session.place("src/greet.ts", "function |greet") }],
    });
  });

  it("finds every reference on the first call", async () => {
    const at = session.place("src/greet.ts", "function |greet");
    const { structuredContent } = await session.call("find_references", { file_path: "src/greet.ts", ...at });
    const places = (structuredContent.locations as { path: string; line: number; character: number }[]).map(
      ({ path, line, character }) => ({ path, line, character }),
    );
    expect(places).toEqual([
      { path: "src/app.ts", ...session.place("src/app.ts", "type Greeter, |greet") },
      { path: "src/app.ts", ...session.place("src/app.ts", "first = |greet") },
      { path: "src/app.ts", ...session.place("src/app.ts", "+ |greet(") },
      { path: "src/broken.ts", ...session.place("src/broken.ts", "{ |greet") },
      { path: "src/broken.ts", ...session.place("src/broken.ts", "= |greet(") },
      { path: "src/greet.ts", ...session.place("src/greet.ts", "function |greet") },
      { path: "src/greet.ts", ...session.place("src/greet.ts", "return |greet(") },
    ]);
    expect(structuredContent).toMatchObject({ total: 7, shown: 7, truncated: false });
  });

  it("hovers with the documentation", async () => {
    const at = session.place("src/app.ts", "first = |greet(wave)");
    const { structuredContent, content } = await session.call("get_hover", {
      file_path: "src/app.ts",
      ...at,
    });
    expect(JSON.stringify(structuredContent.contents)).toContain("greet(name: string): string");
    expect(content[0]?.text).toContain("挨拶, 👋: says hello.");
  });

  it("lists the symbols of a file", async () => {
    const { structuredContent } = await session.call("get_document_symbols", { file_path: "src/greet.ts" });
    const symbols = structuredContent.symbols as {
      name: string;
      kind: string;
      container?: string;
      line: number;
    }[];
    expect(symbols.map(({ name, kind }) => `${kind} ${name}`)).toEqual(
      expect.arrayContaining(["function greet", "interface Greeter", "class Polite", "class Gruff"]),
    );
    expect(symbols.find((symbol) => symbol.name === "hello" && symbol.container === "Polite")?.line).toBe(
      session.place("src/greet.ts", "class Polite implements Greeter {\n  |hello").line,
    );
  });

  it("finds a symbol in the workspace", async () => {
    const { structuredContent } = await session.call("search_workspace_symbols", { query: "Polite" });
    expect(structuredContent.symbols).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          name: "Polite",
          kind: "class",
          path: "src/greet.ts",
          line: session.place("src/greet.ts", "class |Polite").line,
        }),
      ]),
    );
  });

  it("points by name", async () => {
    const { structuredContent } = await session.call("find_references", {
      file_path: "src/greet.ts",
      symbol_name: "Polite/hello",
    });
    const locations = structuredContent.locations as { path: string; line: number }[];
    expect(locations).toContainEqual(
      expect.objectContaining({
        path: "src/greet.ts",
        ...session.place("src/greet.ts", "class Polite implements Greeter {\n  |hello"),
      }),
    );
  });

  it("finds implementations and type definitions", async () => {
    const greeter = session.place("src/greet.ts", "interface |Greeter");
    const implementations = await session.call("find_implementations", {
      file_path: "src/greet.ts",
      ...greeter,
    });
    expect(
      (implementations.structuredContent.locations as { line: number }[]).map(({ line }) => line),
    ).toEqual([
      session.place("src/greet.ts", "class |Polite").line,
      session.place("src/greet.ts", "class |Gruff").line,
    ]);
    const parameter = session.place("src/app.ts", "return |greeter.hello");
    const types = await session.call("find_type_definition", { file_path: "src/app.ts", ...parameter });
    expect(types.structuredContent.locations).toMatchObject([{ path: "src/greet.ts", line: greeter.line }]);
  });

  it("finds callers and callees", async () => {
    const at = session.place("src/greet.ts", "function |greet");
    const incoming = await session.call("get_incoming_calls", { file_path: "src/greet.ts", ...at });
    expect((incoming.structuredContent.calls as { name: string }[]).map(({ name }) => name)).toEqual(
      expect.arrayContaining(["run", "hello"]),
    );
    const run = session.place("src/app.ts", "function |run");
    const outgoing = await session.call("get_outgoing_calls", { file_path: "src/app.ts", ...run });
    expect((outgoing.structuredContent.calls as { name: string }[]).map(({ name }) => name)).toEqual(
      expect.arrayContaining(["hello", "greet"]),
    );
  });

  it("distinguishes errors from none, and follows the file on disk", async () => {
    const wrong = { code: 2322, ...session.place("src/broken.ts", "const |wrong") };
    const before = await session.call("get_diagnostics", { file_path: "src/broken.ts" });
    expect(before.structuredContent).toMatchObject({ status: "diagnostics" });
    expect(before.structuredContent.diagnostics).toMatchObject([
      { path: "src/broken.ts", severity: "error", line: wrong.line, character: wrong.character },
    ]);
    const clean = await session.call("get_diagnostics", { file_path: "src/app.ts" });
    expect(clean.structuredContent).toMatchObject({ status: "clean", diagnostics: [] });

    session.write(
      "src/broken.ts",
      'import { greet } from "./greet.js";\n\nexport const wrong: string = greet("bob");\n',
    );
    const after = await session.call("get_diagnostics", { file_path: "src/broken.ts" });
    expect(after.structuredContent).toMatchObject({ status: "clean", diagnostics: [] });

    session.write(
      "src/broken.ts",
      'import { greet } from "./greet.js";\n\n\nexport const wrong: boolean = greet("bob");\n',
    );
    const again = await session.call("get_diagnostics", { file_path: "src/broken.ts" });
    expect(again.structuredContent.diagnostics).toMatchObject([{ line: 4, severity: "error" }]);
  });

  it("says of a file that was clean and stays clean that it is, though the server publishes nothing new", async () => {
    // A server that is kept from its work says "unknown", which is true as well; asked often enough it is let work.
    let nth = 0;
    const second = async () => {
      const ask = async (text: string) => {
        session.write("src/quiet.ts", `export const ${text} = ${nth};\n`);
        return (await session.call("get_diagnostics", { file_path: "src/quiet.ts" })).structuredContent
          .status;
      };
      nth++;
      await ask("first");
      return ask("second");
    };
    await expect.poll(second, { timeout: 240_000 }).toBe("clean");
  }, 300_000);
});

it.skipIf(process.platform !== "linux")("downloads no types for JavaScript", async () => {
  const files = { "package.json": '{"dependencies":{"react":"*"}}', "a.js": "export const one = 1;\n" };
  const session = await openSession("empty", servers["typescript-language-server"], [], files);
  try {
    const at = { file_path: "a.js", line: 1, character: 14 };
    expect((await session.call("find_references", at)).structuredContent).toMatchObject({ total: 1 });
    const commands = commandsBelow(session.pid ?? 0);
    expect(commands.filter((command) => command.includes("tsserver.js"))).toHaveLength(1);
    expect(commands.filter((command) => command.includes("typingsInstaller"))).toEqual([]);
  } finally {
    await session.close();
  }
});

it.skipIf(process.platform === "win32")("TypeScript 7 downloads no types for JavaScript either", async () => {
  const files = { "package.json": '{"dependencies":{"react":"*"}}', "a.js": "export const one = 1;\n" };
  const open = async (settings: string) => {
    const tools = mkdtempSync(join(tmpdir(), "lsp-proxy-npm-"));
    writeFileSync(join(tools, "npm"), `#!/bin/sh\necho "$@" >> ${tools}/called\n`, { mode: 0o755 });
    const path = JSON.stringify([tools, testEnvironment().PATH].join(delimiter));
    const config = `${servers["typescript 7"]}${settings}[servers.env]\nPATH = ${path}\n`;
    const session = await openSession("empty", config, [], files);
    const at = { file_path: "a.js", line: 1, character: 14 };
    expect((await session.call("find_references", at)).structuredContent).toMatchObject({ total: 1 });
    const close = async () => {
      await session.close();
      rmSync(tools, { recursive: true, force: true });
    };
    return { wasCalled: () => existsSync(join(tools, "called")), close };
  };
  const asShipped = await open("");
  const allowed = await open("workspace_configuration.typescript.disableAutomaticTypeAcquisition = false\n");
  try {
    await expect.poll(allowed.wasCalled).toBe(true);
    expect(asShipped.wasCalled()).toBe(false);
  } finally {
    await Promise.all([asShipped.close(), allowed.close()]);
  }
});

/** The command lines of a process and of all that it has started, also indirectly. */
function commandsBelow(pid: number): string[] {
  const listed = execFileSync("ps", ["-A", "-ww", "-o", "pid=,ppid=,args="], { encoding: "utf8" });
  const rows = [...listed.matchAll(/^\s*(\d+)\s+(\d+)\s+(.*)$/gm)];
  const below = new Set([pid]);
  for (let size = 0; size !== below.size; ) {
    size = below.size;
    for (const [, own, parent] of rows) if (below.has(Number(parent))) below.add(Number(own));
  }
  return rows.flatMap(([, own, , command = ""]) => (below.has(Number(own)) ? [command] : []));
}
