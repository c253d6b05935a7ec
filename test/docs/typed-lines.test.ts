/** Every line with `lsp-proxy` in a block that is not marked `run` does what a reader expects: it works. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readPages } from "../../docs/.vitepress/markdown.js";
import { repository } from "../live/session.js";
import { CONFIG, Machine } from "./machine.js";
import { noShell } from "./run-page.js";
import { lineProblem, type Notes, typedLines, unusedNotes } from "./typed-lines.js";

const serverOf = (id: string) => `[[servers]]\nid = "${id}"\nkind = "${id}"\n`;
const config = `${serverOf("typescript")}${serverOf("pyright")}`;

/** The home folder of the reader. Codex is installed. */
const files = {
  ".codex/config.toml": "",
  ".config/helix/languages.toml": '[language-server.gopls]\ncommand = "gopls"\n',
  ".config/fish/completions/other.fish": "",
  "project/tsconfig.json": '{ "compilerOptions": { "types": [], "lib": ["es5"] }, "include": ["src"] }\n',
  "project/src/main.ts":
    'import { Parser } from "./parser.js";\n\nlet parser = start();\n\nexport function start(): Parser {\n  return new Parser();\n}\n',
  "project/src/parser.ts": "export class Parser {}\n",
  "project/src/price.ts": "function price(): number {\n  return 1;\n}\n",
  "project/example.my": '{ "a": 1 }\n',
  "project/cclsp.json":
    '{ "servers": [{ "extensions": ["ts"], "command": ["typescript-language-server", "--stdio"] }] }\n',
  "api/main.ts": "",
  "web/main.ts": "",
  "work/shop/main.ts": "",
  "old-project/main.ts": "",
};

const notes: Notes = {
  typedAs: {
    // The usual port may be taken here.
    "serve --http": "serve --http --port 0",
    "lsp-proxy verify vscode-json-language-server":
      "npm install vscode-langservers-extracted && lsp-proxy verify vscode-json-language-server",
  },
  states: { setup: "new", init: "new", import: "new" },
  files: {
    "lsp-proxy token --remove 1f0c9a3e": {
      ".local/state/lsp-proxy/http-tokens.json": JSON.stringify({
        version: 1,
        tokens: [{ name: "1f0c9a3e", created: "2026-01-01T00:00:00.000Z", sha256: "1f0c9a3e".repeat(8) }],
      }),
    },
    "lsp-proxy init --yes --only python": { "project/main.py": "", "project/main.rs": "" },
    "lsp-proxy add python": { [CONFIG]: serverOf("typescript") },
    "lsp-proxy remove rust": { [CONFIG]: serverOf("rust-analyzer") },
    "lsp-proxy call get_hover src/main.ts:3:6 --log-level": { [CONFIG]: config },
  },
  answers: { "lsp-proxy setup": ["yes", ""], "lsp-proxy trust": ["yes"] },
  codes: {
    "lsp-proxy client gemini --scope project --npx": { code: 1, why: "npm does not have this version yet" },
    'eval "$(lsp-proxy completion zsh)"': { code: 127, why: "the shell here is bash, which has no compdef" },
  },
};

const lines = typedLines(readPages(repository));

describe.skipIf(noShell)("a line of the docs", () => {
  let machine: Machine;
  beforeAll(async () => {
    machine = new Machine(files);
    const must = async (...words: string[]) => {
      const { code, output } = await machine.here(words);
      if (code !== 0) throw new Error(output);
      return output;
    };
    machine.save("new");
    machine.write({ [CONFIG]: config });
    for (const folder of [".", "../api", "../web", "../work/shop", "../old-project"])
      await must("trust", "--yes", "--workspace", folder);
    await must("install", "pyright");
    await must("client", "codex", "--write");
    await must("skill", "install", "--scope", "user");
    const bundle = await must("generate", "--config", "lspi.toml", "--out", ".lspi/bundle");
    notes.typedAs["sha256-…"] = /sha256-\S+/.exec(bundle)?.[0] ?? "";
    machine.save("used");
  });
  afterAll(() => machine.end());

  it.each(lines)("works: $text ($place)", async (line) => {
    expect((await lineProblem(line, machine, notes)) ?? "").toBe("");
  });

  it("is named in no note if it is gone", () => {
    expect(unusedNotes(lines, notes)).toEqual([]);
  });
});
