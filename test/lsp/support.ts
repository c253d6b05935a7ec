/** Helpers for tests of servers: a temporary workspace, a pool, and a scripted server. */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Plan, ServerPlan } from "../../src/abi/plan.js";
import type { Json, JsonObject } from "../../src/base/json.js";
import { createPool } from "../../src/lsp/pool.js";
import type { LanguageServer, PoolContext, ServerPool } from "../../src/lsp/types.js";
import { afterThis } from "../after-this.js";
import { fakePlan, fakeServer, type Scenario } from "../fake-server/index.js";

export { afterThis };

/** A folder with these files, removed after the test. */
export function workspace(files: { [path: string]: string }): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-")));
  afterThis(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) write(join(folder, path), text);
  return folder;
}

export function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** A pool over a folder; closed after the test. */
export function poolOf(
  root: string,
  servers: ServerPlan[],
  plan: Partial<Plan> = {},
  context: Partial<PoolContext> = {},
): ServerPool {
  const pool = createPool(fakePlan(servers, plan), {
    roots: [root],
    base: root,
    env: process.env,
    log: () => {},
    binFolders: [],
    avoid: [],
    version: "0.0.0",
    ...context,
    watchOptions: { ignoredWaitMs: 60_000, ...context.watchOptions },
  });
  afterThis(() => pool.close());
  return pool;
}

export interface Session {
  root: string;
  pool: ServerPool;
  server: LanguageServer;
  file: string;
}

/** One scripted server over a workspace with the file `a.fake`, already running. */
export async function session(
  scenario: Scenario,
  options: {
    text?: string;
    server?: Partial<ServerPlan>;
    plan?: Partial<Plan>;
    files?: { [path: string]: string };
    context?: Partial<PoolContext>;
  } = {},
): Promise<Session> {
  const root = workspace({ "a.fake": options.text ?? "hello\n", ...options.files });
  const server = fakeServer(scenarios(), scenario, options.server);
  const pool = poolOf(root, [server], options.plan, options.context);
  return { root, pool, file: join(root, "a.fake"), server: await pool.get("fake", undefined, signal()) };
}

/** A folder for scenario files, outside the workspace. */
export function scenarios(): string {
  return workspace({});
}

export function signal(): AbortSignal {
  return new AbortController().signal;
}

/** The value of a request. */
export async function ask(server: LanguageServer, method: string, params: Json = {}): Promise<Json> {
  return (await server.request(method, params, { signal: signal() })).value as Json;
}

/** Parameters of all messages of a method that the scripted server got so far. */
export async function received(server: LanguageServer, method: string): Promise<JsonObject[]> {
  const messages = (await ask(server, "fake/received", { method })) as { params: JsonObject }[];
  return messages.map((message) => message.params);
}

/** Makes the scripted server act now. */
export async function act(server: LanguageServer, ...actions: JsonObject[]): Promise<void> {
  await ask(server, "fake/do", { actions });
}

/** Resolves when the condition holds; the test's own timeout bounds it. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((done) => setTimeout(done, 10));
}

/** Whether a process runs; one that has ended and waits to be collected does not. */
export function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3) !== "Z";
  } catch (error) {
    return (error as NodeJS.ErrnoException).syscall === "open" && process.platform !== "linux";
  }
}
