/** Runs on Windows or inside Wine: starts the program as a Windows client would, and writes one line per check to a file. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import {
  appendFileSync,
  closeSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** What `run.mjs` prepared: a folder with the fixtures and the servers, and the same folder on a share. */
const [ROOT, SHARE, ...only] = process.argv.slice(2);
const RESULTS = join(ROOT, "results.txt");
const CALL_MS = 120_000;
const WORK = join(ROOT, "Work");
const NPM = join(ROOT, "npm");
const program = fileURLToPath(new URL("../../dist/cli/bin.js", import.meta.url));

const baseEnv = {
  ...process.env,
  // Windows itself writes this name so.
  Path: `${NPM};${process.env.PATH}`,
  PATH: undefined,
};
delete baseEnv.PATH;

/** Runs a command of the program to its end. */
async function cli(args, { cwd = WORK, env = baseEnv, input = "" } = {}) {
  const child = spawn(process.execPath, [program, ...args], { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
  child.stdin.end(input);
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    stderr += text;
  });
  const status = await within(
    new Promise((done) => child.once("close", done)),
    `lsp-proxy ${args.join(" ")}`,
  );
  return { status, stdout, stderr, all: stdout + stderr };
}

function within(promise, what, ms = CALL_MS) {
  const late = wait(ms, undefined, { ref: false }).then(() => {
    throw new Error(`${what}: no end within ${ms} ms`);
  });
  return Promise.race([promise, late]);
}

const open = new Set();

/** An MCP session over stdio. */
async function session(cwd, args = ["--trust-workspace"], env = baseEnv) {
  const child = spawn(process.execPath, [program, "serve", ...args], {
    cwd,
    env,
    stdio: ["pipe", "pipe", "pipe"],
  });
  open.add(child);
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    stderr = (stderr + text).slice(-4000);
  });
  const waiting = new Map();
  const lines = createInterface(child.stdout);
  lines.on("line", (line) => {
    const message = JSON.parse(line);
    waiting.get(message.id)?.(message);
  });
  const ended = new Promise((done) => child.once("close", done));
  ended.then(() => open.delete(child));
  let last = 0;
  const request = async (method, params) => {
    const id = ++last;
    const reply = new Promise((done) => waiting.set(id, done));
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    const over = ended.then(() => {
      throw new Error(`the session ended during ${method}: ${stderr}`);
    });
    const { result, error } = await within(Promise.race([reply, over]), method);
    if (error) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  };
  const clientInfo = { name: "windows", version: "1" };
  await request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  return {
    pid: child.pid,
    child,
    errors: () => stderr,
    request,
    async call(name, input) {
      const result = await request("tools/call", { name, arguments: input });
      const text = result.content.map((part) => part.text ?? "").join("\n");
      return { text, data: result.structuredContent ?? {}, isError: result.isError === true };
    },
    async close() {
      child.stdin.end();
      await within(ended, "the end of a session");
    },
  };
}

/** The call's answer; throws what it said when it failed. */
async function answer(on, name, input) {
  const { text, data, isError } = await on.call(name, input);
  assert.ok(!isError, `${name} failed: ${text}\n${on.errors()}`);
  return { text, data };
}

const checks = [];
const check = (name, work) => checks.push({ name, work });

const TS = join(WORK, "typescript");
const slashed = (path) => path.replaceAll("\\", "/");
/** The URI of a file of the fixture, with the colon of the drive as given. */
const uriOf = (colon, name) => `file:///${slashed(join(TS, name)).replace(":", colon)}`;
const greet = { file_path: "src/greet.ts", line: 2, character: 17 };

const EDITS = `
[allow]
effects = ["read", "edit"]
commands = ["typescript-language-server"]

[[servers]]
id = "typescript-language-server"
kind = "typescript-language-server"
`;

/** A copy of a fixture in another folder. */
function copyOf(name, folder) {
  cpSync(join(WORK, name), folder, { recursive: true });
  return folder;
}

const linesOf = (text) =>
  text
    .split("\n")
    .filter((line) => /^\S+\.\w+$/.test(line.trim()))
    .map((line) => line.trim());

check("references in three files, with the server that npm's .cmd script on PATH names", async () => {
  const on = await session(TS);
  const { text } = await answer(on, "find_references", greet);
  assert.deepEqual(linesOf(text), ["src/app.ts", "src/broken.ts", "src/greet.ts"], text);
  await on.close();
});

