/**
 * The requests of the dashboard. A request must come from an allowed host and origin; all but the link itself need the
 * cookie that the link gave; one that does something needs an origin and the CSRF token besides.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { JsonObject } from "../base/json.js";
import { Refusal } from "../base/problem.js";
import type { Log } from "../lsp/types.js";
import {
  bearerToken,
  isAllowedSource,
  isJson,
  repeatedHeader,
  type SourceRules,
} from "../mcp/http/checks.js";
import { actOnServer, Playground, tableIn, weightsOf } from "./actions.js";
import {
  type ConfigInfo,
  CSRF_HEADER,
  type DashboardState,
  type SetupInfo,
  type WorkspaceFile,
} from "./api.js";
import { Events } from "./events.js";
import { Live, type ShownWorkspace } from "./live.js";
import { isSame, Login, type LoginSession } from "./login.js";
import type { CallRecord } from "./record.js";
import { readJson, SECURITY_HEADERS, sendError, sendFile, sendJson, sendText } from "./responses.js";

const DASHBOARD_PATH = "/dashboard/";
const MAX_FILE_CHARACTERS = 400_000;
const NEEDS_LINK = "`lsp-proxy dashboard` opens this page with a link that works once.";

/** A workspace, with what only the command line knows about its config. */
interface DashboardWorkspace extends ShownWorkspace {
  config(): Promise<Pick<ConfigInfo, "source" | "explain" | "problems">>;
  setup(): Promise<SetupInfo>;
}

interface DashboardContext {
  kind: DashboardState["kind"];
  version: string;
  workspaces: readonly [DashboardWorkspace, ...DashboardWorkspace[]];
  record: CallRecord;
  source: SourceRules;
  /** The folder of the page's files. */
  page: string;
  log: Log;
  /** With this key the command line asks for a link over HTTP; undefined where it asks in another way. */
  key?: string | undefined;
  /** Called with the number of open pages whenever it has changed. */
  onViewers?(count: number): void;
}

type Reading = (query: URLSearchParams) => Promise<unknown> | unknown;
type Acting = (body: JsonObject, signal: AbortSignal) => Promise<unknown>;

export class Dashboard {
  readonly #login = new Login();
  readonly #live: Live;
  readonly #events: Events;
  readonly #playground: Playground;
  readonly #startedAt = Math.round(Date.now() - process.uptime() * 1000);
  readonly #unlisten: (() => void)[];

  constructor(private readonly context: DashboardContext) {
    const { workspaces, record, version } = context;
    this.#live = new Live(workspaces, record);
    this.#events = new Events(this.#live, record, (count) => context.onViewers?.(count));
    this.#playground = new Playground(record, version);
    this.#unlisten = workspaces.map(({ name, runtime }) =>
      runtime.onUpdated(() => this.#events.send("config", { workspace: name })),
    );
  }

  /** The path of a link that opens the page once. */
  link(): string {
    return `${DASHBOARD_PATH}open?code=${this.#login.issue()}`;
  }

  /** Answers a request below `DASHBOARD_PATH`; gives whether it may see the page. */
  handle(incoming: IncomingMessage, outgoing: ServerResponse): boolean {
    const { headers, method = "" } = incoming;
    const { pathname, searchParams } = new URL(incoming.url ?? "", "http://localhost");
    const name = pathname.slice(DASHBOARD_PATH.length);
    if (repeatedHeader(incoming.headersDistinct) !== undefined) sendText(outgoing, 400, "");
    else if (!isAllowedSource(headers, this.context.source)) sendText(outgoing, 403, "");
    else if (!pathname.startsWith(DASHBOARD_PATH)) sendText(outgoing, 308, "", { location: DASHBOARD_PATH });
    else if (name === "open" && method === "GET") this.#open(searchParams.get("code") ?? "", outgoing);
    else if (name === "link" && method === "POST") this.#giveLink(headers.authorization, outgoing);
    else {
      const session = this.#login.session(headers.cookie);
      if (session === undefined) sendText(outgoing, 401, `${NEEDS_LINK}\n`);
      else if (isForeign(headers["sec-fetch-site"])) sendText(outgoing, 403, "");
      else this.#answer(name, searchParams, session, incoming, outgoing);
      return session !== undefined;
    }
    return false;
  }

  /** Tells the open pages that the process ends. */
  close(reason: string): void {
    for (const stop of this.#unlisten) stop();
    this.#events.close(reason);
    this.#playground.close();
  }

  /** The link becomes a cookie. The page is opened by this one: with a redirect, the cookie would not be sent yet. */
  #open(code: string, outgoing: ServerResponse): void {
    const cookie = this.#login.redeem(code, DASHBOARD_PATH);
    if (cookie === undefined) {
      sendText(outgoing, 403, `The link is too old, or was used before. ${NEEDS_LINK}\n`);
      return;
    }
    const next = `<meta http-equiv="refresh" content="0;url=${DASHBOARD_PATH}">`;
    const html = `<!doctype html><html lang="en"><head><title>lsp-proxy</title>${next}</head><body><a href="${DASHBOARD_PATH}">Open the dashboard</a></body></html>`;
    sendText(outgoing, 200, html, { "content-type": "text/html; charset=utf-8", "set-cookie": cookie });
  }

