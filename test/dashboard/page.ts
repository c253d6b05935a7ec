/** The dashboard in a real browser: the built program serves a project, and Chromium opens its page by a link. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import axe from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";
import { expect } from "vitest";
import { runHere } from "../cli/terminal.js";
import { freePort } from "../free-ports.js";
import { installed, program, repository, testEnvironment } from "../live/session.js";

const chromiumPath = ["chromium", "chromium-browser", "google-chrome"]
  .map((name) => installed(name, ["--version"]))
  .find((path) => path !== undefined);

/** Whether the tests can run. Debian's package is `chromium`. */
export const hasBrowser = chromiumPath !== undefined;

export function openBrowser(): Promise<Browser> {
  // Chromium has no sandbox for root, as whom some machines run tests.
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return chromium.launch({ executablePath: chromiumPath ?? "", args, timeout: 120_000 });
}

export interface PageOptions {
  viewport?: { width: number; height: number };
  colorScheme?: "light" | "dark";
}

/**
 * The page of this browser, opened by a link. There is one, which is used again: a new one costs Chromium a second of
 * processor time.
 */
export async function openLink(
  browser: Browser,
  link: string,
  { viewport = { width: 1280, height: 800 }, colorScheme }: PageOptions = {},
): Promise<Page> {
  const context = browser.contexts()[0] ?? (await browser.newContext());
  const page = context.pages()[0] ?? (await context.newPage());
  page.setDefaultTimeout(60_000);
  await page.setViewportSize(viewport);
  await page.emulateMedia({ colorScheme: colorScheme ?? null });
  await page.goto(link);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.getByText("Live", { exact: true }).waitFor();
  return page;
}

/** Chooses a view in the navigation. */
export function openView(page: Page, name: string): Promise<void> {
  return page.getByRole("navigation").getByRole("link", { name }).click();
}

/** The bytes of the page's own files, and when it painted something, in milliseconds. */
export function loadingOf(page: Page): Promise<{ bytes: number; paint: number }> {
  // A text, because the tests have no types of the browser. What has its place on the page may not be painted yet.
  return page.evaluate(`new Promise((resolve) => {
    const painted = () => {
      const [paint] = performance.getEntriesByName("first-contentful-paint");
      if (paint === undefined) return setTimeout(painted, 50);
      const [document] = performance.getEntriesByType("navigation");
      const files = performance.getEntriesByType("resource").filter(({ name }) => /\\.(?:js|css|svg)$/.test(name));
      resolve({
        bytes: files.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, document.encodedBodySize),
        paint: paint.startTime,
      });
    };
    painted();
  })`);
}

/** What axe finds wrong, of any impact. */
export async function violationsOf(page: Page): Promise<{ id: string; impact: string; nodes: string[] }[]> {
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(axe.source);
  return page.evaluate(`axe.run({ resultTypes: ["violations"] }).then(({ violations }) =>
    violations.map(({ id, impact, nodes }) => ({ id, impact, nodes: nodes.map(({ html }) => html) })))`);
}

const token = "a-token-of-the-dashboard-0123456789";

/** A gateway with a TypeScript project, behind a relay that can be cut. */
export class ServedPage {
  readonly #top = realpathSync(mkdtempSync(join(tmpdir(), "demo-")));
  readonly folder = join(this.#top, "shop");
  readonly #clients: Client[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #relay: Server;
  readonly #env: { [name: string]: string };
  #isMute = false;
  #gateway: ChildProcess | undefined;
  #port = 0;
  #relayPort = 0;
  /** Of the page, once the browser has the cookie. */
  #address: string | undefined;

  /** Further servers of the config, as TOML, and the programs that they need. */
  constructor(servers = "", programs: string[] = []) {
    cpSync(join(repository, "test", "fixtures", "typescript"), this.folder, { recursive: true });
    this.write(
      "lspi.toml",
      `[allow]\ncommands = ${JSON.stringify(["tsc", ...programs])}\neffects = ["read", "edit"]\n[[servers]]\nid = "typescript"\nkind = "typescript"\n${servers}`,
    );
    this.#env = {
      ...testEnvironment(),
      XDG_STATE_HOME: join(this.#top, "state"),
      XDG_RUNTIME_DIR: this.#top,
      TMPDIR: this.#top,
      LSP_PROXY_TOKEN: token,
    };
    this.#relay = createServer((incoming) => this.#pass(incoming));
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text);
  }

