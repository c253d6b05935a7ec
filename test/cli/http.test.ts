/** The gateway as a person starts it: the built program, its flags, its tokens, its end. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeServerPath, type Scenario } from "../fake-server/index.js";
import { freePort } from "../free-ports.js";
import { answerCheck, program, testEnvironment } from "../live/session.js";
import { answersIn, callOf, initialize, openRaw, resultOf, send } from "../mcp/http/support.js";
import { run } from "./run.js";
import { runHere } from "./terminal.js";

const token = "a-token-of-the-program-0123456789";

let folder: string;
const children: ChildProcess[] = [];
const answerChecks: (() => void)[] = [];
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-http-")));
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
  }
  rmSync(folder, { recursive: true, force: true });
  for (const assertAnswers of answerChecks.splice(0)) assertAnswers();
});

/** A config with the scripted server, and more. */
function writeConfig(http: string, scenario: Scenario = {}): string {
  writeFileSync(join(folder, "scenario.json"), JSON.stringify(scenario));
  writeFileSync(join(folder, "a.fake"), "one two\n");
  const path = join(folder, "lspi.toml");
  writeFileSync(
    path,
    `extends = ["tools/core", "tools/structure"]
[allow]
commands = [${JSON.stringify(process.execPath)}]
[[servers]]
id = "fake"
command = ${JSON.stringify([process.execPath, fakeServerPath, join(folder, "scenario.json")])}
extensions = ["fake"]
[http]
port = 0
${http}
`,
  );
  return path;
}

const environment = (more: { [name: string]: string } = {}) => ({
  ...testEnvironment(),
  XDG_STATE_HOME: join(folder, "state"),
  LSP_PROXY_TOKEN: "",
  ...more,
});

interface Started {
  child: ChildProcess;
  url: string;
  /** Everything that the program has written so far. */
  written(): string;
}

/** Starts the gateway and waits until it listens. */
async function start(args: string[], env: { [name: string]: string } = {}): Promise<Started> {
  const child = spawn(process.execPath, [program, "serve", "--http", ...args], {
    env: environment(env),
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  answerChecks.push(answerCheck(child.stderr));
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
  const urlOf = () => /http:\/\/\S+\/mcp/.exec(text)?.[0];
  await expect.poll(() => urlOf() ?? child.exitCode, { message: text }).not.toBeNull();
  const url = urlOf();
  if (url === undefined) throw new Error(`the gateway did not start: ${text}`);
  return { child, url, written: () => text };
}

const ask = (url: string, bearer: string) =>
  send(url, { headers: { authorization: `Bearer ${bearer}` }, body: initialize() });

describe("lsp-proxy token", () => {
  it("says when there is none to list", async () => {
    const listed = await runHere(["token", "--list"], { env: environment() });
    expect(listed).toMatchObject({
      code: 0,
      stdout: "",
      stderr: "no tokens; `lsp-proxy token` creates the first\n",
    });
  });

  it("loses no token that is created at the same time", async () => {
    const made = await Promise.all(
      Array.from({ length: 4 }, () => run(["token", "--new"], { env: environment() })),
    );
    expect(made.map(({ code, stderr }) => [code, stderr])).toEqual(made.map(() => [0, ""]));
    const { stdout } = await runHere(["token", "--list"], { env: environment() });
    expect(stdout.trimEnd().split("\n")).toHaveLength(4);
    expect(new Set(made.map(({ stdout: secret }) => secret)).size).toBe(4);
  });

  it("prints the token of the first start, once; more are created and removed while the gateway runs", async () => {
    const { url, written } = await start(["--config", writeConfig("")]);
    await expect.poll(written).toContain("Clients need a token of `lsp-proxy token`. The tokens are in /");
    const tokens = (...args: string[]) => runHere(["token", ...args], { env: environment() });
    const first = await tokens();
    expect(first).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[\w-]{43}\n$/) });
    expect(await tokens()).toMatchObject({ code: 1, stdout: "" });
    expect((await ask(url, first.stdout.trim())).status).toBe(200);
    const second = await tokens("--new");
    expect((await ask(url, second.stdout.trim())).status).toBe(200);
    const listed = await tokens("--list");
    expect(listed.stdout).not.toContain(first.stdout.trim());
    const [name = ""] = listed.stdout.split(" ");
    expect(await tokens("--remove", name)).toMatchObject({ code: 0 });
    expect((await ask(url, first.stdout.trim())).status).toBe(401);
    expect((await ask(url, second.stdout.trim())).status).toBe(200);
  });
});

