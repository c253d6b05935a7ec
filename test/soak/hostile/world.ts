/**
 * One hostile run: a gateway and a proxy over stdio on one workspace, with clients that behave and all chosen
 * misbehaviours beside them. What must hold is checked while it runs and at its end.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadBundle } from "../../../src/runtime/bundle/load.js";
import { fakeServerPath } from "../../fake-server/index.js";
import { assertValidAnswers } from "../../live/session.js";
import { compileConfig } from "../../runtime/test-workspace.js";
import { GoodClient } from "./good-client.js";
import { httpClients, stdioClients } from "./hostile-clients.js";
import {
  checkBlocked,
  describeProcess,
  MARK,
  pause,
  peakMb,
  processesOf,
  type Start,
  serve,
  settledMb,
} from "./proxy.js";
import {
  CALL_LIMIT_MS,
  END_MS,
  GROWTH_MB,
  HostileRun,
  PEAK_MB,
  SERVER_LIMIT_MS,
  STOP_MS,
  within,
} from "./run.js";
import { pauseWriter, raceSaves, type SaveKind, saveKinds, startWriter } from "./saves.js";

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const listed = (name: string): string[] =>
  JSON.parse(execFileSync(process.execPath, [here(name), "--list"], { encoding: "utf8" }));

const serverFaults = listed("./server.mjs").map((name) => `server-${name}`);
const fileChanges = listed("./files.mjs").map((name) => `files-${name}`);

/** Every misbehaviour by name. */
export const misbehaviours: readonly string[] = [
  ...serverFaults,
  ...Object.keys(httpClients),
  ...Object.keys(stdioClients),
  ...fileChanges,
  ...saveKinds,
];

/** One hostile server for each. */
const extensions = ["bad0", "bad1", "bad2"];

const goodServer = {
  capabilities: {
    hoverProvider: true,
    referencesProvider: true,
    documentSymbolProvider: true,
    diagnosticProvider: { interFileDependencies: true },
  },
  replies: {
    "textDocument/hover": { contents: { $text: true } },
    "textDocument/references": { $find: "BUG", as: "locations" },
    "textDocument/diagnostic": { kind: "full", items: { $find: "BUG", as: "diagnostics" } },
    "textDocument/documentSymbol": [],
  },
};

/** Writes the workspace and its config: a server that behaves, and three that share the chosen faults. */
function writeWorld(run: HostileRun, faults: string[], seed: number): void {
  for (const folder of ["work/own", "work/race", "elsewhere"])
    mkdirSync(join(run.top, folder), { recursive: true });
  for (const client of ["stdio", "http"])
    for (let index = 0; index < 3; index++)
      writeFileSync(join(run.work, `own/${client}${index}.fake`), "BUG at the start\n");
  for (const extension of extensions) writeFileSync(join(run.work, `foreign.${extension}`), "BUG here\n");
  writeFileSync(join(run.top, "good.json"), JSON.stringify(goodServer));
  const common = {
    ready: { at_once: true },
    restart: { max: 1_000_000, window_ms: 1_000, backoff_ms: [1, 50] },
    env: { [MARK]: run.id },
    workspace_configuration: { long: "x".repeat(10_000) },
  };
  const limits = { initialize_timeout_ms: SERVER_LIMIT_MS, request_timeout_ms: SERVER_LIMIT_MS };
  const node = process.execPath;
  const hostile = extensions.map((extension, index) => {
    const own = faults.filter((_, at) => faults.length < 3 || at % extensions.length === index);
    const settings = { faults: own, seed: seed + index * 1_000, rate: faults.length === 0 ? 0 : 0.35 };
    const command = [node, here("./server.mjs"), JSON.stringify(settings), join(run.top, `starts-${index}`)];
    return { id: extension, command, extensions: [extension], ...common, ...limits };
  });
  const config = {
    extends: ["tools/core", "tools/writing", "tools/edit"],
    allow: { commands: [node], effects: ["read", "edit"] },
    workspace: { roots: ["work"] },
    limits: { timeout_ms: CALL_LIMIT_MS },
    http: { port: 0, drain_ms: 2_000 },
    servers: [
      {
        id: "good",
        command: [node, fakeServerPath, join(run.top, "good.json")],
        extensions: ["fake"],
        ...common,
      },
      ...hostile,
    ],
  };
  writeFileSync(join(run.top, "lspi.json"), JSON.stringify(config));
}

