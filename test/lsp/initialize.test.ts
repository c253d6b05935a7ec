/** The parameters of `initialize`, and the answers to requests of a server. */
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import type { Json, JsonObject } from "../../src/base/json.js";
import type { LanguageServer } from "../../src/lsp/types.js";
import { clientCapabilities } from "../../src/lsp/wire/initialize.js";
import { settingsAt } from "../../src/lsp/wire/server-messages.js";
import { fakeServer } from "../fake-server/index.js";
import { planText } from "../plan/config.js";
import { act, ask, poolOf, received, scenarios, session, signal, until, workspace } from "./support.js";

/** What the client answered to a request of the server. */
async function answerOf(server: LanguageServer, method: string, params: Json = {}): Promise<JsonObject> {
  await act(server, { request: method, params });
  const all = (await ask(server, "fake/received")) as { answer?: JsonObject }[];
  return all.flatMap((message) => (message.answer ? [message.answer] : [])).at(-1) ?? {};
}

test("initialize has root, folders, process, options with named paths, and honest capabilities", async () => {
  const { server, root } = await session(
    {},
    {
      server: {
        initializeOptions: { tsdk: "<node_modules>/typescript/lib", here: ["<workspace>/x"] },
        clientCapabilities: {
          experimental: { serverStatusNotification: true },
          window: { workDoneProgress: false },
        },
        workspaceFolders: ["more"],
      },
      files: { "node_modules/typescript/lib/tsserver.js": "" },
      // Trusted: its own node_modules count.
      context: { trusted: ["/"] },
    },
  );
  const uri = pathToFileURL(root).href;
  expect((await received(server, "initialize"))[0]).toMatchObject({
    processId: process.pid,
    rootUri: uri,
    rootPath: root,
    workspaceFolders: [{ uri }, { uri: `${uri}/more`, name: "more" }],
    initializationOptions: { tsdk: join(root, "node_modules/typescript/lib"), here: [join(root, "x")] },
    clientInfo: { name: "lsp-proxy", version: "0.0.0" },
    capabilities: {
      experimental: { serverStatusNotification: true },
      window: { workDoneProgress: false, showDocument: { support: false } },
      general: { positionEncodings: ["utf-8", "utf-16"] },
      workspace: { applyEdit: false, configuration: true },
      textDocument: {
        publishDiagnostics: { versionSupport: true },
        diagnostic: { dynamicRegistration: true },
      },
    },
  });
});

test("then initialized, then the settings, then documents", async () => {
  const { server, file } = await session({}, { server: { settings: { a: { b: 1 } } } });
  await server.ensureOpen(file, signal());
  const all = (await ask(server, "fake/received")) as { method: string; params: Json }[];
  expect(all.slice(0, 4).map((message) => message.method)).toEqual([
    "initialize",
    "initialized",
    "workspace/didChangeConfiguration",
    "textDocument/didOpen",
  ]);
  expect(all[2]?.params).toEqual({ settings: { a: { b: 1 } } });
});

test("settings that the server asks for are not sent unasked where the plan says so", async () => {
  const { server, file } = await session({}, { server: { settings: { a: { b: 1 } }, pushSettings: false } });
  await server.ensureOpen(file, signal());
  const items = [{ section: "a" }];
  expect(await answerOf(server, "workspace/configuration", { items })).toMatchObject({ result: [{ b: 1 }] });
  expect(await received(server, "workspace/didChangeConfiguration")).toEqual([]);
});

test("requests of the server are answered while it is still in initialize, with id 0 too", async () => {
  const { server } = await session(
    {
      on: { initialize: [{ request: "workspace/configuration", params: { items: [{}, { section: "x" }] } }] },
    },
    { server: { settings: { x: 5 } } },
  );
  const all = (await ask(server, "fake/received")) as { answer?: JsonObject }[];
  expect(all[1]?.answer).toEqual({ jsonrpc: "2.0", id: 0, result: [{ x: 5 }, 5] });
});

