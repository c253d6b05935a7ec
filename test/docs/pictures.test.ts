/**
 * The pictures of terminals in the docs show what the program prints now. `npm run pictures` makes them anew. Paths, times, versions,
 * digests, tokens and how ready a server is are replaced, since they differ from run to run.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { wrapText } from "../../src/cli/terminal/layout.js";
import { noTerminal, onTerminal } from "../cli/pty.js";
import { binaries, repository } from "../live/session.js";
import { whenReady } from "./output.js";
import { type Span, shownLines, svgOf } from "./svg.js";

const COLUMNS = 100;

const files = {
  "tsconfig.json": '{ "compilerOptions": { "module": "nodenext", "strict": true }, "include": ["src"] }\n',
  "src/price.ts": `export function total(prices: number[]): number {
  return prices.reduce((all, price) => all + price, 0);
}
`,
  "src/cart.ts": `import { total } from "./price.js";

export class Cart {
  private prices: number[] = [];

  add(price: number): void {
    this.prices.push(price);
  }

  checkout(): string {
    return \`Total: \${total(this.prices)}\`;
  }
}
`,
  "src/gift.ts": `import { Cart } from "./cart.js";
new Cart().add("free");
`,
};

describe.skipIf(noTerminal)(
  `the pictures of terminals${noTerminal === undefined ? "" : ` (${noTerminal})`}`,
  () => {
    let home: string;
    const at = (...names: string[]) => join(home, ...names);
    beforeAll(() => {
      // Not the folder for temporary files: the program wraps lines, so the length of its paths counts.
      home = realpathSync(mkdtempSync("/tmp/home-"));
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(at("shop", name)), { recursive: true });
        writeFileSync(at("shop", name), text);
      }
      mkdirSync(at("bin"));
      symlinkSync(process.execPath, at("bin", "node"));
      for (const name of ["tsc", "vscode-json-language-server"])
        symlinkSync(realpathSync(join(binaries, name)), at("bin", name));
    });
    afterAll(() => rmSync(home, { recursive: true, force: true }));

    /** What a person sees who types this command, without what differs from run to run. */
    async function typed(...args: string[]): Promise<Span[][]> {
      const { raw } = await onTerminal(args, {
        // Lines are wrapped below, after times and paths have been replaced.
        columns: 1000,
        cwd: at("shop"),
        env: {
          HOME: home,
          PATH: `${at("bin")}:/usr/bin:/bin`,
          ...Object.fromEntries(unset.map((name) => [name, ""])),
        },
      });
      const prompt = [
        { style: "32", text: "$ " },
        { style: "1", text: ["lsp-proxy", ...args].join(" ") },
      ];
      const shown = shownLines(raw.trimEnd()).map((spans) =>
        spans.map(({ style, text }) => ({ style, text: steady(text) })),
      );
      return [prompt, ...shown].flatMap(wrapped);
    }

    function steady(text: string): string {
      return whenReady(text)
        .replaceAll(home, "/home/ada")
        .replaceAll(/\b[\da-f]{64}\b/g, "…")
        .replaceAll(/\b(edit|undo)-[\w-]+/g, "$1-…")
        .replaceAll(/\b\d+ ms\b/g, "… ms")
        .replaceAll(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, "…")
        .replaceAll(/\b\d+\.\d+\.\d+\b/g, "…")
        .replaceAll(/(features, utf-\d+), \w+$/g, "$1, …");
    }

    const picture = async (name: string, title: string, description: string, lines: Span[][]) => {
      const svg = svgOf({ title, description, columns: COLUMNS, lines });
      await expect(svg, "`npm run pictures` makes the pictures anew").toMatchFileSnapshot(
        join(repository, "docs", "images", `${name}.svg`),
      );
    };

    it("setup.svg", async () => {
      await picture(
        "setup",
        "lsp-proxy setup in a terminal",
        "Each step with its result: languages, trust, servers, the entry of the client, a real answer of each server.",
        await typed("setup", "--yes", "--client", "codex"),
      );
    });

    it("doctor.svg", async () => {
      await picture(
        "doctor",
        "lsp-proxy doctor in a terminal",
        "Program, config, servers with a real answer of each, tools and clients: no problems.",
        await typed("doctor"),
      );
    });

    it("session.svg", async () => {
      const demo = await typed("demo", "src/price.ts", "total", "src/gift.ts", "--trust-workspace");
      const sections = sectionsOf(demo);
      const shown = [
        "An agent starts",
        "→ find_definition",
        "→ find_references",
        '→ get_diagnostics {"file_path":"src/gift.ts"}',
      ];
      const lines = shown.flatMap(
        (title) => sections.find(([heading]) => textOf(heading).startsWith(title)) ?? [],
      );
      expect(lines.filter((line) => textOf(line).startsWith("→"))).toHaveLength(3);
      await picture(
        "session",
        "A session of an agent with lsp-proxy",
        "The agent starts lsp-proxy, asks for a definition and for references, and gets the errors of a file.",
        withoutEdges(lines),
      );
    });

    it("rename.svg", async () => {
      writeFileSync(at("shop", "lspi.toml"), '[allow]\neffects = ["read", "edit"]\n');
      await typed("trust", "--yes");
      const rename = ["call", "rename_symbol", "src/price.ts", "symbol_name=total", "new_name=sum"];
      const steps = [
        await typed(...rename),
        await typed(...rename, "dry_run=false"),
        await typed("call", "undo_edit", "dry_run=false"),
      ];
      await picture(
        "rename",
        "A rename with lsp-proxy: preview, apply, undo",
        "The preview shows the changes of two files, the second command makes them, the third undoes them.",
        withoutEdges(steps.flatMap((lines) => [...lines, []])),
      );
    });
  },
);

/** Variables of the machine that change what the program finds. */
const unset = [
  "XDG_CONFIG_HOME",
  "XDG_STATE_HOME",
  "XDG_DATA_HOME",
  "XDG_RUNTIME_DIR",
  "CODEX_HOME",
  "VIRTUAL_ENV",
  "CONDA_PREFIX",
];

function textOf(line: readonly Span[] = []): string {
  return line.map(({ text }) => text).join("");
}

/** The parts of a demo, each with its heading first. Its progress depends on the speed of the machine and is left out. */
function sectionsOf(lines: readonly Span[][]): Span[][][] {
  const sections: Span[][][] = [];
  for (const line of lines) {
    const isNote = line.length > 0 && line.every(({ style, text }) => style === "2" || text.trim() === "");
    if (line[0]?.style === "1;36") sections.push([line]);
    else if (!isNote) sections.at(-1)?.push(line);
  }
  return sections;
}

function withoutEdges(lines: readonly Span[][]): Span[][] {
  const texts = lines.map((line) => textOf(line).trim() !== "");
  return lines.slice(texts.indexOf(true), texts.lastIndexOf(true) + 1);
}

/** The line as a terminal of the picture's width shows it, by the function with which the program wraps. */
function wrapped(line: Span[]): Span[][] {
  const hang = /^\S \S+ +/.exec(textOf(line))?.[0].length;
  const pieces = wrapText(line, COLUMNS, hang).map((piece) =>
    typeof piece === "string" ? { style: "", text: piece } : piece,
  );
  const lines: Span[][] = [[]];
  for (const { style, text } of pieces)
    for (const [index, part] of text.split("\n").entries()) {
      if (index > 0) lines.push([]);
      if (part !== "") lines.at(-1)?.push({ style, text: part });
    }
  return lines;
}
