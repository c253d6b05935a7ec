/**
 * Servers over TCP or a socket file. A server that runs elsewhere is only connected to and never ended. A server that
 * is started here either listens or connects to us, and ends together with its connection.
 */
import { once } from "node:events";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { ServerPlan, TransportPlan } from "../../abi/plan.js";
import { Refusal } from "../../base/problem.js";
import { systemCode } from "../../base/system.js";
import { cancelled, delay, untilAborted, withDeadline, withTimeout } from "../../base/timing.js";
import type { Transport } from "../process/launch.js";
import { StderrTail, withStderr } from "../process/stderr-tail.js";

const CONNECT_MS = 10_000;
/** Pause between two tries to connect to a server that was just started. */
const RETRY_MS = 50;
/** After the connection closed, the exit of the process is waited for this long: its reason says more. */
const EXIT_MS = 500;
const KEEP_ALIVE_MS = 30_000;
/** In a socket's path: a new folder of its own. */
const FRESH = "<fresh>";

type SocketPlan = Exclude<TransportPlan, { kind: "stdio" }>;
type Address = { host: string; port: number } | { path: string };

/** Placeholders for the address in a server's arguments, by name. */
export type SocketNames = { readonly [name: string]: string };

export async function connectToServer(
  server: ServerPlan,
  transport: SocketPlan,
  base: string,
  signal: AbortSignal,
): Promise<Transport> {
  const waitMs = Math.min(CONNECT_MS, server.initializeTimeoutMs);
  const socket = await withDeadline([signal], waitMs, async (limit, expired) => {
    try {
      return await openSocket(addressOf(transport, base), limit);
    } catch (error) {
      if (signal.aborted) throw cancelled(signal);
      throw unreachable(server, expired() ? "no connection in time" : codeOf(error), error);
    }
  });
  return {
    input: socket,
    output: socket,
    pid: null,
    isLocked: false,
    memoryMb: () => null,
    processes: () => null,
    stderr: new StderrTail(),
    ended: closeOf(socket),
    kill: async () => void socket.destroy(),
  };
}

interface SocketStart {
  server: ServerPlan;
  address: Address;
  /** Starts the program with the address in its arguments. */
  start: (names: SocketNames) => Transport;
  signal: AbortSignal;
}

/** Starts a server and connects to it, or waits for its connection. */
export async function startOverSocket(
  given: Omit<SocketStart, "address">,
  transport: SocketPlan,
  base: string,
): Promise<Transport> {
  const folder = freshFolder(transport);
  const cleanUp = (): void => {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  };
  try {
    const address = addressOf(transport, base, folder);
    const open = transport.mode === "listen" ? startAndAccept : startAndConnect;
    const started = await open({ ...given, address });
    void started.ended.then(cleanUp);
    return started;
  } catch (error) {
    cleanUp();
    throw error;
  }
}

/** Starts the program and connects as soon as it listens. */
async function startAndConnect({ server, address, start, signal }: SocketStart): Promise<Transport> {
  const target =
    "port" in address && address.port === 0 ? { ...address, port: await freePort(address.host) } : address;
  // Another program that listens there would be taken for the server.
  if (await isListening(target)) throw unreachable(server, "its address is taken by something else");
  const child = start(namesOf(target));
  const connecting = async (limit: AbortSignal): Promise<Socket> => {
    for (;;) {
      try {
        return await openSocket(target, limit);
      } catch {
        await delay(RETRY_MS, limit);
      }
    }
  };
  return joined(child, await connectionOf(server, child, connecting, signal));
}

/** Listens, starts the program, and accepts its first connection. */
async function startAndAccept({ server, address, start, signal }: SocketStart): Promise<Transport> {
  const listener = createServer();
  try {
    await listen(listener, address).catch((error: unknown) => {
      throw unreachable(server, `its address cannot be listened on (${codeOf(error)})`, error);
    });
    const accepted = once(listener, "connection").then(([socket]) => configured(socket as Socket));
    const child = start(namesOf("port" in address ? { ...address, port: portOf(listener) } : address));
    return joined(child, await connectionOf(server, child, () => accepted, signal));
  } finally {
    listener.close();
  }
}

