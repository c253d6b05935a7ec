/** The hubs of this user that run, with what each says of itself. */
import { isTable, type JsonObject } from "../../base/json.js";
import { sortedSet } from "../../base/order.js";
import { askOnce, HubSilent } from "../../hub/ask-hub.js";
import { allSockets, hubFolders } from "../../hub/hub-folder.js";
import type { Io } from "../command.js";

interface ListedHub {
  path: string;
  pid: number;
  version: string;
  /** The hash of its config's bundle. */
  bundle: string;
  /** The folder that its config is for, and the folders that it serves: others where the config names them. */
  workspace: string;
  roots: string[];
  sessions: number;
  uptimeMs: number;
  memoryMb: number;
  servers: string[];
  /** Hashes of the flags and variables that it was started with, by name. */
  start: JsonObject;
}

export interface HubList {
  hubs: ListedHub[];
  /** The sockets of hubs that do not answer: their processes are stopped or stuck. */
  silent: string[];
}

/** The hubs of this user. A hub that moves to another socket meanwhile, for a changed config, is asked there. */
export async function listHubs(io: Io): Promise<HubList> {
  const folders = hubFolders(io.env);
  const asked = new Set<string>();
  const found = new Map<number, ListedHub>();
  const silent: string[] = [];
  for (;;) {
    const paths = folders.flatMap((folder) => allSockets(folder)).filter((path) => !asked.has(path));
    if (paths.length === 0) return { hubs: [...found.values()], silent };
    await Promise.all(
      paths.map(async (path) => {
        asked.add(path);
        try {
          const hub = await askHub(path);
          if (hub !== undefined) found.set(hub.pid, hub);
        } catch (error) {
          if (!(error instanceof HubSilent)) throw error;
          silent.push(path);
        }
      }),
    );
  }
}

async function askHub(path: string): Promise<ListedHub | undefined> {
  const status = await askOnce(path, "status");
  if (status === undefined) return undefined;
  const servers = (Array.isArray(status.servers) ? status.servers : []).filter((server) => isTable(server));
  const memories = [status.memory_mb, ...servers.map((server) => server.memory_mb)];
  return {
    path,
    pid: Number(status.pid),
    version: String(status.version),
    bundle: String(status.bundle),
    workspace: String(status.workspace),
    roots: (Array.isArray(status.roots) ? status.roots : []).map(String),
    sessions: Number(status.sessions),
    uptimeMs: Number(status.uptime_ms),
    memoryMb: memories.reduce((sum: number, mb) => sum + (typeof mb === "number" ? mb : 0), 0),
    servers: servers.map((server) => String(server.id)),
    start: isTable(status.start) ? (status.start as JsonObject) : {},
  };
}

/** The flags and variables by which a hub differs from others with the same folders. */
export function differences(hub: ListedHub, hubs: readonly ListedHub[]): string[] {
  const others = hubs.filter((other) => other !== hub && String(other.roots) === String(hub.roots));
  const names = [hub, ...others].flatMap(({ start }) => Object.keys(start));
  return sortedSet(names).filter((name) => others.some(({ start }) => start[name] !== hub.start[name]));
}