describe("says at its start and in its log which tokens are valid, beside the generated ones above:", () => {
  const others = "those of `lsp-proxy token` are not valid here.";

  it("those of the variable, not the generated ones", async () => {
    const { stdout } = await runHere(["token", "--new"], { env: environment() });
    // Where others can reach it: the flag allows it, and there is a token.
    const { url: bound, written } = await start(
      ["--config", writeConfig(""), "--bind", "0.0.0.0", "--allow-remote"],
      { LSP_PROXY_TOKEN: token },
    );
    expect(bound).toContain("0.0.0.0");
    const url = bound.replace("0.0.0.0", "127.0.0.1");
    const words = `Clients need a token of the variable LSP_PROXY_TOKEN, as it was at the start; ${others}`;
    await expect.poll(written).toContain(`${words}\n`);
    expect((await ask(url, token)).status).toBe(200);
    const refused = await ask(url, stdout.trim());
    expect(refused.status).toBe(401);
    // Who is refused learns nothing about the tokens that the gateway has.
    expect(refused.text).not.toContain("LSP_PROXY_TOKEN");
    await expect.poll(written).toMatch(/a request was rejected.*its token is not valid.*LSP_PROXY_TOKEN/);
    await expect.poll(() => written().split(others)).toHaveLength(3);
  });

  it("those of the file, not the generated ones", async () => {
    writeFileSync(join(folder, "tokens"), token, { mode: 0o600 });
    const { url, written } = await start(["--config", writeConfig('token_file = "tokens"')]);
    const words = `Clients need a token of the file that \`http.token_file\` names; ${others}`;
    await expect.poll(written).toContain(`${words} The tokens are in ${join(folder, "tokens")}.\n`);
    expect((await ask(url, "x".repeat(20))).status).toBe(401);
    await expect.poll(() => written().split(words)).toHaveLength(3);
    expect((await ask(url, token)).status).toBe(200);
    // Loosened since, it is refused by the next start.
    chmodSync(join(folder, "tokens"), 0o644);
    const { code, stderr } = await runHere(["serve", "--http", "--config", join(folder, "lspi.toml")], {
      env: environment(),
    });
    expect({ code, stderr }).toMatchObject({ code: 3, stderr: expect.stringContaining("http/loose-file") });
  });
});

it("serves a config that was found and is not trusted: calls are refused with the way out", async () => {
  writeConfig("");
  const { url } = await start(["--port", "0", "--workspace", folder], { LSP_PROXY_TOKEN: token });
  const headers = await openRaw(url, token);
  const answer = await send(url, { headers, body: callOf(1) });
  expect(answer.text).toContain("config/untrusted");
  expect(answer.text).toContain("lsp-proxy trust");
});

it("serves a config that was found and has problems: calls are refused with the way out", async () => {
  writeFileSync(join(folder, "lspi.toml"), "[allow\n");
  const { url } = await start(["--port", "0", "--workspace", folder], { LSP_PROXY_TOKEN: token });
  const headers = await openRaw(url, token);
  const answer = await send(url, { headers, body: callOf(1) });
  expect(answer.text).toContain("config/unusable");
  expect(answer.text).toContain("lsp-proxy validate");
});

