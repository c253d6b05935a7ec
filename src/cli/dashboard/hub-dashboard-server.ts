/** The HTTP server of a hub's dashboard, on the loopback address; it starts when the first link is requested. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { pathOf } from "../../mcp/http/checks.js";
import type { ServedPages } from "./served-pages.js";

const ADDRESS = "127.0.0.1";
const MAX_CONNECTIONS = 64;
const REQUEST_MS = 10_000;

/** The hosts that browsers may use for it. */
export const allowedSources = { allowedHosts: [ADDRESS, "localhost"], allowedOrigins: [], strict: false };

export interface HubDashboardServer {
  /** The address of a link that opens the dashboard once; undefined where the config turns it off. */
  link(): Promise<string | undefined>;
  close(): Promise<void>;
}

export function hubDashboardServer(pages: ServedPages): HubDashboardServer {
  const server = createServer(
    { headersTimeout: REQUEST_MS, requestTimeout: REQUEST_MS },
    (request, response) => {
      if (pages.handles(pathOf(request))) void pages.handle(request, response);
      else response.writeHead(404).end();
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  let listening: Promise<string> | undefined;
  const listen = () =>
    new Promise<string>((resolve, reject) => {
      server.once("error", reject);
      server.listen(0, ADDRESS, () => {
        const { port } = server.address() as AddressInfo;
        resolve(`http://${ADDRESS}:${port}`);
      });
    });
  return {
    async link() {
      const path = await pages.link();
      if (path === undefined) return undefined;
      listening ??= listen().catch((error: unknown) => {
        listening = undefined;
        throw error;
      });
      return `${await listening}${path}`;
    },
    async close() {
      await pages.close("the hub ends");
      server.close();
      server.closeIdleConnections();
      // The browser must read the last response before the process ends.
      setTimeout(() => server.closeAllConnections(), 200).unref();
    },
  };
}
