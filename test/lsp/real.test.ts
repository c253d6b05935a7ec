/** The essentials against real servers: the first answer is right, and diagnostics follow the files on disk. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { ServerPlan } from "../../src/abi/plan.js";
import { convertColumn } from "../../src/base/text.js";
import type { LanguageServer } from "../../src/lsp/types.js";
import { serverPlan } from "../fake-server/index.js";
import { poolOf, signal, workspace, write } from "./support.js";

const modules = fileURLToPath(new URL("../../node_modules", import.meta.url));
const retryEmpty = { attempts: 3, delayMs: 150, while: "not_ready" as const };

const typescript = {
  files: {
    "tsconfig.json": '{ "compilerOptions": { "strict": true, "module": "nodenext", "target": "es2022" } }',
    "package.json": '{ "type": "module" }',
    "main.ts": 'import { add } from "./lib.js";\nexport const word = "é😀"; export const sum = add(1, 2);\n',
  },
  lib: ["lib.ts", "export function add(a: number, b: number): number {\n  return a + b;\n}\n"],
  main: "main.ts",
};
const python = {
  files: { "main.py": 'from lib import add\nword: str = "é😀"; total = add(1, 2)\n' },
  lib: ["lib.py", "def add(a: int, b: int) -> int:\n    return a + b\n"],
  main: "main.py",
};

const cases: [string, ServerPlan, typeof typescript | typeof python, string][] = [
  [
    "typescript-language-server: utf-16, push, wrong until its progress ends",
    {
      ...serverPlan("tsls", ["typescript-language-server"], ["ts"], "typescript"),
      args: ["--stdio"],
      // As the preset has it: a server for syntax alone would answer while the other one begins, and knows no other file.
      initializeOptions: {
        tsserver: { path: join(modules, "typescript-5/lib/tsserver.js"), useSyntaxServer: "never" },
      },
    },
    typescript,
    "ready",
  ],
  [
    "TypeScript 7: utf-8, pull",
    {
      ...serverPlan("ts7", ["tsc"], ["ts"], "typescript"),
      args: ["--lsp", "--stdio"],
      ready: { progress: true, notification: null, field: null, text: [], atOnce: true, eachFolder: false },
    },
    typescript,
    "ready",
  ],
  [
    "pyright: pull by registration, says nothing of its own state",
    { ...serverPlan("pyright", ["pyright-langserver"], ["py"], "python"), args: ["--stdio"] },
    python,
    "unknown",
  ],
];

async function messages(server: LanguageServer, path: string): Promise<string> {
  const document = await server.ensureOpen(path, signal());
  const report = await server.diagnostics(document, { waitMs: 20_000, settleMs: 150, signal: signal() });
  return report.status === "diagnostics" ? JSON.stringify(report.items) : report.status;
}

test.each(cases)("%s", async (_name, plan, { files, lib, main }, readiness) => {
  const [libName = "", libText = ""] = lib;
  const root = workspace({ ...files, [libName]: libText });
  const pool = poolOf(root, [plan], {}, { binFolders: [join(modules, ".bin")] });
  const path = join(root, main);
  const server = await pool.get(plan.id, path, signal());
  const document = await server.ensureOpen(path, signal());

  const line = document.lines.line(1);
  const character = convertColumn(line, line.indexOf("add("), "utf-16", server.encoding);
  const params = { textDocument: { uri: document.uri }, position: { line: 1, character } };
  const definition = await server.request("textDocument/definition", params, {
    signal: signal(),
    retryEmpty,
  });
  expect(JSON.stringify(definition.value)).toContain(libName);
  expect(definition.readiness).toBe(readiness);

  expect(await messages(server, path)).toBe("clean");
  write(path, `${document.lines.text}\nbroken_name(\n`);
  expect(await messages(server, path)).toContain("broken_name");
  write(path, document.lines.text);
  expect(await messages(server, path)).toBe("clean");
  write(join(root, libName), libText.replace("add", "plus"));
  expect(await messages(server, path)).toContain("add");
  write(join(root, libName), libText);
  expect(await messages(server, path)).toBe("clean");
});
