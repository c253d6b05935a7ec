/**
 * Finds the dashboard of a command line: that of the hub that runs, of a gateway for the workspace, or of a new hub.
 */
import { resolve } from "node:path";
import { realPath } from "../../base/disk.js";
import { isTable } from "../../base/json.js";
import { sortBy } from "../../base/order.js";
import { isInside } from "../../base/paths.js";
import { askOnce, unlessUnavailable } from "../../hub/ask-hub.js";
import { findHub } from "../../hub/find-hub.js";
import { HubUnavailable } from "../../hub/hub-folder.js";
import type { Input, Io } from "../command.js";
import { listHubs } from "../hub/list-hubs.js";
import { hubPath } from "../hub/running-hub.js";
import { launchOf } from "../hub/serve-shared.js";
import { type Loaded, loadFrom } from "../open.js";
import { executable, version } from "../shipped.js";
import { type GatewayRecord, runningGateways } from "./gateway-record.js";

const ANSWER_MS = 5_000;

/** Where a dashboard is: its link, which counts once; or why there is none. */
type FoundDashboard = { url: string } | { problem: string };

export async function findDashboard(input: Input, io: Io): Promise<FoundDashboard> {
  const found = await loadFrom(input, io, { servesUntrusted: true });
  for (const path of await hubsOf(found, io, hubPath(found, input, io))) {
    const link = await linkOfHub(path);
    if (link !== undefined) return link;
  }
  const roots = found.loaded.plan.workspace.roots.map((root) => realPath(resolve(found.base, root)));
  for (const gateway of runningGateways(io)) {
    if (!gateway.roots.some((served) => roots.some((root) => isInside(root, served)))) continue;
    const url = await linkOfGateway(gateway);
    if (url !== undefined) return { url };
  }
  try {
    const launch = launchOf(input, io);
    // The session keeps the hub until it is asked.
    const { socket } = await findHub({ launch, env: io.env, executable, session: {} });
    const started = hubPath(found, input, io);
    const link = started === undefined ? undefined : await linkOfHub(started);
    socket.destroy();
    return link ?? { problem: "the hub does not answer" };
  } catch (error) {
    if (!(error instanceof HubUnavailable)) throw error;
    return { problem: `${error.message}; a gateway (\`serve --http\`) has a dashboard too` };
  }
}

/**
 * The sockets of the hubs for this config and workspace, the one with the most sessions first. A client often starts
 * its hub with other variables than a terminal has, so there may be several.
 */
async function hubsOf({ loaded, base }: Loaded, io: Io, own: string | undefined): Promise<string[]> {
  try {
    const { hubs: all } = await listHubs(io);
    const hubs = all.filter(
      (hub) => hub.bundle === loaded.manifest.bundle && hub.workspace === base && hub.version === version(),
    );
    const ranked = sortBy(hubs, ({ path, sessions }) => [-sessions, path === own ? 0 : 1, path]);
    return ranked.map(({ path }) => path);
  } catch (error) {
    if (error instanceof HubUnavailable) return [];
    throw error;
  }
}

/** The link of a hub; undefined when it does not answer. */
async function linkOfHub(path: string): Promise<FoundDashboard | undefined> {
  const answer = await unlessUnavailable(askOnce(path, "dashboard"));
  if (answer === undefined) return undefined;
  return typeof answer.url === "string"
    ? { url: answer.url }
    : { problem: "the config turns the dashboard off (`dashboard.enabled`)" };
}

/** The link of a gateway; undefined when it does not answer. */
async function linkOfGateway({ origin, key }: GatewayRecord): Promise<string | undefined> {
  try {
    const response = await fetch(`${origin}/dashboard/link`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    const value: unknown = response.ok ? await response.json() : undefined;
    return isTable(value) && typeof value.path === "string" ? `${origin}${value.path}` : undefined;
  } catch {
    return undefined;
  }
}
