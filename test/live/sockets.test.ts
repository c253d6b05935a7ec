/** Real language servers over TCP and sockets, in every direction that they know. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { freePort } from "../free-ports.js";
import { type LiveSession, openSession } from "./session.js";

const running: (ChildProcess | LiveSession)[] = [];

afterEach(async () => {
  for (const one of running.splice(0).reverse()) await ("close" in one ? one.close() : one.kill());
});

/** Whether a program is here; where it is not, its tests are left out. */
function has(program: string, ...args: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: "ignore", timeout: 60_000 });
    return true;
  } catch {
    return false;
  }
}

/** Starts a server that nobody here is to end, and waits until it listens. */
async function serveOn(port: number, program: string, ...args: string[]): Promise<ChildProcess> {
  const child = spawn(program, args, { stdio: "ignore" });
  running.push(child);
  for (;;) {
    const isOpen = await new Promise<boolean>((done) => {
      const socket = connect(port, "127.0.0.1", () => {
        socket.destroy();
        done(true);
      });
      socket.on("error", () => done(false));
    });
    if (isOpen) return child;
    if (child.exitCode !== null) throw new Error(`${program} ended`);
    await pause(100);
  }
}

async function open(fixture: string, config: string): Promise<LiveSession> {
  const session = await openSession(fixture, config);
  running.push(session);
  return session;
}

const json = (transport: string, args: string) => `
[allow]
commands = ["vscode-json-language-server"]
[mcp]
context = "full"
[[servers]]
id = "json"
command = "vscode-json-language-server"
args = [${args}]
extensions = ["json"]
transport = ${transport}
`;

describe("servers that call the proxy", () => {
  test.each([
    ["TCP", '{ tcp = "127.0.0.1:0", mode = "listen" }', '"--socket=<port>"'],
    ["a socket", '{ pipe = "<fresh>/json.sock", mode = "listen" }', '"--pipe=<pipe>"'],
  ])(
    "vscode-json-language-server over %s",
    async (_name, transport, args) => {
      const session = await open("typescript", json(transport, args));
      session.write("sample.json", '{ "first": { "second": 1 } }\n');
      const answer = await session.call("get_document_symbols", { file_path: "sample.json" });
      expect(JSON.stringify(answer.structuredContent)).toContain("second");
    },
    120_000,
  );
});

describe.skipIf(!has("gopls", "version"))("gopls listens", () => {
  const go = (transport: string, more = "") => `
[allow]
commands = ["gopls"]
[[servers]]
id = "go"
kind = "gopls"
transport = ${transport}
${more}
`;
  const file = {
    "go.mod": "module example.com/m\n\ngo 1.19\n",
    "main.go": "package main\n\nfunc target() int { return 1 }\n\nfunc main() { target() }\n",
  };

  test.each([
    [
      "started on TCP",
      '{ tcp = "127.0.0.1:0", mode = "start" }',
      'args = ["serve", "-listen=127.0.0.1:<port>"]',
    ],
    [
      "started on a socket",
      '{ pipe = "<fresh>/go.sock", mode = "start" }',
      'args = ["serve", "-listen=unix;<pipe>"]',
    ],
  ])(
    "%s",
    async (_name, transport, args) => {
      const session = await open("typescript", go(transport, args));
      for (const [name, text] of Object.entries(file)) session.write(name, text);
      const answer = await session.call("find_definition", { file_path: "main.go", symbol_name: "target" });
      expect(answer.structuredContent).toMatchObject({
        locations: [expect.objectContaining({ path: "main.go" })],
      });
    },
    180_000,
  );

  test("connects to a running server, which outlives the proxy; its death is reported and recovered", async () => {
    const port = await freePort();
    const address = `-listen=127.0.0.1:${port}`;
    const first = await serveOn(port, "gopls", "serve", address);
    const session = await open("typescript", go(`{ tcp = "127.0.0.1:${port}" }`));
    for (const [name, text] of Object.entries(file)) session.write(name, text);
    const ask = () => session.call("find_definition", { file_path: "main.go", symbol_name: "target" });
    expect((await ask()).isError).toBeFalsy();
    first.kill("SIGKILL");
    await new Promise((done) => first.once("exit", done));
    const second = await serveOn(port, "gopls", "serve", address);
    const again = await ask();
    expect(again.structuredContent).toMatchObject({
      locations: [expect.objectContaining({ path: "main.go" })],
    });
    await session.close();
    running.splice(running.indexOf(session), 1);
    expect(second.exitCode).toBeNull();
  }, 180_000);
});

describe.skipIf(!has("pylsp", "--version"))("pylsp listens", () => {
  test("started on TCP", async () => {
    const session = await open(
      "typescript",
      `
[allow]
commands = ["pylsp"]
[[servers]]
id = "py"
command = "pylsp"
untrusted.start = true
args = ["--tcp", "--host", "127.0.0.1", "--port", "<port>"]
extensions = ["py"]
transport = { tcp = "127.0.0.1:0", mode = "start" }
`,
    );
    session.write("a.py", "def target():\n    return 1\n\n\ntarget()\n");
    const answer = await session.call("find_definition", { file_path: "a.py", symbol_name: "target" });
    expect(answer.structuredContent).toMatchObject({
      locations: [expect.objectContaining({ path: "a.py" })],
    });
  }, 180_000);
});
