/** A gateway for tests: a runtime behind a real HTTP server on a free port, and clients for it. */
import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { JsonObject } from "../../../src/base/json.js";
import type { Trace } from "../../../src/lsp/types.js";
import { environmentTokens, type TokenSource } from "../../../src/mcp/http/bearer-tokens.js";
import { serveHttp } from "../../../src/mcp/http/listen.js";
import type { Scenario } from "../../fake-server/index.js";
import {
  openTestWorkspace,
  range,
  type TestWorkspace,
  type TestWorkspaceOptions,
} from "../../runtime/test-workspace.js";

export const token = "a-token-of-the-tests-0123456789";
export const otherToken = "another-token-of-the-tests-9876";

export interface TestGateway {
  work: TestWorkspace;
  url: string;
  logged: string[];
  /** Shuts the gateway down as a signal would; resolves when it has ended. */
  stop(): Promise<void>;
  served: Promise<void>;
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

const open: { gateways: TestGateway[]; clients: Client[] } = { gateways: [], clients: [] };

/** Closes everything that a test has opened. */
export async function closeAll(): Promise<void> {
  for (const client of open.clients.splice(0)) await client.close();
  const stopping = open.gateways.splice(0).map(async ({ stop, work }) => {
    await stop();
    await work.close();
  });
  await Promise.all(stopping);
}

/** A file and a server that answers definition requests for it. */
export const files = { "a.fake": "one two\n" };
export const at = { file_path: "a.fake", line: 1, character: 1 };
export const definition: Scenario = {
  capabilities: { definitionProvider: true },
  replies: { "textDocument/definition": [{ uri: "file:///work/a.fake", range: range(0, 4, 7) }] },
};
/** The same server, which never answers. */
export const silent: Scenario = { ...definition, on: { "textDocument/definition": [{ never: true }] } };

export interface GatewayOptions extends TestWorkspaceOptions {
  http?: JsonObject;
  tokens?: TokenSource;
  trace?: Trace;
}

/** Opens a gateway; by default on a workspace with one file and one server. */
export async function openGateway(options: GatewayOptions = {}): Promise<TestGateway> {
  const { http, tokens, trace, config, ...rest } = options;
  const work = await openTestWorkspace({
    files,
    servers: { fake: { scenario: definition } },
    ...rest,
    config: { ...config, http: { drain_ms: 5000, ...http } },
  });
  const stop = new AbortController();
  const logged: string[] = [];
  let listening: (url: string) => void = () => undefined;
  const url = new Promise<string>((resolve) => {
    listening = resolve;
  });
  const served = serveHttp([{ name: "work", runtime: work.runtime }], {
    tokens: tokens ?? environmentTokens("TOKENS", `${token} ${otherToken}`),
    log: (level, message, data) => logged.push(`${level} ${message} ${JSON.stringify(data ?? {})}`),
    trace,
    port: 0,
    allowRemote: false,
    signal: stop.signal,
    onListening: listening,
  });
  const gateway: TestGateway = {
    work,
    url: await Promise.race([url, served.then(() => "")]),
    logged,
    served,
    stop: () => {
      stop.abort();
      return served;
    },
  };
  open.gateways.push(gateway);
  return gateway;
}

/** The headers of a request that passes every check. */
export const good = {
  authorization: `Bearer ${token}`,
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
};

export interface RawRequest {
  method?: string;
  path?: string;
  /** Override the good ones; undefined removes one. */
  headers?: { [name: string]: string | undefined };
  body?: string | JsonObject | JsonObject[];
}

/** Sends one raw request. */
export function send(url: string, { method = "POST", path, headers, body }: RawRequest): Promise<Answer> {
  const target = new URL(url);
  const entries = Object.entries({ ...good, ...headers }).filter(([, value]) => value !== undefined);
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        ...{ host: target.hostname, port: target.port, path: path ?? target.pathname, method },
        headers: Object.fromEntries(entries) as { [name: string]: string },
        agent: false,
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => {
          text += part;
        });
        response.once("end", () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        );
        response.once("error", reject);
      },
    );
    request.once("error", reject);
    request.end(typeof body === "object" ? JSON.stringify(body) : (body ?? ""));
  });
}

/** The handshake's first message. */
export function initialize(protocolVersion = "2025-11-25", capabilities: JsonObject = {}): JsonObject {
  return {
    jsonrpc: "2.0",
    id: 0,
    method: "initialize",
    params: { protocolVersion, capabilities, clientInfo: { name: "raw", version: "0" } },
  };
}

export const initialized: JsonObject = { jsonrpc: "2.0", method: "notifications/initialized" };

/** One call of a tool. */
export function callOf(id: number, args: JsonObject = at, name = "find_definition"): JsonObject {
  return { jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } };
}

/** Opens a session with raw requests and gives the headers of its requests. */
export async function openRaw(
  url: string,
  bearer = token,
  capabilities: JsonObject = {},
): Promise<{ [name: string]: string }> {
  const authorization = `Bearer ${bearer}`;
  const { headers } = await send(url, {
    headers: { authorization },
    body: initialize(undefined, capabilities),
  });
  const session = {
    authorization,
    "mcp-session-id": String(headers["mcp-session-id"]),
    "mcp-protocol-version": "2025-11-25",
  };
  await send(url, { headers: session, body: initialized });
  return session;
}

/** The messages in a response: an event stream or a document. */
export function answersIn({ text }: Answer): JsonObject[] {
  const documents = /^(event|:)/.test(text) ? (text.match(/(?<=^data: ).*$/gm) ?? []) : [text];
  return documents.flatMap((document) => {
    const value: JsonObject | JsonObject[] = JSON.parse(document);
    return value;
  }) as JsonObject[];
}

/** The result of the request with this id. */
export function resultOf(answer: Answer, id: number): JsonObject {
  const found = answersIn(answer).find((message) => message.id === id)?.result;
  if (found === undefined) throw new Error(`no result in ${answer.status} ${answer.text}`);
  return found as JsonObject;
}

/** A real client of SDK v1. */
export async function connect(
  url: string,
  options: { bearer?: string; roots?: string[] } = {},
): Promise<Client & { transport: StreamableHTTPClientTransport }> {
  const { bearer = token, roots } = options;
  const client = new Client(
    { name: "test", version: "0" },
    { capabilities: roots ? { roots: { listChanged: true } } : {} },
  );
  if (roots) {
    const { ListRootsRequestSchema } = await import("@modelcontextprotocol/sdk/types.js");
    client.setRequestHandler(ListRootsRequestSchema, async () => ({ roots: roots.map((uri) => ({ uri })) }));
  }
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { authorization: `Bearer ${bearer}` } },
  });
  await client.connect(transport as Parameters<Client["connect"]>[0]);
  open.clients.push(client);
  return client as Client & { transport: StreamableHTTPClientTransport };
}
