/** `serve --http`: the address, the source of the tokens, and the message printed when the gateway listens. */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { HttpPlan } from "../abi/plan.js";
import { realPath } from "../base/disk.js";
import { homeOf } from "../base/home.js";
import { isLoopback, strictPortProblem } from "../base/listen-address.js";
import { ConfigError } from "../base/problem.js";
import { stateFolder } from "../config/state-folder.js";
import { environmentTokens, needsToken, type TokenSource, tokenProblem } from "../mcp/http/bearer-tokens.js";
import { type HttpOptions, serveHttp } from "../mcp/http/listen.js";
import { fileTokens } from "../mcp/http/token-file.js";
import { addToken, storedTokens } from "../mcp/http/token-store.js";
import { configError, type Input, type Io } from "./command.js";
import { writeGatewayRecord } from "./dashboard/gateway-record.js";
import { openPages, type ServedWorkspace } from "./dashboard/served-pages.js";
import { withStateLock } from "./files/state-lock.js";
import type { Opened } from "./open.js";

/** Serves a runtime over HTTP until the signal is aborted. */
export async function serveGateway(
  input: Input,
  io: Io,
  { runtime, source, folder, base }: Opened,
  options: Pick<HttpOptions, "log" | "trace" | "signal">,
): Promise<void> {
  const planned = runtime.loaded.plan.http;
  const port = input.integer("port", 0, 65_535) ?? planned.port;
  const http = { ...planned, bind: input.text("bind") ?? planned.bind, port };
  checkAddress(http, planned);
  const tokens = await tokensOf(http, io, folder);
  const first: ServedWorkspace = { name: basename(base), runtime, input, io, source };
  const hasMore = input.texts("serve-workspace").length > 0 || input.text("below") !== undefined;
  const workspaces: [ServedWorkspace, ...ServedWorkspace[]] = hasMore
    ? await (await import("./workspaces.js")).openWorkspaces(input, io, {
        folder: realPath(base),
        runtime,
        source,
      })
    : [first];
  await checkWorkspaces(http, workspaces);
  const key = randomBytes(32).toString("base64url");
  const { log } = options;
  const pages = http.strict
    ? undefined
    : await openPages({
        kind: "gateway",
        workspaces,
        source: http,
        key,
        log,
        addressOf: (name) => ({
          http: { ...http, path: workspaces.length === 1 ? http.path : `${http.path}/${name}` },
          isPortFixed: port !== 0,
        }),
      });
  let forget: () => void = () => undefined;
  await serveHttp(workspaces, {
    ...options,
    pages,
    tokens,
    bind: http.bind,
    port: http.port,
    allowRemote: input.isOn("allow-remote"),
    onListening: (url) => {
      if (port === 0) http.port = Number(new URL(url).port);
      if (workspaces.length === 1) io.stderr.writeLine(`lsp-proxy serves ${source} on ${url}`);
      else
        for (const { name } of workspaces) io.stderr.writeLine(`lsp-proxy serves ${name} on ${url}/${name}`);
      const where = tokens.file === undefined ? "" : ` The tokens are in ${tokens.file}.`;
      io.stderr.writeLine(`${needsToken(tokens)}${where}`);
      const roots = workspaces.flatMap((workspace) => workspace.runtime.roots);
      const record = { pid: process.pid, origin: localOrigin(url), key, roots };
      if (runtime.loaded.plan.dashboard.enabled && pages) forget = writeGatewayRecord(record, io);
    },
  }).finally(() => forget());
}

/** The origin under which this machine reaches the gateway. */
function localOrigin(url: string): string {
  return new URL(url).origin.replace(/\/\/(0\.0\.0\.0|\[::\])(?=:|$)/, "//127.0.0.1");
}

/** The address of the gateway is checked like that of a config, against what each workspace's config allows. */
async function checkWorkspaces(http: HttpPlan, workspaces: readonly ServedWorkspace[]): Promise<void> {
  try {
    for (const { name, runtime } of workspaces.slice(1)) checkAddress(http, runtime.loaded.plan.http, name);
  } catch (error) {
    await Promise.all(workspaces.map(({ runtime }) => runtime.close()));
    throw error;
  }
}

/** Throws where a config does not allow to be served at this address. */
function checkAddress({ bind, port }: HttpPlan, planned: HttpPlan, workspace?: string): void {
  const where = workspace === undefined ? "" : `${workspace}: `;
  const errors: ConfigError[] = [];
  if (!planned.enabled)
    errors.push(configError("http/disabled", `${where}the config has \`http.enabled = false\``));
  if (planned.isBindSealed && bind !== planned.bind)
    errors.push(
      configError("config/sealed", `${where}\`--bind ${bind}\`: the profile fixes it to ${planned.bind}`),
    );
  const badPort = planned.strict ? strictPortProblem(port) : undefined;
  if (badPort !== undefined) errors.push(configError("config/bad-value", `${where}${badPort}`));
  if (errors.length > 0) throw new ConfigError(errors.flatMap(({ problems }) => problems));
}

/** The file of the tokens that lsp-proxy generated. */
export function tokenStore(io: Io): string {
  return join(stateFolder(io.env, homeOf(io.env)), "http-tokens.json");
}

/** Uses only the first source that exists: the environment variable, the config's token file, the generated tokens. */
async function tokensOf(http: HttpPlan, io: Io, folder: string): Promise<TokenSource> {
  const text = io.env[http.tokenEnv];
  if (text !== undefined && text !== "") return environmentTokens(http.tokenEnv, text);
  if (http.tokenFile !== null) return fileTokens(resolve(folder, http.tokenFile));
  const store = tokenStore(io);
  if (!existsSync(store)) {
    // Other machines could use a new token only after someone has printed it, so it is not generated silently.
    if (!isLoopback(http.bind))
      throw tokenProblem("http/no-token", "there is no token for clients on other machines");
    await withStateLock(io, () => {
      if (!existsSync(store)) addToken(store);
    });
  }
  return storedTokens(store);
}
