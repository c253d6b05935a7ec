/**
 * A language that the catalogue does not have: the six lines of docs/adding-a-language.md as they stand there, and the answers are
 * right. The server is one written for this test: those on npm that are small enough to be fetched here are in the catalogue.
 */
import { chmodSync, cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Catalogue } from "../../src/config/catalogue.js";
import { diskFiles } from "../../src/config/files.js";
import { run } from "../cli/run.js";
import { repository } from "./session.js";

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
  const [, lines = ""] = /```toml\n([^`]*)```/.exec(page) ?? [];
  expect(lines.trimEnd().split("\n")).toHaveLength(6);
  writeFileSync(config, `[allow]\ncommands = ["my-language-server"]\n\n${lines}`);
  const ask = async (tool: string, args: object) => {
    const { code, stdout, stderr } = await run(
      ["call", tool, JSON.stringify(args), "--json", "--config", config],
      {
        cwd: folder,
        env: { PATH: `${programs}:${process.env.PATH}` },
      },
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return JSON.parse(stdout);
  };
  const definition = await ask("find_definition", { file_path: "use.my", line: 1, character: 6 });
  expect(definition.locations).toEqual([expect.objectContaining({ path: "keys.my", line: 1, character: 5 })]);
  const diagnostics = await ask("get_diagnostics", { file_path: "use.my" });
  expect(diagnostics.diagnostics).toEqual([
    expect.objectContaining({ line: 2, message: "gamma is not known" }),
  ]);
  const symbols = await ask("get_document_symbols", { file_path: "keys.my" });
  expect(symbols.symbols.map(({ name }: { name: string }) => name)).toEqual(["alpha", "beta"]);
}, 60_000);
