/** The configs of MCP clients on this machine, as far as they speak of this proxy. Which there are is data. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isTable, type JsonObject } from "../base/json.js";
import { readSource } from "../config/read.js";
import { homeOf, type Surroundings } from "./command.js";
import { executable, shippedConfigs } from "./shipped.js";

/** A client's file and whether it names the proxy. */
export interface ClientFile {
  client: string;
  file: string;
  names: boolean;
}

/** The files that are there. */
export function clientFiles(workspace: string, io: Surroundings): ClientFile[] {
  const list = join(shippedConfigs, "clients.toml");
  const { clients } = readSource(list, readFileSync(list, "utf8")).tree;
  const known = (Array.isArray(clients) ? clients : []).filter(isTable) as JsonObject[];
  return known.flatMap(({ name, files }) =>
    (Array.isArray(files) ? files : []).flatMap((path) => {
      const file = String(path).startsWith("~/")
        ? join(homeOf(io), String(path).slice(2))
        : join(workspace, String(path));
      const text = textOf(file);
      if (text === undefined) return [];
      return [{ client: String(name), file, names: text.includes("lsp-proxy") || text.includes(executable) }];
    }),
  );
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // A file that is not there, or not for us to read, says nothing of us.
    return undefined;
  }
}