describe("serve --http does not start", () => {
  const refused = async (args: string[], env: { [name: string]: string } = {}) => {
    const { code, stdout, stderr } = await runHere(["serve", "--http", ...args], { env: environment(env) });
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    return stderr;
  };

  it("on an address that others can reach, unless a flag allows it and there is a token", async () => {
    const config = writeConfig('bind = "0.0.0.0"');
    expect(await refused(["--config", config], { LSP_PROXY_TOKEN: token })).toContain("http/remote-bind");
    expect(await refused(["--config", config, "--allow-remote"])).toContain("http/no-token");
    const named = ["--config", writeConfig(""), "--bind", "0.0.0.0"];
    expect(await refused(named, { LSP_PROXY_TOKEN: token })).toContain("http/remote-bind");
    expect(await refused([...named, "--allow-remote"])).toContain("http/no-token");
  });

  it("where the config switches it off, also with the profile gateway", async () => {
    const config = writeConfig("enabled = false");
    expect(await refused(["--config", config], { LSP_PROXY_TOKEN: token })).toContain("http/disabled");
    const text = readFileSync(config, "utf8")
      .replace(/^extends.*$/m, "")
      .replace("port = 0\n", "");
    writeFileSync(config, `${text}[mcp]\ncontext = "gateway"\n`);
    expect(await refused(["--config", config], { LSP_PROXY_TOKEN: token })).toContain("http/disabled");
  });

  it("strictly, on a port or an address that its config could not have either", async () => {
    const port = await freePort();
    const path = writeConfig(`strict = true\nport = ${port}`);
    const text = readFileSync(path, "utf8").replace("port = 0\n", "");
    writeFileSync(path, text);
    const named = ["--config", path];
    const env = { LSP_PROXY_TOKEN: token };
    for (const low of ["0", "80", "1023"])
      expect(await refused([...named, "--port", low], env)).toContain(
        `With \`strict\` the port ${low} is not between 1024 and 65535.`,
      );
    // The same of a bundle, for which no config is read.
    const bundle = join(folder, "bundle");
    expect(await runHere(["generate", ...named, "--out", bundle])).toMatchObject({ code: 0 });
    expect(await refused(["--bundle", bundle, "--port", "80"], env)).toContain("config/bad-value");
    const profile = text.replace(/^extends.*$/m, "").replace("strict = true", "");
    writeFileSync(path, `${profile}[mcp]\ncontext = "gateway"\n`);
    for (const bind of ["0.0.0.0", "127.0.0.2", "::1"])
      expect(await refused([...named, "--bind", bind, "--allow-remote"], env)).toMatch(
        /config\/sealed[\s\S]*the profile fixes it to 127\.0\.0\.1/,
      );
    expect(await refused([...named, "--port", "80", "--bind", "::1"], env)).toMatch(
      /config\/sealed[\s\S]*config\/bad-value/,
    );
    const { url } = await start([...named, "--bind", "127.0.0.1"], env);
    expect(new URL(url).port).toBe(String(port));
    expect((await ask(url, token)).status).toBe(200);
  });

  it("with tokens that cannot be used", async () => {
    expect(await refused(["--config", writeConfig("")], { LSP_PROXY_TOKEN: "short" })).toContain(
      "http/bad-tokens",
    );
    const config = writeConfig('token_file = "tokens"');
    expect(await refused(["--config", config])).toContain("http/no-token");
    // A workspace must not bring the token by which it is served.
    const work = join(folder, "work");
    mkdirSync(work);
    writeFileSync(join(work, "tokens"), token, { mode: 0o600 });
    expect(await refused(["--config", config, "--workspace", work])).toContain("http/no-token");
  });

  it("on a port that is taken", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const words = ["--config", writeConfig(""), "--port", String(port)];
    expect(await refused(words, { LSP_PROXY_TOKEN: token })).toContain("http/listen-failed");
    other.close();
  });
});