test("configuration: as many items as asked, dotted, whole, missing", () => {
  const settings = { a: { b: { c: 1 } }, "x.y": 2, n: null };
  expect(settingsAt(settings, "")).toBe(settings);
  expect(settingsAt(settings, "a.b.c")).toBe(1);
  expect(settingsAt(settings, "a.b")).toEqual({ c: 1 });
  expect(settingsAt(settings, "x.y")).toBe(2);
  expect(settingsAt(settings, "missing")).toEqual({});
  expect(settingsAt(settings, "missing.deep")).toEqual({});
  expect(settingsAt(settings, "a.missing")).toBeNull();
  expect(settingsAt(settings, "n")).toBeNull();
  expect(settingsAt({}, "__proto__.x")).toEqual({});
});

test("configuration: of the innermost folder around the scope, however its URI is escaped", async () => {
  const name = "it's (a+b) @ 1";
  const environment = { "pyvenv.cfg": "", "bin/python": "" };
  const files = Object.fromEntries(
    ["", `${name}/`].flatMap((folder) =>
      Object.entries(environment).map(([path, text]) => [`${folder}.venv/${path}`, text]),
    ),
  );
  const { server, root } = await session(
    {},
    {
      server: { settings: { python: "<python>" }, workspaceFolders: [name] },
      files,
      context: { trusted: ["/"], env: { ...process.env, VIRTUAL_ENV: undefined } },
    },
  );
  /** As `vscode-uri` writes it. */
  const escaped = encodeURIComponent(name).replace(/['()]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`);
  const rootUri = pathToFileURL(root).href;
  const scopes = [
    rootUri,
    `${rootUri}/${escaped}`,
    `${rootUri}/${escaped}/x.py`,
    pathToFileURL(join(root, name)).href,
  ];
  const items = scopes.map((scopeUri) => ({ section: "python", scopeUri }));
  const own = join(root, name, ".venv/bin/python");
  expect(await answerOf(server, "workspace/configuration", { items })).toMatchObject({
    result: [join(root, ".venv/bin/python"), own, own, own],
  });
});

test.each<[string, Json, JsonObject]>([
  ["window/workDoneProgress/create", { token: 1 }, { result: null }],
  ["window/showMessageRequest", { type: 1, message: "?", actions: [{ title: "yes" }] }, { result: null }],
  ["window/showDocument", { uri: "file:///x" }, { result: { success: false } }],
  ["workspace/applyEdit", { edit: {} }, { result: { applied: false } }],
  ["workspace/semanticTokens/refresh", {}, { result: null }],
  ["workspace/diagnostic/refresh", {}, { result: null }],
  ["client/unregisterCapability", { unregisterations: [{ id: "none", method: "x" }] }, { result: null }],
  ["eslint/confirmESLintExecution", {}, { result: 4 }],
  ["made/up", {}, { error: { code: -32601 } }],
])("%s is answered", async (method, params, expected) => {
  const { server } = await session({}, { server: { replies: { "eslint/confirmESLintExecution": 4 } } });
  expect(await answerOf(server, method, params)).toMatchObject(expected);
});

test("workspace folders are told when asked", async () => {
  const { server, root } = await session({});
  expect(await answerOf(server, "workspace/workspaceFolders")).toMatchObject({
    result: [{ uri: pathToFileURL(root).href }],
  });
});

test("a capability may come and go by registration, for the documents that it names", async () => {
  const { server, root, file } = await session(
    {},
    { files: { "b.FAKE": "" }, server: { languageIds: { "b.FAKE": "other" } } },
  );
  const a = await server.ensureOpen(file, signal());
  const b = await server.ensureOpen(join(root, "b.FAKE"), signal());
  const register = async (registerOptions: Json) => {
    const registrations = [{ id: "h", method: "textDocument/hover", registerOptions }];
    await act(server, { request: "client/registerCapability", params: { registrations } });
    return [server.supports("textDocument/hover", a), server.supports("textDocument/hover", b)];
  };
  expect(server.supports("textDocument/hover", a)).toBe(false);
  expect(await register({ documentSelector: [{ language: "fake" }] })).toEqual([true, false]);
  expect(await register({ documentSelector: [{ pattern: "**/*.FAKE" }] })).toEqual([false, true]);
  expect(await register({ documentSelector: [{ scheme: "untitled" }] })).toEqual([false, false]);
  expect(await register({ documentSelector: null })).toEqual([true, true]);
  const unregisterations = [{ id: "h", method: "textDocument/hover" }];
  await act(server, { request: "client/unregisterCapability", params: { unregisterations } });
  expect(server.supports("textDocument/hover", a)).toBe(false);
});

/** Ready once it says so. */
const ready = {
  ...{ progress: true, notification: "fake/loaded", field: null, text: [] },
  ...{ atOnce: false, eachFolder: false },
};

test("a server that registers everything only when it has loaded is waited for, once", async () => {
  const { server, file } = await session({}, { server: { ready, warmupTimeoutMs: 20_000 } });
  const document = await server.ensureOpen(file, signal());
  const hover = server.offers("textDocument/hover", document, { signal: signal(), timeoutMs: 20_000 });
  const registrations = [{ id: "h", method: "textDocument/hover" }];
  await act(server, { request: "client/registerCapability", params: { registrations } });
  expect(await hover).toBe(true);
  const vain = () => server.offers("textDocument/definition", document, { signal: signal(), timeoutMs: 1 });
  expect(await vain()).toBe(false);
  const again = { signal: signal(), timeoutMs: 1_000_000 };
  expect(await server.offers("textDocument/definition", document, again)).toBe(false);
});

test("one that offers something in its handshake, or tells no status, is not waited for", async () => {
  const long = { signal: signal(), timeoutMs: 1_000_000 };
  const capabilities = { hoverProvider: true };
  const offering = await session({ capabilities }, { server: { ready, warmupTimeoutMs: 1_000_000 } });
  const silent = await session({}, { server: { warmupTimeoutMs: 1_000_000 } });
  for (const { server, file } of [offering, silent]) {
    const document = await server.ensureOpen(file, signal());
    expect(await server.offers("textDocument/definition", document, long)).toBe(false);
  }
});

test("sub-capabilities, features and methods outside the specification", async () => {
  const capabilities = {
    renameProvider: { prepareProvider: true },
    codeActionProvider: true,
    hoverProvider: {},
    experimental: { macro: true },
  };
  const { server } = await session(
    { capabilities },
    {
      server: {
        features: { only: null, except: ["hover"] },
        customMethods: {
          "x/yes": { capability: "experimental.macro", result: null },
          "x/no": { capability: "experimental.none", result: null },
          "x/assumed": { capability: null, result: null },
        },
      },
    },
  );
  const supported = [
    "textDocument/prepareRename",
    "codeAction/resolve",
    "textDocument/codeAction",
    "textDocument/hover",
  ];
  expect(supported.map((method) => server.supports(method))).toEqual([true, false, true, false]);
  const custom = ["x/yes", "x/no", "x/assumed", "x/undeclared"];
  expect(custom.map((method) => server.supports(method))).toEqual([true, false, true, false]);
});

test.each(["utf-8", "utf-16", "utf-32"])(
  "encoding %s is taken as the server says",
  async (positionEncoding) => {
    const { server } = await session({ capabilities: { positionEncoding } });
    expect(server.encoding).toBe(positionEncoding);
  },
);

test("an unknown encoding is refused", async () => {
  const pool = poolOf(workspace({}), [
    fakeServer(scenarios(), { capabilities: { positionEncoding: "ebcdic" } }),
  ]);
  await expect(pool.get("fake", undefined, signal())).rejects.toMatchObject({ code: "lsp/start-failed" });
});

test("environment: allowed names and the server's own, nothing else", async () => {
  const folder = scenarios();
  const print =
    "const fs = require('fs'); fs.writeFileSync(process.argv[1], JSON.stringify([process.env, process.cwd()]))";
  const server = fakeServer(
    folder,
    {},
    {
      command: [process.execPath, "-e", print, "<workspace>/out.json"],
      env: { OWN: "<workspace>" },
    },
  );
  const root = workspace({});
  const pool = poolOf(root, [server], {}, { env: { PATH: "/bin", SECRET: "s3cret" }, trusted: [root] });
  await pool.get("fake", undefined, signal()).catch(() => undefined);
  const { readFileSync } = await import("node:fs");
  const [env, cwd] = JSON.parse(readFileSync(join(root, "out.json"), "utf8"));
  // The mark by which the server's processes are found again says nothing.
  expect(env).toEqual({ PATH: "/bin", OWN: root, LSP_PROXY_MARK: expect.stringMatching(/^[0-9a-f.-]+$/) });
  expect(realpathSync(cwd)).toBe(root);
});

test("a notification is forwarded to another server as a command, and its answer comes back", async () => {
  const folder = scenarios();
  const forward = [
    { notification: "tsserver/request", to: "ts", request: "ts.run", reply: "tsserver/response" },
  ];
  const vue = fakeServer(folder, {}, { id: "vue", forward });
  const ts = fakeServer(
    folder,
    {
      capabilities: { executeCommandProvider: {} },
      replies: { "workspace/executeCommand": { body: { $: "/params" } } },
    },
    { id: "ts" },
  );
  const pool = poolOf(workspace({}), [vue, ts]);
  const server = await pool.get("vue", undefined, signal());
  await act(server, { notify: "tsserver/request", params: [[7, "quickinfo", { file: "a" }]] });
  await until(async () => (await received(server, "tsserver/response")).length > 0);
  expect(await received(server, "tsserver/response")).toEqual([
    [[7, { command: "ts.run", arguments: ["quickinfo", { file: "a" }] }]],
  ]);
});

test("a forward rule without a server answers null, to a notification and to a request", async () => {
  const forward = [{ notification: "tsserver/request", reply: "tsserver/response" }];
  const pool = poolOf(workspace({}), [fakeServer(scenarios(), {}, { forward })]);
  const server = await pool.get("fake", undefined, signal());
  await act(server, { notify: "tsserver/request", params: [[7, "quickinfo", { file: "a" }]] });
  await until(async () => (await received(server, "tsserver/response")).length > 0);
  expect(await received(server, "tsserver/response")).toEqual([[[7, null]]]);
  await act(server, { request: "tsserver/request", params: [8, "quickinfo"] });
  const all = (await ask(server, "fake/received")) as { answer?: JsonObject }[];
  expect(all.flatMap(({ answer }) => answer ?? [])).toMatchObject([{ result: null }]);
});

test("the presets of tsserver, and of Vue, which asks it, answer its requests with null", () => {
  const presets = ["typescript-language-server", "vtsls", "vue-language-server"];
  const forwards = presets.map((kind) => {
    const { servers } = planText(`[[servers]]\nid = "s"\nkind = "${kind}"\n`);
    return servers[0]?.forward;
  });
  const rule = { notification: "tsserver/request", reply: "tsserver/response" };
  expect(forwards).toMatchObject(presets.map(() => [rule]));
});

test("what is offered is merged table by table and does not change between calls", () => {
  const before = JSON.stringify(clientCapabilities({}, ["read"]));
  clientCapabilities({ textDocument: { hover: { contentFormat: [] } } }, ["read"]);
  expect(JSON.stringify(clientCapabilities({}, ["read"]))).toBe(before);
});

test("a version inside JSON about the build is reported alone", async () => {
  const version = JSON.stringify({ GoVersion: "go1.19.5", Path: "x", Version: "v0.11.0" });
  const { pool } = await session({ serverInfo: { name: "gopls", version } });
  expect(pool.status()[0]?.version).toBe("v0.11.0");
});