interface Gateway {
  child: ChildProcess;
  url: string;
  start: Start;
  stderr(): string;
}

async function startGateway(run: HostileRun): Promise<Gateway> {
  const start = serve(run.top, "gateway", run.id, ["--http"]);
  const child = spawn(start.command, start.args, { env: start.env, stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  const found = new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (part: string) => {
        text = (text + part).slice(-200_000);
        const url = /http:\/\/\S+\/mcp/.exec(text)?.[0];
        if (url !== undefined) resolve(url);
      });
    child.once("exit", () => reject(new Error(`the gateway ended: ${text}`)));
  });
  return { child, url: await found, start, stderr: () => text };
}

export interface Report {
  failures: string[];
  summary: string;
}

/** Runs these misbehaviours for a time. */
export async function runHostile(names: readonly string[], seconds: number, seed: number): Promise<Report> {
  const unknown = names.filter((name) => !misbehaviours.includes(name));
  if (unknown.length > 0)
    throw new Error(`unknown misbehaviour ${unknown.join()}; known: ${misbehaviours.join(" ")}`);
  const top = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-hostile-")));
  const run = new HostileRun(randomUUID(), top, join(top, "work"), seed);
  const chosen = (kind: readonly string[], prefix = "") =>
    kind.filter((name) => names.includes(name)).map((name) => name.slice(prefix.length));
  writeWorld(run, chosen(serverFaults, "server-"), seed);
  const bundle = await loadBundle({ bundle: compileConfig(join(top, "lspi.json")) });
  const gateway = await startGateway(run);
  const stdioStart = serve(top, "stdio", run.id);
  const clients = [
    await GoodClient.overStdio("stdio", run, bundle, stdioStart),
    await GoodClient.overHttp("http", run, bundle, gateway.url, gateway.child.pid ?? 0),
  ];
  const watched = [
    { name: "stdio", pid: clients[0]?.pid ?? 0, start: stdioStart },
    { name: "gateway", pid: gateway.child.pid ?? 0, start: gateway.start },
  ];
  const writer = await startWriter(run, chosen(fileChanges, "files-"), seed);

  const loops = [
    ...clients.flatMap((client) => [
      loop(run, () => client.askAboutOwnFile()),
      loop(run, () => client.askAboutForeignFile()),
      loop(run, () => client.askAboutForeignFile()),
    ]),
    ...chosen(Object.keys(httpClients)).map((name) => loop(run, () => act(run, name, gateway.url))),
    // One proxy over stdio at a time: each start takes a second of a processor.
    serially(run, chosen(Object.keys(stdioClients)), (name) => act(run, name, gateway.url)),
    ...clients.map(async (client, index) => {
      const kinds = chosen(saveKinds) as SaveKind[];
      if (kinds.length > 0) await raceSaves(run, client, kinds, seed + index);
    }),
    // A server that only hangs would hide the faults beside it. Alone, it keeps what it has made the proxy store.
    ...(names.length > 1 ? [killServers(run)] : []),
  ];

  // The first third fills what a long-running process keeps anyway; memory is compared from there on.
  await pause((seconds * 1_000) / 3);
  const early = await settle(run, watched, writer);
  await pause((seconds * 1_000 * 2) / 3);
  const late = await settle(run, watched, writer, early);
  const isOver = await within(STOP_MS, Promise.all(loops));
  if (isOver === undefined) run.fail(`a client or a writer still waits ${STOP_MS} ms after the end`);

  for (const { name, pid } of watched) {
    const [before, after] = [early.get(name) ?? 0, late.get(name) ?? 0];
    if (after > mostMb(before))
      run.fail(`${name}: memory grew from ${before.toFixed()} MB to ${after.toFixed()} MB`);
    if (peakMb(pid) > PEAK_MB) run.fail(`${name}: had ${peakMb(pid).toFixed()} MB at its peak`);
  }
  const memory = watched.map(({ name, pid }) => {
    const [before, after] = [early.get(name) ?? 0, late.get(name) ?? 0];
    return `${name} ${before.toFixed()} MB, then ${after.toFixed()} MB, peak ${peakMb(pid).toFixed()} MB`;
  });

  await end(run, clients, gateway, writer);
  for (const { name, start } of watched) checkBlocked(run, name, start);
  const blocked = `blocked ${run.blockedMs.toFixed()} ms at the most`;
  const counted = [...run.counts].map(([what, number]) => `${number} ${what}`);
  const slowest = Math.max(...clients.map(({ slowestMs }) => slowestMs));
  const summary = [...counted, `slowest answer ${slowest.toFixed()} ms`, blocked, ...memory].join("; ");
  if (run.failures.length === 0) rmSync(top, { recursive: true, force: true });
  else
    run.failures.push(
      `kept for a look: ${top}`,
      `stdio: ${clients[0]?.stderr}`,
      `gateway: ${gateway.stderr().slice(-2_000)}`,
    );
  return { failures: run.failures, summary };
}

