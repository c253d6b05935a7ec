/**
 * A language that the catalogue does not have: the six lines of docs/adding-a-language.md as they stand there, and the answers are
 * right, once from a server written for this test and once from one that people use, which is fetched once, beside the repository.
 */
import { chmodSync, cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Catalogue } from "../../src/config/catalogue/catalogue.js";
import { diskFiles } from "../../src/config/files.js";
import { run } from "../cli/run.js";
import { runHere } from "../cli/terminal.js";
import { fetch } from "../matrix/fetch.mjs";
import { openSession, repository } from "./session.js";

let folder = "";
let programs = "";
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-new-language-")));
  programs = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-programs-")));
  // A real server, for a language whose name, extension and program nobody has heard of.
  cpSync(fileURLToPath(new URL("./cipher-server.mjs", import.meta.url)), join(programs, "cipher-server.mjs"));
  writeFileSync(
    join(programs, "my-language-server"),
    `#!/bin/sh\nexec ${process.execPath} ${programs}/cipher-server.mjs\n`,
  );
  chmodSync(join(programs, "my-language-server"), 0o755);
  writeFileSync(join(folder, "keys.my"), "let alpha = one\nlet beta = two\n");
  writeFileSync(join(folder, "use.my"), "read alpha\nread gamma\n");
});
afterAll(() => {
  for (const made of [folder, programs]) rmSync(made, { recursive: true, force: true });
});

it("works from six lines", async () => {
  const names = new Catalogue(join(repository, "configs"), diskFiles)
    .facts()
    .flatMap(({ id, extensions = [] }) => [id, ...extensions]);
  for (const name of ["mine", "my", "my-language-server"]) expect(names).not.toContain(name);
  const config = join(folder, "lspi.toml");
  const page = readFileSync(join(repository, "docs/adding-a-language.md"), "utf8");
  const [, lines = ""] = /```toml[^\n]*\n([^`]*)```/.exec(page) ?? [];
  expect(lines.trimEnd().split("\n")).toHaveLength(6);
  writeFileSync(config, `[allow]\ncommands = ["my-language-server"]\n\n${lines}`);
  const ask = async (tool: string, args: object, command = runHere) => {
    const { code, stdout, stderr } = await command(
      ["call", tool, JSON.stringify(args), "--json", "--config", config],
      {
        cwd: folder,
        env: { PATH: `${programs}:${process.env.PATH}` },
      },
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return JSON.parse(stdout);
  };
  const definition = await ask("find_definition", { file_path: "use.my", line: 1, character: 6 }, run);
  expect(definition.locations).toEqual([expect.objectContaining({ path: "keys.my", line: 1, character: 5 })]);
  const diagnostics = await ask("get_diagnostics", { file_path: "use.my" });
  expect(diagnostics.diagnostics).toEqual([
    expect.objectContaining({ line: 2, message: "gamma is not known" }),
  ]);
  const symbols = await ask("get_document_symbols", { file_path: "keys.my" });
  expect(symbols.symbols.map(({ name }: { name: string }) => name)).toEqual(["alpha", "beta"]);
}, 60_000);

const { modules, failure } = fetch("likec4", { npm: ["likec4@1.59.4"], scripts: false });
if (failure !== undefined) console.warn(`LikeC4's server is skipped: ${failure}`);

/** Six lines for a language of architecture models, which the catalogue does not have. */
const likec4 = `[[servers]]
id = "likec4"
command = "likec4"
args = ["lsp", "--stdio"]
extensions = ["c4"]
language_id = "likec4"
`;

it.skipIf(modules === undefined)(
  "works from six lines with LikeC4's own server",
  async () => {
    const shipped = new Catalogue(join(repository, "configs"), diskFiles).facts();
    expect(
      shipped.filter(({ id, extensions = [] }) => id.includes("likec4") || extensions.includes("c4")),
    ).toEqual([]);
    const files = {
      "spec.c4": "specification {\n  element system\n  element person\n}\n",
      "model.c4": "model {\n  shop = system 'Shop'\n  buyer = person 'Buyer'\n  buyer -> shop 'orders'\n}\n",
      "views.c4": "views {\n  view index {\n    include shop\n  }\n}\n",
    };
    const config = `[allow]\ncommands = ["likec4"]\n\n[limits]\ntimeout_ms = 120000\n\n${likec4}`;
    const path = { PATH: `${join(modules ?? "", ".bin")}:${process.env.PATH}` };
    const session = await openSession("empty", config, [], files, path);
    try {
      const ask = async (tool: string, args: object) => {
        const { structuredContent } = await session.call(tool, args);
        const { locations, readiness } = structuredContent;
        const places = (locations as { path: string; line: number; character: number }[]).map(
          ({ path, line, character }) => [path, line, character],
        );
        return { places, readiness };
      };
      const declared = ["model.c4", 2, 3];
      const all = [declared, ["model.c4", 4, 12], ["views.c4", 3, 13]];
      // The server does not say when it has read all files: on a busy machine its first answer may be a part.
      const early: unknown[] = [];
      await expect
        .poll(
          async () => {
            const { places, readiness } = await ask("find_references", {
              file_path: "model.c4",
              line: 2,
              character: 4,
            });
            if (places.length < all.length) early.push(readiness);
            return places;
          },
          { timeout: 120_000 },
        )
        .toEqual(all);
      expect(early).not.toContain("ready");
      const definition = await ask("find_definition", { file_path: "views.c4", line: 3, character: 14 });
      expect(definition.places).toEqual([declared]);
    } finally {
      await session.close();
    }
  },
  180_000,
);
