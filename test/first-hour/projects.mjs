/**
 * The six projects: where their sources come from, what a developer does with them before the first question, and questions
 * whose right answers are known from reading the sources.
 */
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

/** Why an answer is wrong: the question's expectation and the beginning of the answer. */
export class Wrong extends Error {}

function check(isRight, expected, { text }) {
  if (!isRight) throw new Wrong(`expected ${expected}; the answer was:\n${text.slice(0, 1500)}`);
}

const endsIn = (end) => (item) => item.path?.replaceAll("\\", "/").endsWith(end) === true;

/** A list with an item in a file that ends so; `name` is the symbol's, where items are symbols. */
const has = (end, name) => (answer) => {
  const isRight = answer.items.some(
    (item) => endsIn(end)(item) && (name === undefined || item.name.split(".").at(-1) === name),
  );
  check(isRight, `${name ?? "a place"} in ${end}`, answer);
};

/** A list of so many places at least, all of them in paths that begin so. */
const atLeast = (count, folder) => (answer) => {
  const { total = answer.items.length } = answer.data;
  check(total >= count, `${count} places or more`, answer);
  const isInside = answer.items.every(({ path }) => path.startsWith(folder));
  check(isInside, `all of them in ${folder}`, answer);
};

/** A first list that is not empty where symbols exist, with the exact name first. */
const firstIs = (end, name) => (answer) => {
  check(
    endsIn(end)(answer.items[0] ?? {}) && answer.items[0].name === name,
    `${name} of ${end} first`,
    answer,
  );
};

const isTruncated = (answer) => {
  check(answer.data.truncated === true, "truncated: true", answer);
  check(answer.text.includes("reports at most"), "a warning that names the server's limit", answer);
};

const source =
  (...parts) =>
  (answer) => {
    for (const part of parts) check(answer.text.includes(part), `the source with \`${part}\``, answer);
  };

/** Both checks. */
const both = (first, second) => (answer) => {
  first(answer);
  second(answer);
};

const withWarning = (answer) => {
  check(answer.text.includes("compile_commands.json"), "a warning that names compile_commands.json", answer);
  check(answer.text.includes("bear -- make"), "the warning's fix", answer);
};
const withoutWarning = (answer) => {
  check(!answer.text.includes("answer/no-project"), "no warning about compile_commands.json", answer);
};

const question = (title, tool, input, right) => ({
  title,
  tool,
  input,
  right,
  isTold: right === withWarning,
});

/** jq as its Makefile compiles it, for clangd: what `bear -- make` writes. */
export function writeCompileCommands(folder) {
  const entries = readdirSync(join(folder, "src"))
    .filter((name) => name.endsWith(".c") && name !== "inject_errors.c")
    .map((name) => ({
      directory: folder,
      file: join("src", name),
      arguments: [
        "cc",
        "-std=gnu99",
        "-D_GNU_SOURCE",
        "-Isrc",
        "-c",
        `src/${name}`,
        "-o",
        `${basename(name, ".c")}.o`,
      ],
    }));
  writeFileSync(join(folder, "compile_commands.json"), `${JSON.stringify(entries, null, 1)}\n`);
}