  read(name: string): string {
    return readFileSync(join(this.folder, name), "utf8");
  }

  /** Starts the gateway; the relay stays where it is when it is started again. */
  async start(): Promise<void> {
    // A port of its own: an entry for a client names it.
    if (this.#port === 0) {
      this.#port = await freePort();
      this.write("lspi.toml", `${this.read("lspi.toml")}[http]\nport = ${this.#port}\n`);
    }
    const words = ["serve", "--http", "--config", "lspi.toml", "--trust-workspace"];
    const gateway = spawn(process.execPath, [program, ...words], { cwd: this.folder, env: this.#env });
    this.#gateway = gateway;
    this.#address = undefined;
    await new Promise<void>((resolve, reject) => {
      let said = "";
      gateway.stderr.setEncoding("utf8").on("data", (text: string) => {
        said += text;
        if (/http:\/\/\S+\/mcp/.test(said)) resolve();
      });
      gateway.once("exit", () => reject(new Error(said)));
    });
    if (!this.#relay.listening) await this.reconnect();
  }

  /** Ends the gateway as a person would. */
  async stop(): Promise<void> {
    const gateway = this.#gateway;
    if (gateway === undefined || gateway.exitCode !== null) return;
    const ended = once(gateway, "exit");
    gateway.kill("SIGTERM");
    await ended;
  }

  /** The link that `lsp-proxy dashboard` prints, through the relay. */
  async link(): Promise<string> {
    const words = ["dashboard", "--no-open", "--config", "lspi.toml"];
    const { code, stdout, stderr } = await runHere(words, { cwd: this.folder, env: this.#env });
    expect(code, stderr).toBe(0);
    const url = new URL(stdout.trim());
    expect(Number(url.port)).toBe(this.#port);
    url.port = String(this.#relayPort);
    return url.href;
  }

  /** The page: by a link where the browser has no cookie of this gateway yet, then by its address. */
  async open(browser: Browser, options: PageOptions = {}): Promise<Page> {
    const page = await openLink(browser, this.#address ?? (await this.link()), options);
    this.#address = new URL("/dashboard/", page.url()).href;
    return page;
  }

  /** An agent, which is connected to the gateway itself. */
  async agent(name: string): Promise<(tool: string, args: object) => Promise<unknown>> {
    const client = new Client({ name, version: "1.2.3" });
    const headers = { authorization: `Bearer ${token}` };
    const url = new URL(`http://127.0.0.1:${this.#port}/mcp`);
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    this.#clients.push(client);
    return (tool, args) => client.callTool({ name: tool, arguments: { ...args } });
  }

  /** Cuts the network between the browser and the gateway. */
  async disconnect(): Promise<void> {
    const closed = once(this.#relay, "close");
    this.#relay.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async reconnect(): Promise<void> {
    this.#isMute = false;
    if (this.#relayPort === 0) this.#relayPort = await freePort();
    this.#relay.listen(this.#relayPort, "127.0.0.1");
    await once(this.#relay, "listening");
  }

  /** Lets no more bytes through, without closing a connection. */
  mute(isMute: boolean): void {
    this.#isMute = isMute;
    for (const socket of this.#sockets) {
      if (isMute) socket.pause();
      else socket.resume();
    }
  }

  #pass(incoming: Socket): void {
    const outgoing = connect(this.#port, "127.0.0.1");
    for (const [from, to] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      this.#sockets.add(from);
      from.pipe(to);
      from.on("error", () => to.destroy());
      from.on("close", () => {
        this.#sockets.delete(from);
        to.destroy();
      });
      if (this.#isMute) from.pause();
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close().catch(() => {})));
    if (this.#relay.listening) await this.disconnect();
    await this.stop();
    rmSync(this.#top, { recursive: true, force: true });
  }
}
