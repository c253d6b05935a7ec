/**
 * Untrusted patterns, in the real program: each call is answered, memory is bounded, SIGTERM ends it, and it never takes
 * the processor for so long that a deadline would be noticed more than a second late.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/base/json.js";
import { BlockedTime, MAX_BLOCKED_MS } from "../blocked-time.js";
import { program, testEnvironment } from "../live/session.js";
import { limitFor } from "../processor-time.mjs";
import { writeTestWorkspace } from "../runtime/test-workspace.js";

/** Only what hangs takes so long, on a busy machine too. What a step may take is measured in processor time. */
const LIMIT_MS = 60_000;
const options = { timeout: 4 * LIMIT_MS };
/** The processor time of a command: one on an empty workspace takes a tenth. */
const MAX_COMMAND_MS = 8_000;

const folders: string[] = [];
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function within<T>(promise: Promise<T>, what: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${what}: nothing in ${LIMIT_MS} ms`)), LIMIT_MS);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

const blocked = new BlockedTime();
afterAll(() => blocked.close());

function start(words: string[], cwd: string): ChildProcess {
  const env = { ...testEnvironment(), HOME: cwd };
  const stdio = ["pipe" as const, "pipe" as const, "pipe" as const];
  const child = spawn(process.execPath, [...blocked.args(), program, ...words], { cwd, env, stdio });
  children.push(child);
  return child;
}

/** Runs a command to its end. */
async function run(words: string[], cwd: string): Promise<{ code: number | null; stdout: string }> {
  const child = start(words, cwd);
  child.stdin?.end();
  child.stderr?.resume();
  let stdout = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  const [code] = await within(once(child, "close") as Promise<[number | null]>, words.join(" "));
  const { longestMs, totalMs } = blocked.read();
  expect(longestMs).toBeLessThan(limitFor(longestMs, MAX_BLOCKED_MS));
  expect(totalMs).toBeLessThan(limitFor(totalMs, MAX_COMMAND_MS));
  return { code, stdout };
}

/** `serve` over stdio: the answers to these calls, what it logged, and the most memory that it had; ended by SIGTERM. */
async function serve(words: string[], cwd: string, calls: { tool: string; args: JsonObject }[]) {
  const child = start(["serve", ...words], cwd);
  let logged = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    logged += text;
  });
  if (child.stdout === null) throw new Error("no output");
  const waiting = new Map<unknown, (message: JsonObject) => void>();
  createInterface(child.stdout).on("line", (line) => {
    const message = JSON.parse(line) as JsonObject;
    waiting.get(message.id)?.(message);
    waiting.delete(message.id);
  });
  let lastId = 0;
  const ask = (method: string, params: JsonObject): Promise<JsonObject> => {
    const id = ++lastId;
    child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    const answer = new Promise<JsonObject>((resolve) => waiting.set(id, resolve));
    return within(answer, `${method} ${JSON.stringify(params).slice(0, 100)}: ${logged.slice(-500)}`);
  };
  const hello = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "0" } };
  await ask("initialize", hello);
  child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  const answers: string[] = [];
  for (const { tool, args } of calls)
    answers.push(JSON.stringify(await ask("tools/call", { name: tool, arguments: args })));
  const peakMb = peakMemoryMb(child.pid);
  // What it logged last is read after its end.
  const closed = once(child, "close");
  child.kill("SIGTERM");
  await within(closed, "SIGTERM");
  expect(child.exitCode).toBe(0);
  const { longestMs } = blocked.read();
  expect(longestMs).toBeLessThan(limitFor(longestMs, MAX_BLOCKED_MS));
  return { answers, logged, peakMb };
}

/** Undefined where the system does not tell. */
function peakMemoryMb(pid: number | undefined): number | undefined {
  if (process.platform !== "linux") return undefined;
  const [, kilobytes] = /^VmHWM:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1024;
}

const scenario = {
  capabilities: { hoverProvider: true },
  replies: { "textDocument/hover": { contents: "words" } },
};

function workspaceOf(
  files: { [path: string]: string },
  servers = { fake: { scenario } },
  config?: JsonObject,
) {
  const { outside, folder } = writeTestWorkspace({
    files,
    servers,
    ...(config === undefined ? {} : { config }),
  });
  folders.push(outside);
  return { outside, folder };
}

const hover = (file: string) => ({ tool: "get_hover", args: { file_path: file, line: 1, character: 1 } });

describe("a .gitignore", () => {
  const backtracks = `${"a/**/".repeat(14)}b\n`;
  const deep = `${"a/".repeat(40)}x`;

  it(
    "whose patterns would backtrack, or is full of one, hangs neither a session nor a command",
    options,
    async () => {
      const full = (unit: string) => `${unit.repeat(998 / unit.length)}\n`.repeat(1_040);
      const texts = { backtracks, brackets: full("["), stars: full("*a") };
      const files = Object.entries(texts).flatMap(([place, text]) => [
        [`${place}/.gitignore`, text],
        [`${place}/a.fake`, "x\n"],
        [`${place}/${deep}.py`, "x\n"],
        [`${place}/sub/.gitignore`, text],
      ]);
      const { outside, folder } = workspaceOf(Object.fromEntries(files));
      const calls = Object.keys(texts).map((place) => hover(`${place}/a.fake`));
      const { answers, logged } = await serve(["--config", "lspi.json"], outside, calls);
      for (const answer of answers) expect(answer).toContain("words");
      // Each folder was matched to its end.
      expect(logged).not.toContain("matching the ignore rules takes too long");
      // Without a config the workspace is scanned for languages before the first answer.
      expect(await run(["tools"], folder)).toMatchObject({ code: 0 });
      await serve([], folder, []);
    },
  );

  const many = Array.from({ length: 100_000 }, (_, n) => `**/x${n}/*a*b*c*d*${n}`).join("\n");
  it(
    "that is too large, or sparse, costs no memory, and doctor tells that it is not used",
    options,
    async () => {
      const files: { [path: string]: string } = { "a.fake": "x\n" };
      for (let n = 0; n < 200; n++) files[`dir${n % 5}/f${n}.fake`] = "x\n";
      const { outside, folder } = workspaceOf(files);
      for (const place of ["", "dir0"]) writeFileSync(join(folder, place, ".gitignore"), many);
      for (const place of ["dir1", "dir2"]) {
        const file = join(folder, place, ".gitignore");
        writeFileSync(file, "x\n");
        truncateSync(file, 400 * 2 ** 20);
      }
      const { answers, logged, peakMb } = await serve(["--config", "lspi.json"], outside, [hover("a.fake")]);
      expect(answers[0]).toContain("words");
      expect(logged).toContain("larger than 1 MiB");
      if (peakMb !== undefined) expect(peakMb).toBeLessThan(400);
      const { stdout } = await run(["doctor", "--no-start", "--json", "--config", "lspi.json"], outside);
      const { findings } = JSON.parse(stdout) as {
        findings: { area: string; state: string; text: string }[];
      };
      const told = findings.filter(({ area }) => area === "workspace");
      const warning = { state: "warning", text: expect.stringContaining("larger than 1 MiB") };
      expect(told).toMatchObject([warning, warning, warning, warning]);
    },
  );

  it("within the bound, but slow to match, is used until the budget is spent", options, async () => {
    const rules = Array.from({ length: 5_000 }, (_, n) => `${"*a".repeat(90)}[b${n}]`).join("\n");
    const files: { [path: string]: string } = { ".gitignore": rules, "a.fake": "x\n" };
    for (let n = 0; n < 300; n++) files[`${n}${"a".repeat(200)}.fake`] = "x\n";
    const { outside } = workspaceOf(files);
    const { answers, logged } = await serve(["--config", "lspi.json"], outside, [hover("a.fake")]);
    expect(answers[0]).toContain("words");
    expect(logged).toContain("matching the ignore rules takes too long");
  });
});

const stars = `**/${"*a".repeat(30)}b`;
const name = "a".repeat(200);

describe("workspace.deny", () => {
  it(
    "of a config that was found and is not trusted hangs neither a session nor a command",
    options,
    async () => {
      const { folder } = workspaceOf({ [`${name}.css`]: ".x {}\n" });
      writeFileSync(join(folder, "lspi.toml"), `[workspace]\ndeny = ["${stars}"]\n`);
      const words = { tool: "get_document_symbols", args: { file_path: `${name}.css` } };
      const { answers } = await serve([], folder, [words]);
      expect(answers[0]).toContain("1 symbol");
      expect(await run(["validate"], folder)).toMatchObject({ code: expect.any(Number) });
    },
  );

  it("that is slow to match refuses the path", options, async () => {
    const deny = Array.from({ length: 400 }, (_, n) => `**/${"*a".repeat(200)}[z${n}]`);
    const config = { workspace: { roots: ["work"], deny } };
    const { outside } = workspaceOf({ [`${name}.fake`]: "x\n", "b.fake": "x\n" }, undefined, config);
    const { answers } = await serve(["--config", "lspi.json"], outside, [
      hover(`${name}.fake`),
      hover("b.fake"),
    ]);
    expect(answers[0]).toContain("guard/denied");
    expect(answers[1]).toContain("words");
  });

  it.each(["{,}"])("of many `%s` is too slow for all files, which is told", options, async (unit) => {
    const slow = unit.repeat(960 / unit.length);
    const deny = Array.from({ length: 400 }, (_, n) => `**/*${slow}[z${n}]`);
    const config = { workspace: { roots: ["work"], deny } };
    const files: { [path: string]: string } = { "b.fake": "x\n" };
    for (let n = 0; n < 1_000; n++) files[`${n}${name}.fake`] = "x\n";
    const { outside } = workspaceOf(files, undefined, config);
    const calls = [hover("b.fake"), hover(`1${name}.fake`)];
    const { answers, logged } = await serve(["--config", "lspi.json"], outside, calls);
    expect(answers[1]).toContain("takes too long to match against `workspace.deny`");
    expect(logged).toContain("some files count as denied");
  });

  it("with patterns that are too long or not supported is a problem of the config", options, async () => {
    const { folder } = workspaceOf({});
    const file = join(folder, "own.json");
    writeFileSync(file, JSON.stringify({ workspace: { deny: ["a".repeat(1_001), "!(a|b)/**"] } }));
    const { code, stdout } = await run(["validate", "--json", "--config", file], folder);
    expect(code).toBe(3);
    const { problems } = JSON.parse(stdout) as {
      problems: { code: string; pointer: string; message: string }[];
    };
    expect(problems).toMatchObject([
      {
        code: "config/bad-value",
        pointer: "/workspace/deny/0",
        message: expect.stringContaining("at most 1000 characters"),
      },
      {
        code: "config/bad-value",
        pointer: "/workspace/deny/1",
        message: expect.stringContaining("must be a glob of"),
      },
    ]);
  });
});

describe("a document selector that a server registers", () => {
  const registering = (patterns: string[]) => {
    const registerOptions = { documentSelector: patterns.map((pattern) => ({ pattern })) };
    const params = { registrations: [{ id: "1", method: "textDocument/hover", registerOptions }] };
    const initialized = [{ request: "client/registerCapability", params }];
    return { capabilities: {}, replies: scenario.replies, on: { initialized } };
  };

  it("blocks nothing, whatever its globs are", options, async () => {
    const selectors = {
      backtracks: [stars],
      long: [`**/${"*a".repeat(5_000)}`],
      brackets: Array.from({ length: 900 }, (_, n) => `${"[".repeat(3_990)}${n}`),
      work: Array.from({ length: 900 }, (_, n) => `**/${"*a".repeat(900)}[z${n}]`),
    };
    const servers = Object.fromEntries(
      Object.entries(selectors).map(([id, globs]) => [
        id,
        { scenario: registering(globs), config: { extensions: [id] } },
      ]),
    );
    const ids = Object.keys(selectors);
    const files = Object.fromEntries(ids.map((id) => [`${name}.${id}`, "x\n"]));
    const { outside } = workspaceOf(files, servers as never);
    const hovers = ids.map((id) => hover(`${name}.${id}`));
    const calls = [...hovers, { tool: "get_server_status", args: {} }, ...hovers];
    const { answers, logged } = await serve(["--config", "lspi.json"], outside, calls);
    for (const answer of answers.slice(-ids.length))
      expect(answer).toContain("textDocument/hover is not offered");
    expect(logged).toContain("a registered glob is not used");
    expect(logged).toContain("too much work");
  });
});