async function loop(run: HostileRun, turn: () => Promise<void>): Promise<void> {
  while (await run.goOn()) {
    await turn();
    await pause(run.random() * 30);
  }
}

async function serially(
  run: HostileRun,
  names: string[],
  turn: (name: string) => Promise<void>,
): Promise<void> {
  if (names.length > 0) await loop(run, () => turn(run.pick(names)));
}

async function act(run: HostileRun, name: string, url: string): Promise<void> {
  await (stdioClients[name]?.(run) ?? httpClients[name]?.(run, url));
  run.count(`${name}`);
}

/** Kills hostile servers now and then. */
async function killServers(run: HostileRun): Promise<void> {
  while (await run.goOn()) {
    await pause(2_000 + run.random() * 4_000);
    const servers = processesOf(run.id).filter((pid) =>
      describeProcess(pid).includes("soak/hostile/server.mjs"),
    );
    for (const pid of servers)
      if (run.random() < 0.3) {
        try {
          process.kill(pid, "SIGKILL");
        } catch {
          // It has ended meanwhile.
        }
      }
  }
}

interface Watched {
  name: string;
  pid: number;
  start: Start;
}

/** What a proxy may have in use at the end of a run. */
function mostMb(before: number): number {
  return before * 1.25 + GROWTH_MB;
}

/** Pauses everything and measures the memory of each proxy. With `early` measurements, ends the run. */
async function settle(
  run: HostileRun,
  watched: Watched[],
  writer: ChildProcess,
  early?: Map<string, number>,
): Promise<Map<string, number>> {
  if (early) run.end();
  else run.pause();
  await pauseWriter(writer, true);
  // Every call has a limit, so that this ends.
  while (run.inFlight > 0) await pause(50);
  const result = new Map<string, number>();
  const measure = async ({ name, pid, start }: Watched): Promise<void> => {
    const before = early?.get(name);
    const enough = before === undefined ? 0 : mostMb(before);
    const megabytes = await settledMb(pid, start, END_MS, enough).catch(() => undefined);
    if (megabytes === undefined) run.fail(`${name}: the proxy has ended, or is blocked`);
    else result.set(name, megabytes);
  };
  await Promise.all(watched.map(measure));
  await pauseWriter(writer, false);
  run.resume();
  return result;
}

/** Ends everything in order; what is left after that is a failure, and is killed. */
async function end(
  run: HostileRun,
  clients: GoodClient[],
  gateway: Gateway,
  writer: ChildProcess,
): Promise<void> {
  writer.disconnect();
  for (const client of clients) await within(END_MS, client.close());
  gateway.child.kill("SIGTERM");
  if (gateway.child.exitCode === null && gateway.child.signalCode === null)
    await Promise.race([once(gateway.child, "exit"), pause(END_MS)]);
  try {
    assertValidAnswers(gateway.stderr());
  } catch (error) {
    run.fail(`gateway: ${String(error)}`);
  }
  const until = Date.now() + END_MS;
  while (processesOf(run.id).length > 0 && Date.now() < until) await pause(100);
  for (const pid of processesOf(run.id)) {
    run.fail(`left: ${describeProcess(pid)}`);
    process.kill(pid, "SIGKILL");
  }
}
