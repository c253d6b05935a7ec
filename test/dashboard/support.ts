/** A gateway with a dashboard in this process, and a browser for it that knows its cookie and its CSRF token. */

import { request as httpRequest } from "node:http";
import type { JsonObject } from "../../src/base/json.js";
import { Input, type Io } from "../../src/cli/command.js";
import { openPages, type ServedWorkspace } from "../../src/cli/dashboard/served-pages.js";
import { Output } from "../../src/cli/terminal/output.js";
import type { CallRow, DashboardEvents, DashboardState } from "../../src/dashboard/api.js";
import type { Log } from "../../src/lsp/types.js";
import { environmentTokens } from "../../src/mcp/http/bearer-tokens.js";
import { serveHttp } from "../../src/mcp/http/listen.js";
import { type Answer, definition, files, type RawRequest, send, token } from "../mcp/http/support.js";
import {
  openTestWorkspace,
  type TestWorkspace,
  type TestWorkspaceOptions,
} from "../runtime/test-workspace.js";

export const key = "the-key-of-the-gateway-record";

export interface TestDashboard {
  work: TestWorkspace;
  /** A second workspace of the same gateway. */
  other: TestWorkspace | undefined;
  /** Of MCP. */
  url: string;
  origin: string;
  stop(): Promise<void>;
}

const open: TestDashboard[] = [];

export async function closeAll(): Promise<void> {
  for (const { stop, work, other } of open.splice(0)) {
    await stop();
    await work.close();
    await other?.close();
  }
}

/** A gateway as `serve --http` opens it, on a workspace with a scripted server. */
export async function openDashboard(
  options: TestWorkspaceOptions & {
    env?: { [name: string]: string };
    other?: TestWorkspaceOptions;
    log?: Log;
  } = {},
): Promise<TestDashboard> {
  const { env = {}, other: second, log = () => undefined, ...given } = options;
  const work = await openTestWorkspace({
    files,
    servers: { fake: { scenario: definition } },
    ...given,
    config: { ...given.config, http: { drain_ms: 1000 } },
  });
  const { runtime } = work;
  const io: Io = {
    ...{ env, cwd: work.folder, stdin: process.stdin },
    stdout: new Output(process.stdout, env),
    stderr: new Output(process.stderr, env),
  };
  const other = second && (await openTestWorkspace(second));
  const facts = { input: new Input({}), io, source: "test" };
  const workspaces: [ServedWorkspace, ...ServedWorkspace[]] = [
    { name: "work", runtime, ...facts },
    ...(other === undefined ? [] : [{ name: "other", runtime: other.runtime, ...facts }]),
  ];
  const { http } = runtime.loaded.plan;
  const pages = await openPages({ kind: "gateway", workspaces, source: http, key, log });
  const stop = new AbortController();
  let served: Promise<void> = Promise.resolve();
  const url = await new Promise<string>((onListening, reject) => {
    served = serveHttp(workspaces, {
      ...{ log, pages, port: 0, allowRemote: false, signal: stop.signal, onListening },
      tokens: environmentTokens("TOKENS", token),
    });
    served.catch(reject);
  });
  const dashboard: TestDashboard = {
    ...{ work, other, url, origin: new URL(url).origin },
    stop: () => {
      stop.abort();
      return served;
    },
  };
  open.push(dashboard);
  return dashboard;
}

/** The path of a new link. */
export async function linkOf({ url }: TestDashboard): Promise<string> {
  const asked = { path: "/dashboard/link", headers: { authorization: `Bearer ${key}` } };
  return (JSON.parse((await send(url, asked)).text) as { path: string }).path;
}

/** The headers of a plain request, which the helper for MCP does not add. */
const plain = { authorization: undefined, accept: undefined, "content-type": undefined };

export class Visitor {
  constructor(
    private readonly url: string,
    readonly cookie: string,
  ) {}

  get(path: string, headers: RawRequest["headers"] = {}): Promise<Answer> {
    const whole = { ...plain, cookie: this.cookie, ...headers };
    return send(this.url, { method: "GET", path: `/dashboard/${path}`, headers: whole });
  }

  async json<T>(path: string): Promise<T> {
    const answer = await this.get(path);
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return JSON.parse(answer.text) as T;
  }

  state(): Promise<DashboardState> {
    return this.json("api/state");
  }

  /** Sends a request as the page does. */
  async post(path: string, body: JsonObject, headers: RawRequest["headers"] = {}): Promise<Answer> {
    const { csrf } = await this.state();
    const own = { cookie: this.cookie, origin: new URL(this.url).origin, "x-lsp-proxy-csrf": csrf };
    return send(this.url, {
      ...{ method: "POST", path: `/dashboard/${path}`, body },
      headers: { authorization: undefined, ...own, ...headers },
    });
  }

  /** The events as they come. */
  events(): Stream {
    return new Stream(this.url, this.cookie);
  }
}

/** Follows the link as a browser does. */
export async function visit(dashboard: TestDashboard): Promise<Visitor> {
  const { headers } = await send(dashboard.url, {
    ...{ method: "GET", path: await linkOf(dashboard), headers: plain },
  });
  const [cookie = ""] = headers["set-cookie"]?.[0]?.split(";") ?? [];
  return new Visitor(dashboard.url, cookie);
}

type Heard = {
  [Name in keyof DashboardEvents]: { name: Name; data: DashboardEvents[Name] };
}[keyof DashboardEvents];

/** An open event stream. */
export class Stream {
  /** The beginning of an event whose end has not come yet. */
  #rest = "";
  readonly #heard: Heard[] = [];
  readonly #request;
  isEnded = false;

  constructor(url: string, cookie: string) {
    this.#request = httpRequest(new URL("/dashboard/events", url), { headers: { cookie }, agent: false });
    this.#request.once("response", (response) => {
      response.setEncoding("utf8").on("data", (part: string) => {
        const messages = `${this.#rest}${part}`.split("\n\n");
        this.#rest = messages.pop() ?? "";
        for (const message of messages) this.#hear(message);
      });
      response.once("close", () => {
        this.isEnded = true;
      });
    });
    this.#request.on("error", () => undefined);
    this.#request.end();
  }

  heard(): Heard[] {
    return [...this.#heard];
  }

  #hear(message: string): void {
    const [, name, data = ""] = /^event: (\w+)\ndata: (.*)$/.exec(message) ?? [];
    if (name !== undefined) this.#heard.push({ name, data: JSON.parse(data) } as Heard);
  }

  calls(): CallRow[] {
    return this.heard().flatMap((event) => (event.name === "call" ? [event.data] : []));
  }

  close(): void {
    this.#request.destroy();
  }
}
