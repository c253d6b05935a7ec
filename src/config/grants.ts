/** What a config would set in motion: the reason why one that was merely found must be trusted first. */
import { resolve } from "node:path";
import { sortedSet } from "../base/order.js";
import { type Files, isInside } from "./files.js";
import { itemsOf, type LayerNode, type LayerTable, leafValue, nodeAt } from "./layer.js";

export interface Grants {
  /** Programs that it would start or allow. */
  starts: string[];
  /** What else it asks for, in words. */
  asks: string[];
}

/** Reads what a config grants; its servers are complete, `base` is where its relative paths start. */
export function grantsOf(config: LayerTable, base: string, files: Files): Grants {
  const all = itemsOf(config.entries.get("servers"));
  const servers = all.filter((server) => addressOf(server) === undefined).map(commandOf);
  const addresses = all.flatMap((server) => addressOf(server) ?? []);
  const commands = texts(nodeAt(config, ["allow", "commands"]));
  const effects = texts(nodeAt(config, ["allow", "effects"])).filter((effect) => effect !== "read");
  const env = texts(nodeAt(config, ["allow", "env"]));
  const hosts = texts(nodeAt(config, ["allow", "hosts"]));
  const realBase = files.realpath(base);
  const outside = ["roots", "extra_roots"]
    .flatMap((key) => texts(nodeAt(config, ["workspace", key])))
    .filter((root) => !isInside(files.realpath(resolve(base, root)), realBase));
  const asks = [
    ...sortedSet(addresses).map((address) => `a connection to \`${address}\``),
    ...sortedSet(hosts).map((host) => `language servers on \`${host}\``),
    ...sortedSet(effects).map((effect) => `tools with the effect \`${effect}\``),
    ...sortedSet(env).map((name) => `the variable \`${name}\``),
    ...sortedSet(outside).map((root) => `the folder \`${root}\``),
    ...["tools", "methods"]
      .filter((key) => hasOwn(config.entries.get(key)))
      .map((key) => `${key} of its own`),
    ...(nodeAt(config, ["mcp", "instructions"]) ? ["instructions of its own"] : []),
    ...(config.entries.has("http") ? ["settings of the HTTP gateway"] : []),
  ];
  return { starts: sortedSet([...servers, ...commands]), asks };
}

/** One sentence about the grants, or `undefined` when there are none. */
export function grantWords({ starts, asks }: Grants): string | undefined {
  const parts = [
    ...(starts.length > 0 ? [`would start \`${starts.join("`, `")}\``] : []),
    ...(asks.length > 0 ? [`asks for ${asks.join(", ")}`] : []),
  ];
  return parts.length > 0 ? parts.join(" and ") : undefined;
}

/** The program of a server; a server without one still counts, by its id. */
function commandOf(server: LayerNode): string {
  const command = nodeAt(server, ["command"]);
  const program = leafValue(command) ?? leafValue(itemsOf(command)[0]) ?? leafValue(nodeAt(server, ["id"]));
  return typeof program === "string" ? program : "a server";
}

/** Where a server listens that runs elsewhere and is not started. */
function addressOf(server: LayerNode): string | undefined {
  const mode = leafValue(nodeAt(server, ["transport", "mode"]));
  if (mode !== undefined && mode !== "connect") return undefined;
  const [address] = ["tcp", "pipe"]
    .map((kind) => leafValue(nodeAt(server, ["transport", kind])))
    .filter(Boolean);
  return typeof address === "string" ? address : undefined;
}

/** Whether a list has entries that are not shipped. */
function hasOwn(list: LayerNode | undefined): boolean {
  return itemsOf(list).some((entry) => entry.layer.origin === "config");
}

function texts(node: LayerNode | undefined): string[] {
  return itemsOf(node).flatMap((item) => {
    const value = leafValue(item);
    return typeof value === "string" ? [value] : [];
  });
}