check("a clean file is clean, a broken one has its error", async () => {
  const on = await session(TS);
  const clean = await answer(on, "get_diagnostics", { file_path: "src/greet.ts" });
  assert.equal(clean.data.status, "clean", clean.text);
  const broken = await answer(on, "get_diagnostics", { file_path: "src/broken.ts" });
  assert.equal(broken.data.status, "diagnostics", broken.text);
  assert.match(broken.text, /not assignable/);
  await on.close();
});

check(
  "a file is found by drive letters, URIs and names in any letter case, and shown by its own name",
  async () => {
    const on = await session(TS);
    for (const file_path of [
      "src\\greet.ts",
      "SRC/Greet.ts",
      join(TS, "src", "greet.ts"),
      slashed(join(TS, "src", "GREET.ts")).toLowerCase(),
      uriOf(":", "src/greet.ts"),
      uriOf("%3A", "src/greet.ts").replace(/^file:...[A-Z]/, (start) => start.toLowerCase()),
      uriOf(":", "SRC/greet.ts").toLowerCase(),
    ]) {
      const { text } = await answer(on, "find_references", { ...greet, file_path });
      assert.match(text, /^Document: src\/greet\.ts$/m, file_path);
      assert.deepEqual(linesOf(text), ["src/app.ts", "src/broken.ts", "src/greet.ts"], file_path);
    }
    await on.close();
  },
);

