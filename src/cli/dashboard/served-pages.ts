/**
 * The dashboard and the metrics of a hub or a gateway. Calls are recorded from the start; everything else is loaded
 * with the first request for it.
 */
import type { Dashboard } from "../../dashboard/pages.js";
import type { Log } from "../../lsp/types.js";
import { pathOf, type SourceRules } from "../../mcp/http/checks.js";
import type { OtherPages } from "../../mcp/http/listen.js";
import type { Workspace } from "../../mcp/http/workspaces.js";
import type { Input, Io } from "../command.js";
import { shippedPage, version } from "../shipped.js";
import type { GatewayAddress } from "./config-info.js";

/** A workspace, and the command line that its config comes from. */
export interface ServedWorkspace extends Workspace {
  input: Input;
  io: Io;
  source: string;
}

interface PagesOptions {
  kind: "hub" | "gateway";
  workspaces: readonly [ServedWorkspace, ...ServedWorkspace[]];
  /** The hosts and origins that may ask. */
  source: SourceRules;
  /** With it the command line asks for a link over HTTP. */
  key?: string | undefined;
  /** Where clients reach a workspace; undefined for a hub. */
  addressOf?(workspace: string): GatewayAddress;
  log: Log;
  onViewers?(count: number): void;
}

export interface ServedPages extends OtherPages {
  /** The path of a link that opens the dashboard once; undefined where the config turns it off. */
  link(): Promise<string | undefined>;
}

/** Begins to record; undefined where the config wants neither the dashboard nor the metrics. */
export async function openPages(options: PagesOptions): Promise<ServedPages | undefined> {
  const { workspaces, source, log } = options;
  const [{ runtime, io }] = workspaces;
  const { dashboard: wanted, metrics: measured } = runtime.loaded.plan;
  if (!wanted.enabled && !measured.enabled) return undefined;
  const { CallRecord } = await import("../../dashboard/record.js");
  const record = new CallRecord(wanted.enabled && wanted.keepAnswers);
  for (const { name, runtime } of workspaces)
    runtime.watch = record.watch({ name, kind: "agent", plan: () => runtime.loaded.plan });
  const metrics = measured.enabled ? await openMetrics() : undefined;
  let dashboard: Promise<Dashboard> | undefined;
  const open = () => {
    dashboard ??= openDashboard();
    return dashboard;
  };
  return {
    handles: (path) =>
      (wanted.enabled && isDashboard(path)) || (metrics !== undefined && path === "/metrics"),
    handle: async (incoming, outgoing) => {
      try {
        if (isDashboard(pathOf(incoming))) return (await open()).handle(incoming, outgoing);
        return metrics?.handle(incoming, outgoing) === true;
      } catch (error) {
        log("error", "internal error in the dashboard", { cause: String(error) });
        outgoing.writeHead(500).end();
        return false;
      }
    },
    link: async () => (wanted.enabled ? (await open()).link() : undefined),
    close: async (reason) => {
      metrics?.close();
      (await dashboard)?.close(reason);
    },
  };

  async function openMetrics() {
    const { Metrics } = await import("../../dashboard/metrics.js");
    const token = io.env[measured.tokenEnv] || undefined;
    return new Metrics({ workspaces, record, source, token });
  }

  async function openDashboard(): Promise<Dashboard> {
    const { Dashboard } = await import("../../dashboard/pages.js");
    const [first, ...rest] = workspaces;
    return new Dashboard({
      kind: options.kind,
      version: version(),
      record,
      source,
      page: shippedPage,
      log,
      key: options.key,
      onViewers: (count: number) => options.onViewers?.(count),
      workspaces: [withConfig(first), ...rest.map(withConfig)],
    });
  }

  function withConfig({ name, runtime, input, io, source }: ServedWorkspace) {
    return {
      name,
      runtime,
      config: async () => (await import("./config-info.js")).configInfo(input, io, source),
      setup: async () => (await import("./config-info.js")).setupInfo(input, io, options.addressOf?.(name)),
    };
  }
}

function isDashboard(path: string): boolean {
  return path === "/dashboard" || path.startsWith("/dashboard/");
}
