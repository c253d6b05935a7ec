/** The permissions that trusting a discovered config would grant, shown to the user before they decide. */
import { sortedSet } from "../../base/order.js";
import { itemsAt, type LayerNode, type LayerTable, nodeAt, valueAt } from "../layer.js";
import type { TrustRequest } from "./restrict.js";
import { textOf } from "./rules.js";

export interface Grants {
  /** Programs that the config would start or allow. */
  starts: string[];
  /** Its other requests, in words. */
  asks: string[];
  /** Every setting that needs trust, one per line, as written. */
  settings: string[];
}

export function grantsOf(requests: readonly TrustRequest[], config: LayerTable): Grants {
  const servers = itemsAt(config, "servers");
  const grants: Grants = { starts: [], asks: [], settings: [] };
  for (const { name, node, label } of requests) {
    const server = servers.find((one) => `servers.${String(valueAt(one, "id"))}` === name);
    const address = addressOf(server ?? node);
    if (address !== undefined) grants.asks.push(`a connection to \`${address}\``);
    else if (label !== "") grants.asks.push(label);
    if (server && address === undefined) grants.starts.push(programOf(server));
    if (!server && name === "allow.commands") grants.starts.push(String(valueAt(node)));
    grants.settings.push(...settingsOf(name, node));
    for (const key of ["command", "args"]) {
      const value = nodeAt(server ?? node, [key]);
      if (value) grants.settings.push(`${name}.${key} = ${textOf(value)}`);
    }
  }
  const { starts, asks, settings } = grants;
  return { starts: sortedSet(starts), asks: sortedSet(asks), settings: sortedSet(settings) };
}

export function grantsSentence({ starts, asks }: Grants): string | undefined {
  const parts = [
    ...(starts.length > 0 ? [`would start \`${starts.join("`, `")}\``] : []),
    ...(asks.length > 0 ? [`asks for ${asks.join(", ")}`] : []),
  ];
  return parts.length > 0 ? parts.join(" and ") : undefined;
}

/** The settings of a value, one per line. Of shipped tables only the name and the effect are listed. */
function settingsOf(name: string, node: LayerNode): string[] {
  if (node.kind !== "table") return [`${name} = ${textOf(node)}`];
  return [...node.entries].flatMap(([key, inner]) =>
    inner.layer.origin === "config" || key === "effect" || key === "name"
      ? settingsOf(`${name}.${key}`, inner)
      : [],
  );
}

/** The program of a server, or its id where it names none. */
function programOf(server: LayerNode): string {
  const command = nodeAt(server, ["command"]);
  const program = valueAt(command) ?? valueAt(itemsAt(command)[0]) ?? valueAt(server, "id");
  return typeof program === "string" ? program : "a server";
}

/** The address of a server that is connected to and not started. */
function addressOf(server: LayerNode): string | undefined {
  const transport = (key: string) => valueAt(server, "transport", key);
  if ((transport("mode") ?? "connect") !== "connect") return undefined;
  const address = transport("tcp") || transport("pipe");
  return typeof address === "string" ? address : undefined;
}