  #giveLink(authorization: string | undefined, outgoing: ServerResponse): void {
    const { key } = this.context;
    const given = bearerToken(authorization);
    if (key === undefined || !isSame(given, key)) sendText(outgoing, 401, "");
    else sendJson(outgoing, { path: this.link() });
  }

  #answer(
    name: string,
    query: URLSearchParams,
    session: LoginSession,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ): void {
    const { method } = incoming;
    const isReading = method === "GET" || method === "HEAD";
    const act = Object.hasOwn(this.#acting, name) ? this.#acting[name] : undefined;
    const read = Object.hasOwn(this.#reading, name) ? this.#reading[name] : undefined;
    if (act !== undefined && method === "POST") void this.#act(act, session, incoming, outgoing);
    else if (!isReading) sendText(outgoing, 405, "", { allow: act === undefined ? "GET" : "POST" });
    else if (name === "events") this.#stream(outgoing);
    else if (name === "api/state") sendJson(outgoing, this.#state(session));
    else if (read !== undefined) void this.#reply(outgoing, async () => read(query));
    else if (!sendFile(outgoing, this.context.page, name === "" ? "index.html" : name))
      sendText(outgoing, 404, "");
  }

  #stream(outgoing: ServerResponse): void {
    if (!this.#events.open(outgoing, SECURITY_HEADERS)) sendText(outgoing, 503, "");
  }

  #state({ csrf }: LoginSession): DashboardState {
    const { kind, version, record, workspaces } = this.context;
    return {
      version,
      kind,
      pid: process.pid,
      startedAt: this.#startedAt,
      csrf,
      keepsAnswers: record.keepsAnswers,
      workspaces: workspaces.map(({ name, runtime }) => ({ name, roots: [...runtime.roots] })),
      live: this.#live.state(),
      calls: record.rows(),
      charts: this.#live.charts(),
    };
  }

  readonly #reading: { readonly [name: string]: Reading } = {
    "api/call": (query) => {
      const detail = this.context.record.detail(Number(query.get("id")));
      if (detail === undefined)
        throw new Refusal("guard/invalid-arguments", "There is no such call any more.");
      return detail;
    },
    "api/tools": (query) => this.#playground.tools(this.#workspace(query.get("workspace"))),
    "api/config": async (query): Promise<ConfigInfo> => {
      const workspace = this.#workspace(query.get("workspace"));
      return { ...(await workspace.config()), ...weightsOf(workspace) };
    },
    "api/setup": (query) => this.#workspace(query.get("workspace")).setup(),
    "api/file": async (query): Promise<WorkspaceFile> => {
      const { runtime } = this.#workspace(query.get("workspace"));
      const { shown, text } = await runtime.readFile(query.get("path") ?? "");
      const isCut = text.length > MAX_FILE_CHARACTERS;
      return { path: shown, text: text.slice(0, MAX_FILE_CHARACTERS), isCut };
    },
  };

  readonly #acting: { readonly [name: string]: Acting } = {
    "api/restart": (body) => actOnServer("restart", this.#workspace(body.workspace), String(body.server)),
    "api/stop": (body) => actOnServer("stop", this.#workspace(body.workspace), String(body.server)),
    "api/run": (body, signal) => {
      const { workspace, tool } = body;
      return this.#playground.run(
        this.#workspace(workspace),
        String(tool),
        tableIn(body.arguments ?? {}),
        signal,
      );
    },
  };

  /** Does something, if the request was made by the page itself. */
  async #act(
    act: Acting,
    session: LoginSession,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ): Promise<void> {
    const { headers } = incoming;
    const given = headers[CSRF_HEADER];
    const isOwn = headers.origin !== undefined && typeof given === "string" && isSame(given, session.csrf);
    if (!isOwn)
      sendError(outgoing, 403, "dashboard/foreign-request", "The request does not come from the page.");
    else if (!isJson(headers["content-type"])) sendText(outgoing, 415, "");
    else {
      const controller = new AbortController();
      outgoing.once("close", () => controller.abort());
      await this.#reply(outgoing, async () => act(tableIn(await readJson(incoming)), controller.signal));
    }
  }

  async #reply(outgoing: ServerResponse, answer: () => Promise<unknown>): Promise<void> {
    try {
      sendJson(outgoing, await answer());
    } catch (error) {
      if (error instanceof Refusal) sendError(outgoing, 400, error.code, error.message);
      else {
        const cause = error instanceof Error ? (error.stack ?? error.message) : String(error);
        this.context.log("error", "internal error in the dashboard", { cause });
        sendError(outgoing, 500, "runtime/fault", "An internal error happened; the log has its cause.");
      }
    }
  }

  #workspace(name: unknown): DashboardWorkspace {
    const { workspaces } = this.context;
    const found = workspaces.find((workspace) => workspace.name === name);
    if (found === undefined)
      throw new Refusal("guard/invalid-arguments", "There is no workspace of that name.");
    return found;
  }
}

/** Whether a browser says that another site made the request. */
function isForeign(site: string | string[] | undefined): boolean {
  return site !== undefined && site !== "same-origin" && site !== "none";
}