check("a path outside is refused: another drive, a share, a device, a reserved name", async () => {
  const on = await session(TS);
  for (const file_path of [
    "C:\\windows\\win.ini",
    "Z:\\etc\\passwd",
    "..\\..\\results.txt",
    "\\\\other\\share\\a.ts",
    "//other/share/a.ts",
    "file://other/share/a.ts",
    "\\\\.\\pipe\\a.ts",
    "\\\\?\\C:\\windows\\win.ini",
    "NUL.ts",
    "src\\con.ts",
  ]) {
    const { text, isError } = await on.call("get_diagnostics", { file_path });
    assert.ok(isError && /guard\//.test(text), `${file_path}: ${text}`);
  }
  await on.close();
});

check("a workspace on a share", async () => {
  const share = join(SHARE, "typescript");
  assert.ok(existsSync(join(share, "src", "greet.ts")), `${SHARE} is not there; administrators have it`);
  const on = await session(WORK, ["--trust-workspace", "--workspace", share]);
  const { text } = await answer(on, "find_references", greet);
  assert.deepEqual(linesOf(text), ["src/app.ts", "src/broken.ts", "src/greet.ts"], text);
  const clean = await answer(on, "get_diagnostics", { file_path: "src/greet.ts" });
  assert.equal(clean.data.status, "clean", clean.text);
  await answer(on, "get_diagnostics", { file_path: `file:${slashed(share)}/src/greet.ts` });
  await on.close();
});

for (const [title, folder, input, files, tool = "find_references"] of [
  ["Python", "python", { file_path: "greet.py", line: 4, character: 5 }, ["app.py", "broken.py", "greet.py"]],
  ["bash", "bash", { file_path: "greet.sh", line: 3, character: 1 }, ["greet.sh"]],
  [
    "YAML",
    "yaml",
    { file_path: "compose.yaml", line: 5, character: 10 },
    ["compose.yaml"],
    "find_definition",
  ],
])
  check(`${title}: places, and a clean file is clean`, async () => {
    const on = await session(join(WORK, folder));
    const { text } = await answer(on, tool, input);
    assert.deepEqual(linesOf(text), files, text);
    const clean = await answer(on, "get_diagnostics", { file_path: input.file_path });
    assert.equal(clean.data.status, "clean", clean.text);
    await on.close();
  });

check("a file saved by another program is read again", async () => {
  const folder = copyOf("typescript", join(WORK, "saved"));
  const on = await session(folder);
  await answer(on, "find_references", greet);
  writeFileSync(
    join(folder, "src", "more.ts"),
    'import { greet } from "./greet.js";\r\n\r\nexport const more = greet("x");\r\n',
  );
  const { text } = await answer(on, "find_references", greet);
  assert.deepEqual(linesOf(text), ["src/app.ts", "src/broken.ts", "src/greet.ts", "src/more.ts"], text);
  await on.close();
});

/** A session that may edit, in a copy whose files have the line ends of Windows. */
async function editing(name) {
  const folder = copyOf("typescript", join(WORK, name));
  for (const file of ["app.ts", "broken.ts", "greet.ts"]) {
    const path = join(folder, "src", file);
    writeFileSync(path, readFileSync(path, "utf8").replaceAll("\n", "\r\n"));
  }
  writeFileSync(join(folder, "lspi.toml"), EDITS.replaceAll("\n", "\r\n"));
  const on = await session(folder, ["--config", join(folder, "lspi.toml")]);
  const read = () =>
    ["app.ts", "broken.ts", "greet.ts"].map((file) => readFileSync(join(folder, "src", file), "utf8"));
  return { folder, on, read };
}

check("a rename in three files with CRLF keeps the line ends, and is undone", async () => {
  const { on, read } = await editing("renamed");
  const before = read();
  const shown = await answer(on, "rename_symbol", { ...greet, new_name: "salute" });
  assert.deepEqual(read(), before);
  const applied = await on.call("rename_symbol", {
    ...greet,
    new_name: "salute",
    dry_run: false,
    edit_token: shown.data.edit_token,
  });
  assert.ok(!applied.isError, applied.text);
  assert.deepEqual(
    read(),
    before.map((text) =>
      text
        .replaceAll("greet(", "salute(")
        .replaceAll("{ greet }", "{ salute }")
        .replaceAll(" greet,", " salute,"),
    ),
  );
  const undone = await on.call("undo_edit", { dry_run: false });
  assert.ok(!undone.isError, undone.text);
  assert.deepEqual(read(), before);
  await on.close();
});

/** Opens a file so that no other process can open, replace or delete it. */
const lockFile = (path) => openSync(path, constants.O_RDWR | 0x10000000);

check(
  "a file that another program has locked: no file is changed, and afterwards the edit works",
  async () => {
    const { folder, on, read } = await editing("locked");
    const before = read();
    const shown = await answer(on, "rename_symbol", { ...greet, new_name: "salute" });
    const input = { ...greet, new_name: "salute", dry_run: false, edit_token: shown.data.edit_token };
    const lock = lockFile(join(folder, "src", "broken.ts"));
    const refused = await on.call("rename_symbol", input);
    closeSync(lock);
    assert.ok(refused.isError, refused.text);
    assert.match(refused.text, /src\/broken\.ts/);
    assert.deepEqual(read(), before);
    // Another program reads it: it can be read too, but not be opened for writing.
    const reads = `"ping -n 60 localhost < "${join(folder, "src", "broken.ts")}""`;
    const options = { stdio: "ignore", windowsVerbatimArguments: true };
    const reader = spawn(process.env.COMSPEC, ["/d", "/s", "/c", reads], options);
    await within(
      until(() => !canWrite(join(folder, "src", "broken.ts"))),
      "the other program",
    );
    assert.deepEqual(read(), before);
    const asked = await on.call("rename_symbol", { ...greet, new_name: "salute" });
    const busy = asked.isError
      ? asked
      : await on.call("rename_symbol", { ...input, edit_token: asked.data.edit_token });
    // Wine's has no `/t`.
    if (spawnSync("taskkill", ["/f", "/t", "/pid", reader.pid]).status !== 0)
      spawnSync("taskkill", ["/f", "/im", "ping.exe"]);
    reader.kill();
    assert.ok(busy.isError, busy.text);
    assert.match(busy.text, /src\/broken\.ts.*(?:in use|cannot be written|read-only)/);
    assert.deepEqual(read(), before);
    await within(
      until(() => canWrite(join(folder, "src", "broken.ts"))),
      "the end of the other program",
    );
    const again = await answer(on, "rename_symbol", { ...greet, new_name: "salute" });
    const applied = await on.call("rename_symbol", { ...input, edit_token: again.data.edit_token });
    assert.ok(!applied.isError, applied.text);
    const after = read();
    const held = lockFile(join(folder, "src", "app.ts"));
    const stuck = await on.call("undo_edit", { dry_run: false });
    closeSync(held);
    assert.ok(stuck.isError, stuck.text);
    assert.deepEqual(read(), after);
    const undone = await on.call("undo_edit", { dry_run: false });
    assert.ok(!undone.isError, undone.text);
    assert.deepEqual(read(), before);
    await on.close();
  },
);

async function until(holds) {
  while (!holds()) await wait(100);
}

function canWrite(path) {
  try {
    closeSync(openSync(path, "r+"));
    return true;
  } catch {
    return false;
  }
}

const isAlive = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

async function gone(pids) {
  await within(
    until(() => !pids.some(isAlive)),
    `the end of ${pids}`,
    30_000,
  );
}

/** The processes of the language servers of a session. */
async function serverPids(on) {
  const { data } = await answer(on, "get_server_status", {});
  const pids = data.servers.flatMap(({ pid }) => pid ?? []);
  assert.ok(pids.length > 0, JSON.stringify(data));
  return pids;
}

/** All processes of Node, as the system lists them: Wine's `tasklist` does nothing, and new versions of Windows have no `wmic`. */
function nodes() {
  const text =
    spawnSync("tasklist", ["/fo", "csv", "/nh"], { encoding: "latin1" }).stdout ||
    spawnSync("wmic", ["process", "get", "Name,ProcessId"], { encoding: "utf16le" }).stdout;
  return [...text.matchAll(/node\.exe[\s",]+(\d+)/g)].map(([, pid]) => Number(pid)).sort((a, b) => a - b);
}

check("a language server that is killed is started again, and nothing of it is left", async () => {
  const on = await session(TS);
  await answer(on, "find_references", greet);
  const before = nodes();
  const [pid] = await serverPids(on);
  process.kill(pid);
  await gone([pid]);
  const { text } = await answer(on, "find_references", greet);
  assert.deepEqual(linesOf(text), ["src/app.ts", "src/broken.ts", "src/greet.ts"], text);
  const [next] = await serverPids(on);
  assert.notEqual(next, pid);
  // As many as before: the old server's own process of TypeScript is gone too.
  await within(
    until(() => nodes().length <= before.length),
    "the end of the old processes",
    30_000,
  );
  await on.close();
});

check("nothing is left when a session ends, and when it is killed", async () => {
  const before = nodes();
  for (const how of ["ends", "is killed"]) {
    const on = await session(TS);
    await answer(on, "find_references", greet);
    const pids = await serverPids(on);
    assert.ok(nodes().length > before.length + 2);
    if (how === "ends") await on.close();
    else on.child.kill("SIGKILL");
    await gone(pids);
    await within(
      until(() => nodes().length <= before.length),
      "the end of all processes",
      30_000,
    );
    assert.deepEqual(nodes(), before, how);
  }
});

check("a server that is a batch file of its own: arguments arrive whole, and nothing is left", async () => {
  const folder = join(WORK, "odd & name (1)");
  copyOf("typescript", folder);
  const bin = join(WORK, "own bin");
  mkdirSync(bin, { recursive: true });
  const script = join(NPM, "node_modules", "typescript-language-server", "lib", "cli.mjs");
  writeFileSync(
    join(bin, "my-server.bat"),
    `@echo off\r\nset RUN=1\r\n"${process.execPath}" "${script}" %*\r\n`,
  );
  const config = EDITS.replaceAll('"typescript-language-server"]', '"my-server"]').replace(
    "kind = ",
    'command = "my-server"\nkind = ',
  );
  writeFileSync(join(folder, "lspi.toml"), config);
  const before = nodes();
  await assertAnswers(folder, bin);
  await within(
    until(() => nodes().length <= before.length),
    "the end of all processes",
    30_000,
  );
  assert.deepEqual(nodes(), before);
});

/** Asks the server of the config in a folder, with one more folder on PATH. */
async function assertAnswers(folder, bin, variables = {}) {
  const env = { ...baseEnv, ...variables, Path: `${bin};${baseEnv.Path}` };
  const on = await session(folder, ["--config", join(folder, "lspi.toml")], env);
  const { text } = await answer(on, "find_references", greet);
  assert.deepEqual(linesOf(text), ["src/app.ts", "src/broken.ts", "src/greet.ts"], text);
  await on.close();
}

check("a program is found by its ending: .exe before .bat and .cmd, or as PATHEXT says", async () => {
  const folder = copyOf("typescript", join(WORK, "endings"));
  const [bin, other] = [join(WORK, "endings bin"), join(WORK, "other bin")];
  for (const made of [bin, other]) {
    mkdirSync(made);
    for (const ending of ["", ".bat", ".cmd"])
      writeFileSync(join(made, `own-server${ending}`), "@exit /b 1\r\n");
  }
  cpSync(process.execPath, join(bin, "own-server.EXE"));
  // This .exe cannot be started, and the .cmd can.
  writeFileSync(join(other, "own-server.exe"), "no program");
  writeFileSync(join(other, "own-server.cmd"), `@"${process.execPath}" %*\r\n`);
  const script = join(NPM, "node_modules", "typescript-language-server", "lib", "cli.mjs");
  const server = EDITS.replace('"typescript-language-server"]', '"own-server"]').replace(
    "kind = ",
    `command = "own-server"\nargs = ${JSON.stringify([script, "--stdio"])}\nkind = `,
  );
  writeFileSync(join(folder, "lspi.toml"), server);
  await assertAnswers(folder, bin);
  await assertAnswers(folder, other, { PATHEXT: ".JS;.CMD;.EXE" });
});

check("two sessions share a hub on a named pipe, which `hub stop` ends", async () => {
  const before = nodes();
  const [one, two] = [
    await session(TS, ["--shared", "--trust-workspace"]),
    await session(TS, ["--shared", "--trust-workspace"]),
  ];
  for (const on of [one, two]) await answer(on, "find_references", greet);
  assert.deepEqual(await serverPids(one), await serverPids(two));
  const { stdout, status, all } = await cli(["hub", "--json"], { cwd: TS });
  assert.equal(status, 0, all);
  const hubs = JSON.parse(stdout);
  assert.equal([hubs].flat(2).length > 0, true, stdout);
  assert.match(stdout, /"sessions": ?2/);
  await one.close();
  await two.close();
  const stopped = await cli(["hub", "stop", "--all"], { cwd: TS });
  assert.equal(stopped.status, 0, stopped.all);
  await within(
    until(() => nodes().length <= before.length),
    "the end of all processes",
    30_000,
  );
  assert.deepEqual(nodes(), before);
});

check("init writes a config of the installed servers, and doctor finds no problem", async () => {
  const folder = copyOf("python", join(WORK, "new"));
  const made = await cli(["init", "--yes"], { cwd: folder });
  assert.equal(made.status, 0, made.all);
  const text = readFileSync(join(folder, "lspi.toml"), "utf8");
  assert.match(text, /pyright/);
  const trusted = await cli(["trust", "--yes"], { cwd: folder });
  assert.equal(trusted.status, 0, trusted.all);
  const { status, all } = await cli(["doctor"], { cwd: folder });
  assert.equal(status, 0, all);
});

for (const [id, name, list] of [
  ["claude-desktop", "Claude\\claude_desktop_config.json", "mcpServers"],
  ["vscode", "Code\\User\\mcp.json", "servers"],
  ["zed", "Zed\\settings.json", "context_servers"],
])
  check(
    `client ${id} --write puts the entry into the file in %APPDATA%, and --remove takes it out`,
    async () => {
      const file = join(process.env.APPDATA, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, '{\r\n  "other": true\r\n}\r\n');
      const words = ["client", id, "--scope", "user"];
      const written = await cli([...words, "--write", "--workspace", TS], { cwd: TS });
      assert.equal(written.status, 0, written.all);
      const text = readFileSync(file, "utf8");
      assert.doesNotMatch(text, /(?<!\r)\n/);
      const { command, args } = JSON.parse(text)[list]["lsp-proxy"];
      const started = spawnSync(command, [args[0], "--version"], { encoding: "utf8" });
      assert.match(started.stdout, /\d+\.\d+\.\d+/);
      const removed = await cli([...words, "--remove"], { cwd: TS });
      assert.equal(removed.status, 0, removed.all);
      const left = JSON.parse(readFileSync(file, "utf8"));
      assert.equal(left.other, true);
      assert.equal(left[list]?.["lsp-proxy"], undefined);
    },
  );

const chosen = checks.filter(({ name }) => only.length === 0 || only.some((part) => name.includes(part)));
if (chosen.length === 0) report(`FAILED no check has ${only.join(" or ")} in its name`);
for (const { name, work } of chosen) {
  const started = Date.now();
  try {
    await within(work(), name, 5 * 60_000);
    report(`ok ${name} (${Date.now() - started} ms)`);
  } catch (error) {
    report(`FAILED ${name}\n    ${String(error?.stack ?? error).replaceAll("\n", "\n    ")}`);
  }
  for (const child of open) child.kill();
}
report("end");
process.exit(0);

function report(line) {
  appendFileSync(RESULTS, `${line}\n`);
}