describe("the running program", () => {
  it("loads what each client needs: no compiler for a bundle, the newer protocol only when it is spoken", async () => {
    const out = join(folder, "bundle");
    await runHere(["generate", "--config", writeConfig(""), "--out", out], { env: environment() });
    const loadedModules = join(folder, "modules.txt");
    const hook = fileURLToPath(new URL("module-trace.mjs", import.meta.url));
    const { url } = await start(["--bundle", out, "--workspace", folder], {
      LSP_PROXY_TOKEN: token,
      NODE_OPTIONS: `--import=${hook}`,
      MODULE_TRACE: loadedModules,
    });
    // Each of these stands in the package's own code and nowhere else.
    const marks = {
      ajv: "strictTypes",
      handlebars: "handlebars-v",
      toml: "TomlDate",
      newer: "subscriptions/acknowledged",
    };
    const loaded = () => {
      const lines = readFileSync(loadedModules, "utf8").split("\n");
      const texts = lines
        .filter((line) => line.startsWith("file:"))
        .map((line) => readFileSync(fileURLToPath(line), "utf8"));
      return Object.entries(marks)
        .filter(([, mark]) => texts.some((text) => text.includes(mark)))
        .map(([name]) => name);
    };
    expect((await ask(url, token)).status).toBe(200);
    expect(loaded()).toEqual([]);
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "raw", version: "0" },
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const discovered = await send(url, {
      headers: {
        authorization: `Bearer ${token}`,
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "server/discover",
      },
      body: { jsonrpc: "2.0", id: 1, method: "server/discover", params: { _meta } },
    });
    expect(resultOf(discovered, 1)).toMatchObject({ supportedVersions: ["2026-07-28"] });
    expect(loaded()).toEqual(["newer"]);
  });

  it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
    "finishes running calls and ends on %s",
    async (signal) => {
      const go = join(folder, "go");
      const asked = join(folder, "asked");
      const { child, url } = await start(
        [
          "--config",
          writeConfig("drain_ms = 100000", {
            capabilities: { definitionProvider: true },
            replies: { "textDocument/definition": null },
            on: { "textDocument/definition": [{ save: asked }, { waitFile: go }] },
          }),
        ],
        { LSP_PROXY_TOKEN: token },
      );
      const session = await openRaw(url, token);
      const call = send(url, { headers: session, body: callOf(1) });
      await expect.poll(() => readFileSync(asked, { encoding: "utf8", flag: "a+" })).not.toBe("");
      child.kill(signal);
      await expect.poll(async () => (await ask(url, token)).status).toBe(503);
      writeFileSync(go, "");
      expect(resultOf(await call, 1)).toMatchObject({ structuredContent: { ok: true } });
      if (child.exitCode === null) await once(child, "exit");
      expect([child.exitCode, child.signalCode]).toEqual([0, null]);
    },
  );

  it("writes no token, no session's name, no value of the environment and no path outside the workspace anywhere", async () => {
    const outside = "/outside-of-everything/secret-place.fake";
    const secret = "a-value-of-the-environment-4711";
    const place = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
    const round = `file://${folder}/../outside-of-everything/secret-place.fake`;
    const forms = [
      ...[outside, `file:${outside}`, `FILE://${outside}`, `at:${outside}`, `-I${outside}`, `"${outside}"`],
      ...[outside.replaceAll("/", "\\/"), `${outside} and secret-place/more`, round],
    ];
    const config = writeConfig("max_calls_per_session = 4", {
      capabilities: { definitionProvider: true, hoverProvider: true, documentLinkProvider: {} },
      serverInfo: { name: "fake", version: `1 ${outside}` },
      replies: {
        "textDocument/definition": [
          { uri: `file://${outside}`, range: place },
          { uri: round, range: place },
        ],
        "textDocument/documentLink": [outside, `file:${outside}`, `jar:file:${outside}!/x`, round].map(
          (target) => ({
            range: place,
            target,
          }),
        ),
        "textDocument/hover": { contents: "words" },
      },
      on: {
        initialized: [{ stderr: `${forms.join("\n")}\n` }],
        "textDocument/hover": [{ error: { code: -32000, message: `no such file: ${forms.join(", ")}` } }],
      },
    });
    const log = join(folder, "log.txt");
    const trace = join(folder, "trace.txt");
    const { child, url, written } = await start(
      ["--config", config, "--log-level", "debug", "--log-file", log, "--trace", trace],
      { LSP_PROXY_TOKEN: token, MY_API_KEY: secret },
    );
    const wrong = "a-wrong-token-that-someone-tries";
    const session = await openRaw(url, token);
    const name = session["mcp-session-id"] ?? "";
    const unknown = "AAAAAAAAAAAAAAAAAAAAAAAA";
    const answers = [
      await send(url, { headers: session, body: callOf(1) }),
      await send(url, { headers: session, body: callOf(2, { file_path: outside, line: 1, character: 1 }) }),
      await send(url, {
        headers: session,
        body: callOf(3, { file_path: "a.fake", line: 1, character: 1 }, "get_hover"),
      }),
      await send(url, { headers: session, body: callOf(4, {}, "get_server_status") }),
      await send(url, {
        headers: session,
        body: callOf(9, { file_path: "a.fake" }, "get_document_links"),
      }),
      await send(url, { headers: session, body: callOf(5, {}, "no_such_tool") }),
      await send(url, { headers: { ...session, "mcp-session-id": unknown }, body: callOf(6) }),
      await send(url, { headers: { ...session, authorization: `Bearer ${wrong}` }, body: callOf(7) }),
      await send(url, { headers: session, body: `{"secret": "${token}"` }),
      await send(url, { headers: { ...session, host: "evil.example" }, body: callOf(8) }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200, 404, 401, 400, 403]);
    expect(answersIn(answers[0] as (typeof answers)[0])).toMatchObject([
      { result: { structuredContent: { dropped: 2 } } },
    ]);
    expect(answers[3]?.text).toContain("<path>");
    // What it wrote last is read after its end.
    const closed = once(child, "close");
    child.kill("SIGTERM");
    await closed;
    const everything = {
      output: written(),
      log: readFileSync(log, "utf8"),
      trace: readFileSync(trace, "utf8"),
      answers: answers.map(({ text }) => text).join("\n"),
    };
    expect(everything.log).toContain("status=403");
    expect(everything.trace).toContain("textDocument/definition");
    for (const [where, text] of Object.entries(everything))
      for (const hidden of [token, wrong, name, unknown, secret, "outside-of-everything", "secret-place"])
        expect(`${where} ${text.split("\n").find((line) => line.includes(hidden)) ?? ""}`).toBe(`${where} `);
  });
});
