/**
 * Servers that are no npm packages, where they are installed: `.ci/install-servers.sh` installs them on Debian. Each is
 * asked cold, about places behind text that is not ASCII.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installed, type LiveSession, openSession } from "./session.js";

interface Native {
  kind: string;
  /** What proves that the program runs: rustup puts a `rust-analyzer` on PATH that is no more than a shim. */
  probe: string[];
  /** A further program that it needs. */
  needs?: string;
  /** It may run what the project names, and is started only where that is trusted. */
  waits?: true;
  fixture: string;
  /** Files that must name the folder they stand in. */
  prepare?: (session: LiveSession) => void;
  /** A use of the function, marked at its name. */
  use: [file: string, marked: string];
  /** Where the function stands. */
  definition: { path: string; line: number; character: number };
  /** Every place of the name, declaration included. */
  references: [path: string, line: number][];
  hover: string;
  /** A file with an error, and words of the message. */
  broken?: [file: string, words: RegExp];
}

const natives: Native[] = [
  {
    kind: "clangd",
    waits: true,
    probe: ["--version"],
    fixture: "c",
    prepare: ({ folder, write }) =>
      write(
        "compile_commands.json",
        JSON.stringify(
          ["app.c", "broken.c", "greet.c"].map((file) => ({
            directory: folder,
            file,
            arguments: ["cc", "-c", file],
          })),
        ),
      ),
    use: ["app.c", '|greet("Zoë")'],
    definition: { path: "greet.c", line: 3, character: 5 },
    references: [
      ["app.c", 4],
      ["app.c", 4],
      ["greet.c", 3],
      ["greet.h", 3],
    ],
    hover: "Builds a greeting",
    broken: ["broken.c", /undeclared identifier/],
  },
  {
    kind: "rust-analyzer",
    probe: ["--version"],
    waits: true,
    needs: "cargo",
    fixture: "rust",
    use: ["src/main.rs", '|greet("漢字")'],
    definition: { path: "src/greet.rs", line: 2, character: 8 },
    references: [
      ["src/greet.rs", 2],
      ["src/main.rs", 3],
      ["src/main.rs", 6],
      ["src/main.rs", 7],
    ],
    hover: "Builds a greeting",
  },
  {
    kind: "gopls",
    probe: ["version"],
    needs: "go",
    fixture: "go",
    use: ["main.go", 'greet.|Greet("漢字")'],
    definition: { path: "greet/greet.go", line: 4, character: 6 },
    references: [
      ["greet/greet.go", 4],
      ["main.go", 6],
      ["main.go", 7],
    ],
    hover: "builds a greeting",
    broken: ["broken.go", /missing/],
  },
  {
    kind: "pylsp",
    waits: true,
    probe: ["--version"],
    fixture: "python",
    use: ["app.py", "|greet("],
    definition: { path: "greet.py", line: 4, character: 5 },
    references: [
      ["app.py", 1],
      ["app.py", 3],
      ["app.py", 7],
      ["broken.py", 1],
      ["broken.py", 3],
      ["greet.py", 4],
      ["greet.py", 11],
    ],
    hover: "greet",
  },
];

function config(kind: string, program: string): string {
  return `[allow]
commands = [${JSON.stringify(program)}]
env = ["PATH", "HOME", "LANG", "CARGO_HOME", "RUSTUP_HOME", "GOFLAGS", "GOPATH", "GOCACHE"]

[[servers]]
id = ${JSON.stringify(kind)}
kind = ${JSON.stringify(kind)}
command = ${JSON.stringify(program)}
`;
}

for (const native of natives) {
  const program = installed(native.kind, native.probe);
  const lacks = native.needs !== undefined && installed(native.needs, ["version"]) === undefined;
  const why = program === undefined ? "not installed" : lacks ? `${native.needs} is not installed` : "";

  describe.skipIf(why !== "")(`${native.kind}${why === "" ? "" : ` (${why})`}`, { timeout: 300_000 }, () => {
    let session: LiveSession;
    beforeAll(async () => {
      const words = native.waits ? ["--trust-workspace"] : [];
      session = await openSession(native.fixture, config(native.kind, program ?? ""), words);
      native.prepare?.(session);
    }, 60_000);
    afterAll(async () => session?.close());
    const [file, marked] = native.use;
    const at = () => ({ file_path: file, ...session.place(file, marked) });

    it("finds the definition at the first call, or does not call itself ready", async () => {
      // On a busy machine clangd answers with the declaration before it reports that it indexes.
      const early: unknown[] = [];
      const found = async () => {
        const { structuredContent } = await session.call("find_definition", at());
        const { locations, readiness } = structuredContent;
        const [place] = locations as Native["definition"][];
        if (place?.path !== native.definition.path) early.push(readiness);
        return structuredContent;
      };
      await expect.poll(found).toMatchObject({ ok: true, locations: [native.definition] });
      expect(early).not.toContain("ready");
    });

    it("finds every reference", async () => {
      const { structuredContent } = await session.call("find_references", at());
      const places = (structuredContent.locations as { path: string; line: number }[]) ?? [];
      expect(places.map(({ path, line }) => [path, line])).toEqual(native.references);
      expect(structuredContent).toMatchObject({
        ok: true,
        readiness: expect.stringMatching(/^(ready|unknown)$/),
      });
    });

    it("hovers", async () => {
      const { structuredContent } = await session.call("get_hover", at());
      expect(JSON.stringify(structuredContent.contents)).toContain(native.hover);
    });

    it("follows the file on disk", async () => {
      const place = at();
      const text = readFileSync(join(session.folder, file), "utf8");
      session.write(file, `\n\n${text}`);
      const moved = await session.call("get_hover", { ...place, line: place.line + 2 });
      expect(JSON.stringify(moved.structuredContent.contents)).toContain(native.hover);
      session.write(file, text);
    });

    it.skipIf(native.broken === undefined)("finds an error", async () => {
      const [broken, words] = native.broken ?? ["", /^$/];
      const { structuredContent } = await session.call("get_diagnostics", { file_path: broken });
      expect(structuredContent.status).toBe("diagnostics");
      expect(JSON.stringify(structuredContent.diagnostics)).toMatch(words);
    });

    it("says how it does", async () => {
      const { structuredContent } = await session.call("get_server_status", {});
      expect(structuredContent.servers).toMatchObject([{ id: native.kind, state: "running", restarts: 0 }]);
    });
  });
}
