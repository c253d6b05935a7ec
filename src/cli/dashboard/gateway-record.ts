/**
 * The records of running gateways in the user's state folder: where their dashboard is, and the key to ask for a link.
 */
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeAtomically } from "../../base/atomic-write.js";
import { lstatOf } from "../../base/file-stamp.js";
import { homeOf } from "../../base/home.js";
import { isTable, parseJson } from "../../base/json.js";
import { isRunning } from "../../base/system.js";
import { stateFolder } from "../../config/state-folder.js";
import { readPrivate } from "../../mcp/http/token-file.js";
import type { Io } from "../command.js";

export interface GatewayRecord {
  pid: number;
  /** Scheme, host and port. */
  origin: string;
  key: string;
  /** Real paths of the folders that it serves. */
  roots: string[];
}

function recordFolder(io: Pick<Io, "env">): string {
  return join(stateFolder(io.env, homeOf(io.env)), "gateways");
}

/** Writes the record of this process; gives the function that removes it. */
export function writeGatewayRecord(record: GatewayRecord, io: Pick<Io, "env">): () => void {
  const file = join(recordFolder(io), `${record.pid}.json`);
  writeAtomically(file, JSON.stringify(record), { mode: 0o600, folderMode: 0o700 });
  return () => rmSync(file, { force: true });
}

/** The gateways whose process runs. Records of others are removed. */
export function runningGateways(io: Pick<Io, "env">): GatewayRecord[] {
  const folder = recordFolder(io);
  const names = lstatOf(folder) === undefined ? [] : readdirSync(folder);
  return names.flatMap((name) => {
    const file = join(folder, name);
    const record = name.endsWith(".json") ? readGatewayRecord(file) : undefined;
    if (record !== undefined && isRunning(record.pid)) return [record];
    if (record !== undefined) rmSync(file, { force: true });
    return [];
  });
}

function readGatewayRecord(file: string): GatewayRecord | undefined {
  try {
    const value = parseJson(readPrivate(file));
    if (!isTable(value)) return undefined;
    const { pid, origin, key, roots } = value;
    if (typeof pid !== "number" || typeof origin !== "string" || typeof key !== "string") return undefined;
    return { pid, origin, key, roots: Array.isArray(roots) ? roots.map(String) : [] };
  } catch {
    return undefined;
  }
}
