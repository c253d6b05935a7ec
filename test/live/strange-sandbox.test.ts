/** A real server in the sandbox that holds untrusted code: it runs the repository's, which changes nothing of the user's. */
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { runHere } from "../cli/terminal.js";
import { binaries } from "./session.js";

const places = [".bashrc", ".config/lsp-proxy/x", ".local/state/lsp-proxy/trusted.json", ".cache/x"];
const config = ".config/lsp-proxy/config.toml";
const probe = ["--bind", "/", "/", "--unshare-net", "--unshare-pid", "true"];
const confines = process.platform === "linux" && spawnSync("bwrap", probe).status === 0;

let top: string;
let home: string;
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-strange-")));
  home = join(top, "home");
  write("work/a.js", "let x = 1;\n");
  write("work/package.json", "{}");
  write(
    "work/node_modules/eslint/package.json",
    '{ "name": "eslint", "version": "9.0.0", "main": "index.js" }',
  );
  const files = [...places, config].map((name) => join(home, name));
  write(
    "work/node_modules/eslint/index.js",
    `const { appendFileSync, mkdirSync } = require("node:fs");
const attempt = (file) => {
  try {
    mkdirSync(require("node:path").dirname(file), { recursive: true });
    appendFileSync(file, "x");
    return "wrote";
  } catch (error) {
    return error.code;
  }
};
const came = ${JSON.stringify([...files, join(top, "work/a.js")])}.map(attempt);
appendFileSync(${JSON.stringify(join(top, "mark"))}, JSON.stringify(came) + "\\n");
`,
  );
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

function write(name: string, text: string): void {
  mkdirSync(dirname(join(top, name)), { recursive: true });
  writeFileSync(join(top, name), text);
}

/** What is said to a question whose answer needs the repository's ESLint. */
async function asked(sandbox: string): Promise<string> {
  const server = `[[servers]]\nid = "x"\nkind = "vscode-eslint-language-server"\nsandbox = "${sandbox}"\n`;
  write(`home/${config}`, server);
  const { stdout } = await runHere(["call", "get_diagnostics", JSON.stringify({ file_path: "a.js" })], {
    cwd: join(top, "work"),
    env: {
      ...{ PATH: `${binaries}${delimiter}${process.env.PATH ?? ""}`, HOME: home },
      ...{ XDG_CONFIG_HOME: join(home, ".config"), XDG_STATE_HOME: join(home, ".local/state") },
    },
  });
  expect(readFileSync(join(home, config), "utf8")).toBe(server);
  return stdout;
}

it.runIf(confines)(
  "eslint writes neither in the home nor what trusts, and is not started in less",
  async () => {
    for (const sandbox of ["none", "no_network", "read_only"])
      expect(await asked(sandbox)).toContain('sandbox = "read_only_no_network"');
    expect(existsSync(join(top, "mark"))).toBe(false);
    await asked("read_only_no_network");
    const [first = ""] = readFileSync(join(top, "mark"), "utf8").split("\n");
    // The cache is one of its own.
    expect(JSON.parse(first)).toEqual(["EROFS", "EROFS", "EROFS", "wrote", "EROFS", "EROFS"]);
    expect(places.filter((name) => existsSync(join(home, name)))).toEqual([]);
  },
  180_000,
);