/** The connection to a program that was started. When there is none in time, the program is ended. */
async function connectionOf(
  server: ServerPlan,
  child: Transport,
  connecting: (limit: AbortSignal) => Promise<Socket>,
  signal: AbortSignal,
): Promise<Socket> {
  const waitMs = server.initializeTimeoutMs;
  const late = () => unreachable(server, `no connection within ${waitMs} ms`);
  const stop = new AbortController();
  const exited = child.ended.then((reason) => {
    throw new Refusal("lsp/start-failed", `server "${server.id}" ${reason}`);
  });
  try {
    const connection = async (limit: AbortSignal): Promise<Socket> => {
      try {
        return await untilAborted(limit, Promise.race([connecting(limit), exited]), cancelled);
      } finally {
        stop.abort();
      }
    };
    return await withDeadline([signal, stop.signal], waitMs, connection, late);
  } catch (error) {
    await child.kill();
    throw withStderr(error, child.stderr.lines);
  }
}

/** A program and its connection as one transport: when either ends, both do. */
function joined(child: Transport, socket: Socket): Transport {
  const ended = new Promise<string>((done) => {
    void child.ended.then(done);
    void closeOf(socket).then(async (reason) => {
      if ((await withTimeout(child.ended, EXIT_MS)) !== undefined) return;
      done(reason);
      await child.kill();
    });
  });
  const kill = async (): Promise<void> => {
    socket.destroy();
    await child.kill();
  };
  return { ...child, input: socket, output: socket, ended, kill };
}

function closeOf(socket: Socket): Promise<string> {
  return new Promise((done) => {
    let why = "";
    socket.on("error", (error) => {
      why = ` (${codeOf(error)})`;
    });
    socket.on("close", () => done(`closed the connection${why}`));
  });
}

async function openSocket(address: Address, limit: AbortSignal): Promise<Socket> {
  const socket = configured(connect(address));
  try {
    await once(socket, "connect", { signal: limit });
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** Sends small messages at once, and notices a peer that vanished. */
function configured(socket: Socket): Socket {
  // Without a listener, an early error would be an uncaught exception.
  socket.on("error", () => {});
  return socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_MS);
}

async function isListening(address: Address): Promise<boolean> {
  try {
    (await withDeadline([], CONNECT_MS, (limit) => openSocket(address, limit))).destroy();
    return true;
  } catch {
    return false;
  }
}

async function freePort(host: string): Promise<number> {
  const listener = createServer();
  await listen(listener, { host, port: 0 });
  const port = portOf(listener);
  await new Promise((done) => listener.close(done));
  return port;
}

async function listen(listener: Server, address: Address): Promise<void> {
  listener.listen({ ...address, exclusive: true });
  await once(listener, "listening");
}

function portOf(listener: Server): number {
  return (listener.address() as AddressInfo).port;
}

function freshFolder(transport: SocketPlan): string | undefined {
  if (transport.kind !== "pipe" || !transport.path.includes(FRESH)) return undefined;
  return realpathSync.native(mkdtempSync(join(tmpdir(), "lsp-proxy-socket-")));
}

function addressOf(transport: SocketPlan, base: string, folder = FRESH): Address {
  if (transport.kind === "tcp") return { host: transport.host, port: transport.port };
  return { path: resolve(base, transport.path.split(FRESH).join(folder)) };
}

function namesOf(address: Address): SocketNames {
  return "path" in address ? { pipe: address.path } : { host: address.host, port: String(address.port) };
}

function codeOf(error: unknown): string {
  return systemCode(error) || "connection failed";
}

function unreachable({ id }: ServerPlan, why: string, cause?: unknown): Refusal {
  return new Refusal("lsp/start-failed", `server "${id}" cannot be reached: ${why}`, { cause });
}
