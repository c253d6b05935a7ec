/**
 * Renders deployment files that put several gateways behind one load balancer, from `templates/deploy/TARGET/FILE`.
 * Every folder in `templates/deploy` is a target.
 */
import type { Plan } from "../abi/plan.js";
import { sortBy, sortedSet } from "../base/order.js";
import { render, type Templates } from "./render.js";

/** What a deployment needs in addition to the plan. */
export interface DeployPlace {
  /** The program and its arguments, as an absolute command line. */
  command: readonly string[];
  /** The arguments of `serve` that name the config or bundle. */
  serve: readonly string[];
  /** Absolute folders that the gateways need, first that of the config; some are always read-only. */
  folders: readonly { path: string; isOnlyRead: boolean }[];
  gateways: number;
  /** The container image with the program and the language servers. */
  image: string;
}

interface DeployFile {
  name: string;
  text: string;
}

const folder = "deploy/";
const balancer = "deploy/haproxy/haproxy.cfg";
/** Memory of a gateway without its language servers, and of a server without a limit. */
const GATEWAY_MB = 512;
const SERVER_MB = 2048;
const DAY_SEC = 86_400;
/** Less than the maximum of connections of a gateway. */
const CONNECTIONS = 1000;

/** The targets that have templates. */
export function deployTargets(templates: Templates): string[] {
  const names = Object.keys(templates).filter((name) => name.startsWith(folder));
  return sortedSet(names.map((name) => name.split("/")[1] ?? ""));
}

/** The file of one target. */
export function deployFile(target: string, plan: Plan, place: DeployPlace, templates: Templates): DeployFile {
  const template = Object.keys(templates).find((name) => name.startsWith(`${folder}${target}/`)) ?? target;
  const { port, bind } = plan.http;
  const facts = factsOf(plan, place);
  const indices = Array.from({ length: place.gateways }, (_, index) => index);
  // On one machine each gateway has its own port; in containers each has its own host name.
  const own = indices.map((index) => ({
    index,
    address: `127.0.0.1:${port + 1 + index}`,
    port: port + 1 + index,
  }));
  const named = indices.map((index) => ({ index, address: `lsp-proxy-${index}.lsp-proxy:${port}`, port }));
  const listen = `${bind.includes(":") ? `[${bind}]` : bind}:${port}`;
  const haproxy = render(templates, balancer, {
    ...facts,
    gateways: named,
    listen: `:${port}`,
    isNamed: true,
  });
  const view = { ...facts, gateways: own, listen, isNamed: false, haproxy };
  return { name: template.split("/").at(-1) ?? target, text: render(templates, template, view) };
}

function factsOf(plan: Plan, { command, serve, folders, image, gateways }: DeployPlace) {
  const { http, limits, allow } = plan;
  const isReadOnly = !allow.effects.includes("edit");
  const longestSec = seconds(Math.max(limits.timeoutMs, ...plan.tools.map(({ timeoutMs }) => timeoutMs)));
  const drainSec = seconds(http.drainMs);
  const healthHost = http.allowedHosts.includes("127.0.0.1") ? "127.0.0.1" : (http.allowedHosts[0] ?? "");
  return {
    count: gateways,
    image,
    command,
    serve,
    isReadOnly,
    folders: folders.map(({ path }, index) => ({ index, path })),
    written: folders.filter(({ isOnlyRead }) => !isOnlyRead).map(({ path }) => path),
    bind: http.bind,
    port: http.port,
    path: http.path,
    tokenEnv: http.tokenEnv,
    hasHealth: !http.strict,
    healthHost,
    headersSec: seconds(http.headersTimeoutMs),
    // An idle session and a running call send nothing for this long.
    silentSec: Math.max(seconds(http.sessionIdleMs), longestSec + 10),
    tableSec: Math.max(seconds(http.sessionIdleMs), DAY_SEC),
    drainSec,
    stopSec: drainSec + 10,
    memoryMb: memoryOf(plan),
    connections: CONNECTIONS,
    allConnections: CONNECTIONS * gateways * 2,
  };
}

/** Memory of a gateway and of as many servers as may run at once. */
function memoryOf({ servers, limits }: Plan): number {
  const each = sortBy(
    servers.map((server) => server.limits.memoryMb ?? SERVER_MB),
    (megabytes) => [-megabytes],
  );
  return each.slice(0, limits.maxServers).reduce((sum, megabytes) => sum + megabytes, GATEWAY_MB);
}

function seconds(milliseconds: number): number {
  return Math.ceil(milliseconds / 1000);
}
