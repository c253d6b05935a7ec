/** What a config would set in motion: the reason why one that was merely found must be trusted first. */
import { sortedSet } from "../../base/order.js";
import { itemsOf, type LayerNode, type LayerTable, leafValue, nodeAt } from "../layer.js";
import type { Ask } from "./judge.js";
import { textOf } from "./narrow.js";

export interface Grants {
  /** Programs that it would start or allow. */
  starts: string[];
  /** What else it asks for, in words. */
  asks: string[];
  /** All of it as it is written, one setting a line: what is run with which words and variables, and every text. */
  settings: string[];
}

/** Everything that a config asks for; `config` has its servers complete. */
export function grantsOf(asks: readonly Ask[], config: LayerTable): Grants {
  const servers = itemsOf(config.entries.get("servers"));
  const complete = (ask: Ask): LayerNode | undefined =>
    servers.find((server) => `servers.${String(leafValue(nodeAt(server, ["id"])))}` === ask.name);
  const starts = asks.flatMap((ask) => {
    const server = complete(ask);
    if (server) return addressOf(server) === undefined ? [commandOf(server)] : [];
    return ask.name === "allow.commands" ? [String(leafValue(ask.node))] : [];
  });
  return {
    starts: sortedSet(starts),
    asks: sortedSet(
      asks.flatMap((ask) => {
        const address = addressOf(complete(ask) ?? ask.node);
        if (address !== undefined) return [`a connection to \`${address}\``];
        return ask.words === "" ? [] : [ask.words];
      }),
    ),
    settings: sortedSet(
      asks.flatMap((ask) => [
        ...settingsOf(ask.name, ask.node),
        ...["command", "args"].flatMap((key) => {
          const node = nodeAt(complete(ask) ?? ask.node, [key]);
          return node === undefined ? [] : [`${ask.name}.${key} = ${textOf(node)}`];
        }),
      ]),
    ),
  };
}

/** One sentence about the grants, or `undefined` when there are none. */
export function grantWords({ starts, asks }: Grants): string | undefined {
  const parts = [
    ...(starts.length > 0 ? [`would start \`${starts.join("`, `")}\``] : []),
    ...(asks.length > 0 ? [`asks for ${asks.join(", ")}`] : []),
  ];
  return parts.length > 0 ? parts.join(" and ") : undefined;
}

/** Setting by setting; of what is shipped only which it is and what it may do. */
function settingsOf(name: string, node: LayerNode): string[] {
  if (node.kind !== "table") return [`${name} = ${textOf(node)}`];
  return [...node.entries].flatMap(([key, inner]) =>
    inner.layer.origin === "config" || key === "effect" || key === "name"
      ? settingsOf(`${name}.${key}`, inner)
      : [],
  );
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
