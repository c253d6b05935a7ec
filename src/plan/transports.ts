/** The transport of a server: parses its address, and checks it against `allow.hosts`, `limits` and `sandbox`. */
import type { TransportMode, TransportPlan } from "../abi/plan.js";
import { isLoopback } from "../base/listen-address.js";
import type { ServerConfig } from "../config/schema.js";
import type { Report } from "./report.js";

/** `hosts` are the other machines that a server may run on. */
export function buildTransport(
  server: ServerConfig,
  hosts: readonly string[],
  report: Report,
): TransportPlan {
  const { transport } = server;
  if (transport === undefined || transport === "stdio") return { kind: "stdio" };
  const mode = transport.mode ?? "connect";
  const plan: TransportPlan =
    "pipe" in transport ? { kind: "pipe", mode, path: transport.pipe } : tcpOf(transport.tcp, mode);
  if (plan.kind === "tcp") checkAddress(plan, hosts, report.at("transport", "tcp"));
  checkConfinement(server, plan, report);
  return plan;
}

function tcpOf(address: string, mode: TransportMode) {
  const colon = address.lastIndexOf(":");
  const host = address.slice(0, colon).replace(/^\[(.*)\]$/, "$1");
  return { kind: "tcp" as const, mode, host, port: Number(address.slice(colon + 1)) };
}

function checkAddress(
  { mode, host, port }: ReturnType<typeof tcpOf>,
  hosts: readonly string[],
  report: Report,
): void {
  const least = mode === "connect" ? 1 : 0;
  if (port < least || port > 65_535)
    report.add("config/bad-value", `The port ${port} is not between ${least} and 65535.`);
  if (isLoopback(host) || (mode === "connect" && hosts.includes(host))) return;
  const message =
    mode === "connect"
      ? `The host \`${host}\` is another machine, and not in \`allow.hosts\`.`
      : `With \`mode = "${mode}"\` the address must be local, and \`${host}\` is not.`;
  report.add("plan/host-not-allowed", message);
}

function checkConfinement(
  { id, limits = {}, sandbox = "none" }: ServerConfig,
  transport: Exclude<TransportPlan, { kind: "stdio" }>,
  report: Report,
): void {
  const bad = (key: string, message: string) =>
    report.at(...key.split("/")).add("plan/no-process", `The server \`${id}\` ${message}`);
  if (transport.mode === "connect") {
    for (const key of Object.keys(limits))
      bad(`limits/${key}`, "is already running: there is no process to limit.");
    if (sandbox !== "none") bad("sandbox", "is already running: there is no process to confine.");
  } else if (transport.kind === "tcp" && sandbox !== "none" && sandbox !== "read_only")
    bad("sandbox", `uses TCP, which \`${sandbox}\` blocks; a \`pipe\` works.`);
}