/** Questions about one project; `at` puts the project's folder before a path. */
export const projects = {
  rxjs: {
    source: { by: "npm", spec: "rxjs@7.8.1" },
    needs: [],
    servers: ["typescript-language-server"],
    async prepare(folder, machine) {
      // The package's own development dependencies are not needed to read it; its compiler is.
      await machine.run("npm", ["pkg", "delete", "devDependencies", "scripts"], { cwd: folder });
      await machine.run("npm", ["install", "--save-dev", "typescript@5.4"], { cwd: folder });
    },
    questions: (at) => [
      question(
        "workspace symbols as the first question",
        "search_workspace_symbols",
        { query: "mergeMap" },
        both(has(at("src/internal/operators/mergeMap.ts"), "mergeMap"), atLeast(3, "")),
      ),
      question(
        "a definition by name",
        "find_definition",
        { file_path: at("src/internal/Observable.ts"), symbol_name: "Observable" },
        has(at("src/internal/Observable.ts")),
      ),
      question(
        "a definition in another file",
        "find_definition",
        {
          file_path: at("src/internal/operators/concatMap.ts"),
          line_text: "? |mergeMap(project, resultSelector, 1)",
        },
        has(at("src/internal/operators/mergeMap.ts")),
      ),
      question(
        "references of an overloaded function",
        "find_references",
        { file_path: at("src/internal/operators/mergeMap.ts"), symbol_name: "mergeMap" },
        atLeast(20, at("")),
      ),
      question(
        "a definition in the compiler's library",
        "find_definition",
        { file_path: at("src/internal/firstValueFrom.ts"), line_text: "return new |Promise<T | D>" },
        has("node_modules/typescript/lib/lib.es5.d.ts"),
      ),
      question(
        "a symbol's source by name",
        "get_symbol_source",
        { symbol_name: "mergeInternals" },
        source("export function mergeInternals<T, R>", "buffer.length && active < concurrent"),
      ),
    ],
  },
  flask: {
    source: { by: "pip", spec: "flask==3.1.2" },
    needs: ["python3"],
    servers: ["pyright"],
    async prepare(folder, machine) {
      await machine.run("python3", ["-m", "venv", ".venv"], { cwd: folder });
      const words = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--editable",
        ".[async]",
      ];
      await machine.run(join(folder, ".venv", "bin", "python"), words, { cwd: folder });
    },
    questions: (at) => [
      question(
        "workspace symbols as the first question",
        "search_workspace_symbols",
        { query: "Blueprint" },
        has(at("src/flask/blueprints.py"), "Blueprint"),
      ),
      question(
        "a definition by name",
        "find_definition",
        { symbol_name: "get_root_path" },
        has(at("src/flask/helpers.py")),
      ),
      question(
        "references",
        "find_references",
        { file_path: at("src/flask/helpers.py"), symbol_name: "get_root_path" },
        both(has(at("src/flask/sansio/scaffold.py")), atLeast(3, at(""))),
      ),
      question(
        "a definition in a package of the virtual environment",
        "find_definition",
        {
          file_path: at("src/flask/app.py"),
          line_text: "from werkzeug.exceptions import |BadRequestKeyError",
        },
        has("site-packages/werkzeug/exceptions.py"),
      ),
      question(
        "no false errors about imports",
        "get_diagnostics",
        { file_path: at("src/flask/app.py") },
        (answer) => {
          check(!answer.text.includes("Status: unknown"), "a status that is known", answer);
          check(!answer.text.includes("reportMissingImports"), "no unresolved import", answer);
        },
      ),
      question(
        "a symbol's source by name",
        "get_symbol_source",
        { symbol_name: "get_root_path" },
        source(
          "def get_root_path(import_name: str) -> str:",
          "return os.path.dirname(os.path.abspath(filepath))",
        ),
      ),
    ],
  },
  gin: {
    source: { by: "go", spec: "github.com/gin-gonic/gin@v1.10.0" },
    needs: ["go"],
    servers: ["gopls"],
    questions: (at) => [
      question(
        "workspace symbols as the first question",
        "search_workspace_symbols",
        { query: "AbortWithStatusJSON" },
        has(at("context.go"), "AbortWithStatusJSON"),
      ),
      question(
        "a definition by name",
        "find_definition",
        { file_path: at("context.go"), symbol_name: "Context/JSON" },
        has(at("context.go")),
      ),
      question(
        "references",
        "find_references",
        { file_path: at("context.go"), symbol_name: "Context/JSON" },
        atLeast(10, at("")),
      ),
      question(
        "a definition in the standard library",
        "find_definition",
        { file_path: at("response_writer.go"), line_text: "Unwrap() http.|ResponseWriter {" },
        has("src/net/http/server.go"),
      ),
      question(
        "a definition in a module of the cache",
        "find_definition",
        { file_path: at("context.go"), line_text: "c.Render(-1, sse.|Event{" },
        has("sse-encoder.go"),
      ),
      question(
        "workspace symbols at the server's limit",
        "search_workspace_symbols",
        { query: "e" },
        isTruncated,
      ),
      question(
        "a symbol's source by name",
        "get_symbol_source",
        { symbol_name: "AbortWithStatusJSON" },
        source("func (c *Context) AbortWithStatusJSON(code int, jsonObj any) {", "c.JSON(code, jsonObj)"),
      ),
    ],
  },
  ripgrep: {
    source: { by: "cargo", spec: "ripgrep@14.1.1" },
    needs: ["cargo", "rustup"],
    servers: ["rust-analyzer"],
    questions: (at) => [
      question(
        "workspace symbols as the first question",
        "search_workspace_symbols",
        { query: "SearchWorker" },
        has(at("crates/core/search.rs"), "SearchWorker"),
      ),
      question(
        "a definition of a struct with an impl",
        "find_definition",
        { file_path: at("crates/core/haystack.rs"), symbol_name: "Haystack" },
        has(at("crates/core/haystack.rs")),
      ),
      question(
        "references",
        "find_references",
        { file_path: at("crates/core/search.rs"), symbol_name: "SearchWorker" },
        both(has(at("crates/core/flags/hiargs.rs")), atLeast(6, at(""))),
      ),
      question(
        "a definition in a crate",
        "find_definition",
        {
          file_path: at("crates/core/main.rs"),
          line_text: "fn files(args: &HiArgs) -> anyhow::|Result<bool> {",
        },
        has("/src/lib.rs"),
      ),
      question(
        "a definition in the standard library",
        "find_definition",
        {
          file_path: at("crates/core/main.rs"),
          line_text: "fn types(args: &HiArgs) -> anyhow::Result<|ExitCode> {",
        },
        has("std/src/process.rs"),
      ),
      question(
        "workspace symbols at the server's limit",
        "search_workspace_symbols",
        { query: "e" },
        isTruncated,
      ),
      question(
        "a symbol's source by name",
        "get_symbol_source",
        { symbol_name: "search_parallel" },
        source("fn search_parallel(args: &HiArgs, mode: SearchMode) -> anyhow::Result<bool> {"),
      ),
    ],
  },
  jq: {
    source: { by: "pip", spec: "jq==1.8.0", inner: "deps/jq-1.7.1.tar.gz" },
    needs: ["python3"],
    servers: ["clangd"],
    questions: (at) => [
      question(
        "references without compile_commands.json: the warning and its fix",
        "find_references",
        { file_path: at("src/jv.h"), symbol_name: "jv_object_get" },
        withWarning,
      ),
      question(
        "workspace symbols without compile_commands.json: the warning and its fix",
        "search_workspace_symbols",
        { query: "jq_next" },
        withWarning,
      ),
      question(
        "callers without compile_commands.json: the warning and its fix",
        "get_incoming_calls",
        { file_path: at("src/execute.c"), symbol_name: "jq_next" },
        withWarning,
      ),
    ],
    /** What a developer does then, and what is right afterwards. */
    async mend(folder) {
      if (!existsSync(join(folder, "compile_commands.json"))) writeCompileCommands(folder);
    },
    mended: (at) => [
      question(
        "references with compile_commands.json",
        "find_references",
        { file_path: at("src/jv.h"), symbol_name: "jv_object_get" },
        both(atLeast(30, at("src/")), withoutWarning),
      ),
      question(
        "a definition in another file",
        "find_definition",
        { file_path: at("src/main.c"), line_text: "|jq_next(jq)" },
        has(at("src/execute.c")),
      ),
      question(
        "workspace symbols",
        "search_workspace_symbols",
        { query: "jq_next" },
        firstIs(at("src/execute.c"), "jq_next"),
      ),
      question(
        "a symbol's source by name",
        "get_symbol_source",
        { symbol_name: "jv_object_get" },
        source("jv jv_object_get(jv object, jv key) {"),
      ),
    ],
  },
};
