/**
 * The machine of a new user: an empty home, and the programs of this machine without the language servers among them.
 * Toolchains and the caches of package managers are shared between runs; nothing else is.
 */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "smol-toml";

const presets = fileURLToPath(new URL("../../configs/servers/", import.meta.url));

/** Programs that presets start but that are more than a language server. */
const toolchain = new Set(
  [
    "bash",
    "cargo",
    "clang",
    "dotnet",
    "gem",
    "git",
    "go",
    "java",
    "node",
    "npm",
    "npx",
    "python",
    "python3",
  ].concat(["ruby", "rustc", "rustup", "sh", "uv"]),
);

/** Variables of this user that a new user does not have. */
const personal =
  /^(?:npm_|XDG_|LSPI_|CODEX_|CLAUDE_|VIRTUAL_ENV|CONDA_|GO(?:PATH|BIN|ROOT|FLAGS|CACHE|MODCACHE|ENV)$|CARGO_|RUST|PYTHON|NODE_PATH|NODE_OPTIONS|INIT_CWD)/i;

/** A program that ended with an error, with what it printed. */
export class Failed extends Error {}

/** Links every program on PATH into one folder, apart from language servers of the catalogue. */
function linkPrograms(folder) {
  const servers = new Set(
    readdirSync(presets)
      .filter((name) => name.endsWith(".toml"))
      .flatMap((name) => [parse(readFileSync(join(presets, name), "utf8")).command ?? []].flat().slice(0, 1)),
  );
  mkdirSync(folder);
  const known = new Set();
  for (const place of (process.env.PATH ?? "").split(delimiter)) {
    for (const name of namesIn(place)) {
      // A server may also be there under a name with its version, such as clangd-14.
      const plain = name.replace(/-\d+(?:\.\d+)*$/, "");
      const isServer = servers.has(plain) && !toolchain.has(plain);
      if (known.has(name) || isServer || place.includes("node_modules")) continue;
      known.add(name);
      symlinkSync(join(place, name), join(folder, name));
    }
  }
  return known;
}

function namesIn(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Makes the folders of a new user. `cache` stands for the registries: downloads and builds that may be used again. */
export function newMachine(cache) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-first-hour-")));
  const home = join(folder, "home");
  mkdirSync(home);
  const programs = linkPrograms(join(folder, "programs"));
  const prefix = join(home, ".npm-global");
  const inherited = Object.entries(process.env).filter(([name]) => !personal.test(name));
  const env = {
    ...Object.fromEntries(inherited),
    HOME: home,
    PATH: [join(prefix, "bin"), join(folder, "programs")].join(delimiter),
    npm_config_cache: join(cache, "npm"),
    npm_config_update_notifier: "false",
    PIP_CACHE_DIR: join(cache, "pip"),
    UV_CACHE_DIR: join(cache, "uv"),
    GOCACHE: join(cache, "go-build"),
    GOMODCACHE: join(cache, "go-mod"),
    CARGO_HOME: join(cache, "cargo"),
    RUSTUP_HOME: join(cache, "rustup"),
  };
  return {
    folder,
    home,
    prefix,
    env,
    has: (name) => programs.has(name),
    run: (program, args, options) => run(program, args, { env, cwd: folder, ...options }),
  };
}

/** Runs a program to its end and returns what it printed. Throws when it takes too long or, unless it may, fails. */
export function run(program, args, { env, cwd, timeoutMs = 1_800_000, mayFail = false }) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], timeout: timeoutMs });
    const told = { stdout: "", output: "" };
    child.stdout.on("data", (chunk) => {
      told.stdout += chunk;
      told.output += chunk;
    });
    child.stderr.on("data", (chunk) => {
      told.output += chunk;
    });
    child.once("error", (error) => reject(new Failed(error.message)));
    child.once("close", (status, signal) => {
      if (status === 0 || (mayFail && status !== null)) return resolve({ ...told, status });
      const how = status === null ? `was ended by ${signal}` : `ended with ${status}`;
      const last = told.output.trimEnd().split("\n").slice(-25).join("\n");
      reject(new Failed(`\`${[program, ...args].join(" ")}\` ${how}\n${last}`));
    });
  });
}
