/**
 * Servers over TCP or a socket in the file system: reached where they run, or started from here and then reached or
 * waited for. What runs elsewhere is never ended from here; what was started here and its connection end together.
 */

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { ServerPlan, TransportPlan } from "../../abi/plan.js";
import { Refusal } from "../../base/problem.js";
import type { Transport } from "../process/launch.js";
import { StderrRing } from "../process/stderr-ring.js";
import { unlessAborted } from "./cancel.js";

const CONNECT_MS = 10_000;
/** Between two looks whether a server that was started listens by now: there is no other sign of it. */
const RETRY_MS = 50;
/** How long a closed connection waits for the news of how the process ended, which says more. */
const LAST_WORDS_MS = 500;
const KEEP_ALIVE_MS = 30_000;
const FRESH = "<fresh>";

type SocketPlan = Exclude<TransportPlan, { kind: "stdio" }>;
type Address = { host: string; port: number } | { path: string };

/** Names that the words of a server's program may hold. */
export type SocketNames = { readonly [name: string]: string };

/** Connects to a server that runs elsewhere; it is not ended by us, only the connection is closed. */
export async function reach(
  server: ServerPlan,
  transport: SocketPlan,
  base: string,
  signal: AbortSignal,
): Promise<Transport> {
  const waitMs = Math.min(CONNECT_MS, server.initializeTimeoutMs);
  const address = addressOf(transport, base);
  const stop = new AbortController();
  const late = setTimeout(() => stop.abort(), waitMs);
  try {
    const socket = await unlessAborted(dial(address, stop.signal), signal);
    const unknown = (): null => null;
    return {
      ...streams(socket),
      ...{ pid: null, isLocked: false, memoryMb: unknown, processes: unknown, stderr: new StderrRing() },
      ended: closing(socket),
      kill: async () => void socket.destroy(),
    };
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw unreached(server, stop.signal.aborted ? "no connection in time" : codeOf(error), error);
  } finally {
    clearTimeout(late);
    stop.abort();
  }
}

/** Starts a server with `begin`, and speaks to it over the socket where it listens or calls. */
export async function startOverSocket(
  server: ServerPlan,
  transport: SocketPlan,
  base: string,
  begin: (names: SocketNames) => Transport,
  signal: AbortSignal,
): Promise<Transport> {
  const fresh = freshFolder(transport);
  const leave = (): void => {
    if (fresh !== undefined) rmSync(fresh, { recursive: true, force: true });
  };
  try {
    const address = addressOf(transport, base, fresh);
    const start = transport.mode === "listen" ? awaitCall : startAndDial;
    const started = await start(server, address, begin, signal);
    void started.ended.then(leave);
    return started;
  } catch (error) {
    leave();
    throw error;
  }
}

/** The program is started, and dialled until it listens. */
async function startAndDial(
  server: ServerPlan,
  address: Address,
  begin: (names: SocketNames) => Transport,
  signal: AbortSignal,
): Promise<Transport> {
  const found =
    "port" in address && address.port === 0 ? { ...address, port: await freePort(address) } : address;
  // Whoever listens there now would be taken for the server.
  if (await listens(found)) throw unreached(server, "its address is taken by something else");
  const child = begin(namesOf(found));
  const dialling = async (stop: AbortSignal): Promise<Socket> => {
    for (;;) {
      try {
        return await dial(found, stop);
      } catch {
        await pause(RETRY_MS, undefined, { signal: stop });
      }
    }
  };
  return joined(child, await connected(server, child, dialling, signal));
}

/** We listen, the program is started, and its first call is taken. */
async function awaitCall(
  server: ServerPlan,
  address: Address,
  begin: (names: SocketNames) => Transport,
  signal: AbortSignal,
): Promise<Transport> {
  const listener = createServer();
  try {
    await listening(listener, address).catch((error: unknown) => {
      throw unreached(server, `its address cannot be listened on (${codeOf(error)})`, error);
    });
    const bound = listener.address() as AddressInfo | string;
    const names = namesOf("port" in address ? { ...address, port: (bound as AddressInfo).port } : address);
    const call = new Promise<Socket>((done) => {
      listener.once("connection", (socket) => done(prepared(socket)));
    });
    const child = begin(names);
    return joined(child, await connected(server, child, () => call, signal));
  } finally {
    listener.close();
  }
}

