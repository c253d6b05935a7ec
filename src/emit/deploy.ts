/**
 * Files that put several gateways of one plan behind one address, each rendered from `templates/deploy/TARGET/FILE`. A
 * target is a folder there and nothing else; what it writes depends on the plan and the place alone.
 */
import type { Plan } from "../abi/plan.js";
import { sortBy, sortedSet } from "../base/order.js";
import { render, type Templates } from "./render.js";

/** What is to be known besides the plan. */
export interface DeployPlace {
  /** The program and its arguments, as an absolute command line. */
  command: readonly string[];
  /** The words after `serve` that name what is served. */
  serve: readonly string[];
  /** Absolute folders that the gateways need, the config's own first; some are read whatever the tools may do. */
  folders: readonly { path: string; isOnlyRead: boolean }[];
  gateways: number;
  /** The container image that has the program and the language servers. */
  image: string;
}

export interface DeployFile {
  name: string;
  text: string;
}

const folder = "deploy/";
const balancer = "deploy/haproxy/haproxy.cfg";
/** What one gateway holds besides its language servers, and what a server without a limit of its own is given. */
const GATEWAY_MB = 512;
const SERVER_MB = 2048;
const DAY_SEC = 86_400;
/** Below the connections that a gateway itself takes. */
const CONNECTIONS = 1000;

/** The targets that there are templates for. */
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
  // On one machine each gateway has a port of its own; elsewhere each has a name, the same for every kind of container.
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
    ...{ count: gateways, image, command, serve, isReadOnly },
    folders: folders.map(({ path }, index) => ({ index, path })),
    written: folders.filter(({ isOnlyRead }) => !isOnlyRead).map(({ path }) => path),
    ...{ bind: http.bind, port: http.port, path: http.path, tokenEnv: http.tokenEnv },
    ...{ hasHealth: !http.strict, healthHost, headersSec: seconds(http.headersTimeoutMs) },
    // A session may be silent as long as it lives, and a call as long as it may take.
    ...{ silentSec: Math.max(seconds(http.sessionIdleMs), longestSec + 10) },
    ...{ tableSec: Math.max(seconds(http.sessionIdleMs), DAY_SEC) },
    ...{ drainSec, stopSec: drainSec + 10, memoryMb: memoryOf(plan) },
    ...{ connections: CONNECTIONS, allConnections: CONNECTIONS * gateways * 2 },
  };
}

/** What a gateway and as many of its servers as may run at once are given together. */
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