/** The connection to a program that was started; when none comes, the program is ended. */
async function connected(
  server: ServerPlan,
  child: Transport,
  coming: (stop: AbortSignal) => Promise<Socket>,
  signal: AbortSignal,
): Promise<Socket> {
  const stop = new AbortController();
  const waitMs = server.initializeTimeoutMs;
  const late = pause(waitMs, undefined, { signal: stop.signal }).then(() => {
    throw unreached(server, `no connection within ${waitMs} ms`);
  });
  const ended = child.ended.then((reason) => {
    throw new Refusal("lsp/start-failed", `server "${server.id}" ${reason}`);
  });
  try {
    return await unlessAborted(Promise.race([coming(stop.signal), ended, late]), signal);
  } catch (error) {
    await child.kill();
    if (!(error instanceof Refusal)) throw error;
    const { code, message, nextSteps } = error;
    throw new Refusal(code, message, { nextSteps, data: { stderr: child.stderr.lines }, cause: error });
  } finally {
    stop.abort();
  }
}

/** A program and its connection as one: when either ends, both do. */
function joined(child: Transport, socket: Socket): Transport {
  const ended = new Promise<string>((done) => {
    void child.ended.then(done);
    void closing(socket).then(async (reason) => {
      if ((await Promise.race([child.ended, pause(LAST_WORDS_MS)])) !== undefined) return;
      done(reason);
      await child.kill();
    });
  });
  const kill = async (): Promise<void> => {
    socket.destroy();
    await child.kill();
  };
  return { ...child, ...streams(socket), ended, kill };
}

function streams(socket: Socket): Pick<Transport, "input" | "output"> {
  return { input: socket, output: socket };
}

/** Resolves, with the reason in words, when the connection is closed. */
function closing(socket: Socket): Promise<string> {
  return new Promise((done) => {
    let why = "";
    socket.on("error", (error) => {
      why = ` (${codeOf(error)})`;
    });
    socket.on("close", () => done(`closed the connection${why}`));
  });
}

/** One try to connect, given up when told to stop. */
function dial(address: Address, stop: AbortSignal): Promise<Socket> {
  return new Promise((done, fail) => {
    const socket = prepared(connect(address));
    const giveUp = (): void => void socket.destroy(new Error("stopped"));
    stop.addEventListener("abort", giveUp, { once: true });
    socket.once("error", fail);
    socket.once("close", () => stop.removeEventListener("abort", giveUp));
    socket.once("connect", () => {
      stop.removeEventListener("abort", giveUp);
      done(socket);
    });
  });
}

/** Small messages go at once, and a peer that has vanished is noticed; an error before anybody listens breaks nothing. */
function prepared(socket: Socket): Socket {
  socket.on("error", () => {});
  return socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_MS);
}

async function listens(address: Address): Promise<boolean> {
  const stop = new AbortController();
  const late = setTimeout(() => stop.abort(), CONNECT_MS);
  try {
    (await dial(address, stop.signal)).destroy();
    return true;
  } catch {
    return false;
  } finally {
    clearTimeout(late);
  }
}

async function freePort({ host }: { host: string }): Promise<number> {
  const listener = createServer();
  await listening(listener, { host, port: 0 });
  const { port } = listener.address() as AddressInfo;
  await new Promise((done) => listener.close(done));
  return port;
}

function listening(listener: Server, address: Address): Promise<void> {
  return new Promise((done, fail) => {
    listener.once("error", fail);
    listener.listen({ ...address, exclusive: true }, done);
  });
}

function freshFolder(transport: SocketPlan): string | undefined {
  if (transport.kind !== "pipe" || !transport.path.includes(FRESH)) return undefined;
  return realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-socket-")));
}

function addressOf(transport: SocketPlan, base: string, fresh = FRESH): Address {
  if (transport.kind === "tcp") return { host: transport.host, port: transport.port };
  return {
    path: resolve(
      base,
      transport.path.replaceAll(FRESH, () => fresh),
    ),
  };
}

function namesOf(address: Address): SocketNames {
  return "path" in address ? { pipe: address.path } : { host: address.host, port: String(address.port) };
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "connection failed";
}

function unreached({ id }: ServerPlan, why: string, cause?: unknown): Refusal {
  return new Refusal("lsp/start-failed", `server "${id}" cannot be reached: ${why}`, { cause });
}
