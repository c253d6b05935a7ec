/** A session that needs trust: the program always serves, asks through the client where it can, and says what to run where not. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client as ModernClient } from "@modelcontextprotocol/client";
import { StdioClientTransport as ModernStdio } from "@modelcontextprotocol/client/stdio";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import {
  ElicitRequestSchema,
  type ElicitResult,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { fakeServerPath } from "../fake-server/index.js";
import { program, testEnvironment } from "../live/session.js";
import { range } from "../runtime/test-workspace.js";
import { runHere, serveHere } from "./terminal.js";

/** What the person at the client does; undefined: the client does not support the question. */
type Person = (() => Promise<ElicitResult>) | undefined;

interface Told {
  isError?: boolean;
  content: { text: string }[];
}

interface Session {
  questions: string[];
  /** How often the client was told that the tools have changed. */
  changes(): number;
  tools(): Promise<string[]>;
  call(): Promise<Told>;
  close(): Promise<void>;
}

let top: string;
const open: Session[] = [];
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "session-trust-")));
  for (const name of ["home", "w"]) mkdirSync(join(top, name));
  writeFileSync(join(top, "w/a.fake"), "one two\n");
});
afterEach(async () => {
  for (const session of open.splice(0)) await session.close();
  rmSync(top, { recursive: true, force: true });
});

const work = () => join(top, "w");
const record = () => join(top, "state/lsp-proxy/trusted.json");
const recorded = () => (existsSync(record()) ? JSON.parse(readFileSync(record(), "utf8")) : undefined);

/** A scripted server, as an entry of a config. */
function server() {
  const scenario = {
    capabilities: { definitionProvider: true },
    replies: { "textDocument/definition": [{ uri: `file://${work()}/a.fake`, range: range(0, 4, 7) }] },
  };
  writeFileSync(join(top, "scenario.json"), JSON.stringify(scenario));
  const args = [fakeServerPath, join(top, "scenario.json")];
  return { id: "fake", command: process.execPath, args, extensions: ["fake"], ready: { at_once: true } };
}

/** A config of the workspace with that server, without `kind`, and a tool of its own. */
function writeConfig(): void {
  const tool = {
    name: "own_tool",
    description: "A tool of the workspace.",
    input: ["position"],
    request: { method: "textDocument/definition", params: "text_document_position" },
    output: "locations",
  };
  const config = { extends: ["tools/core"], servers: [server()], tools: [tool] };
  writeFileSync(join(work(), "lspi.json"), JSON.stringify(config));
}

const folders = () => ({ XDG_STATE_HOME: join(top, "state"), XDG_CONFIG_HOME: join(top, "config") });
/** How the program is started: in this process, or as a client does it. */
interface Start {
  words?: string[];
  isProcess?: boolean;
}
const surroundings = () => ({ cwd: work(), env: { HOME: join(top, "home"), ...folders() } });
const ownProcess = (words: string[]) => ({
  command: process.execPath,
  args: [program, "serve", ...words],
  cwd: work(),
  stderr: "ignore" as const,
  env: { ...testEnvironment(), ...surroundings().env },
});
const call = { name: "find_definition", arguments: { file_path: "a.fake", line: 1, character: 1 } };
const patience = { timeout: 150_000 };

async function older(person: Person, { words = [], isProcess }: Start = {}): Promise<Session> {
  const client = new Client(
    { name: "test", version: "0" },
    { capabilities: person === undefined ? {} : { elicitation: {} } },
  );
  const questions: string[] = [];
  let changes = 0;
  if (person)
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      questions.push(params.message);
      return person();
    });
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
    changes++;
  });
  const served = isProcess ? undefined : serveHere(words, surroundings());
  await client.connect(served?.transport ?? new StdioClientTransport(ownProcess(words)));
  return track({
    questions,
    changes: () => changes,
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async () => (await client.callTool(call, undefined, patience)) as unknown as Told,
    close: async () => {
      await client.close();
      await served?.end();
    },
  });
}

async function modern(person: Person, { words = [], isProcess }: Start = {}): Promise<Session> {
  const client = new ModernClient(
    { name: "test", version: "0" },
    { versionNegotiation: { mode: "auto" }, capabilities: person === undefined ? {} : { elicitation: {} } },
  );
  const questions: string[] = [];
  if (person)
    client.setRequestHandler("elicitation/create", ({ params }) => {
      questions.push(params.message);
      return person();
    });
  const served = isProcess ? undefined : serveHere(words, surroundings());
  await client.connect(served?.transport ?? new ModernStdio(ownProcess(words)));
  return track({
    questions,
    changes: () => 0,
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async () => (await client.callTool(call, patience)) as unknown as Told,
    close: async () => {
      await client.close();
      await served?.end();
    },
  });
}

function track(session: Session): Session {
  open.push(session);
  return session;
}

const textOf = ({ content }: Told) => content.map(({ text }) => text).join("\n");
const yes = async (): Promise<ElicitResult> => ({ action: "accept", content: { trust: true } });
const never = () => new Promise<ElicitResult>(() => undefined);
const refusals: [string, () => Promise<ElicitResult>][] = [
  ["declines", async () => ({ action: "decline" })],
  ["closes the question", async () => ({ action: "cancel" })],
  ["accepts the form with the box empty", async () => ({ action: "accept", content: { trust: false } })],
];

describe.each([
  ["with sessions", older],
  ["of 2026-07-28", modern],
] as const)("a client %s and a found config that is not trusted", (_, connect) => {
  beforeEach(writeConfig);

  it("gets the tools, and without elicitation a refusal that says what to run", async () => {
    const session = await connect(undefined);
    expect(await session.tools()).toContain("find_definition");
    const told = await session.call();
    expect(told.isError).toBe(true);
    expect(textOf(told)).toMatch(/^Error config\/untrusted: .* is not trusted/);
    // Nothing that the config says reaches the model.
    for (const text of [process.execPath, "own_tool", "fake"]) expect(textOf(told)).not.toContain(text);
    expect(textOf(told)).toContain(`lsp-proxy trust --workspace ${work()}`);
    expect(recorded()).toBeUndefined();
  });

  it("asks, records a yes as `lsp-proxy trust` does, and the call goes on", async () => {
    const session = await connect(yes, { isProcess: true });
    expect(await session.tools()).not.toContain("own_tool");
    const told = await session.call();
    expect(textOf(told)).toContain("a.fake");
    expect(told.isError).toBeFalsy();
    expect(session.questions).toEqual([expect.stringContaining(work())]);
    for (const shown of ["it may start", "servers.fake.args", "tools.own_tool", "may run as code"])
      expect(session.questions[0]).toContain(shown);
    expect(recorded()).toMatchObject({
      configs: [{ file: join(work(), "lspi.json") }],
      folders: [work()],
    });
    expect(await session.tools()).toContain("own_tool");
    expect(session.changes()).toBe(connect === older ? 1 : 0);
    expect((await session.call()).isError).toBeFalsy();
    const next = await connect(never);
    expect((await next.call()).isError).toBeFalsy();
    expect(next.questions).toEqual([]);
  });

  it.each(refusals)("is refused where the user %s, and asks no more", async (_name, person) => {
    const session = await connect(person);
    for (let count = 0; count < 2; count++) {
      const told = await session.call();
      expect(told.isError).toBe(true);
      expect(textOf(told)).toContain("lsp-proxy trust");
    }
    expect(session.questions).toHaveLength(1);
    expect(recorded()).toBeUndefined();
  });

  it("is not asked where the question could not show all that the trust allows", async () => {
    const config = { servers: [{ ...server(), args: ["x".repeat(9_000)] }] };
    writeFileSync(join(work(), "lspi.json"), JSON.stringify(config));
    const session = await connect(yes);
    expect(textOf(await session.call())).toContain("lsp-proxy trust");
    expect([session.questions, recorded()]).toEqual([[], undefined]);
  });

  it("needs no trust where the config is named", async () => {
    const session = await connect(never, { words: ["--config", "lspi.json"] });
    expect((await session.call()).isError).toBeFalsy();
    expect([session.questions, recorded()]).toEqual([[], undefined]);
  });
});

/** What makes the config that is found unusable, by the code in the refusal. */
const broken: { [code: string]: () => void } = {
  "config/syntax in lspi.toml:1": () => writeFileSync(join(work(), "lspi.toml"), "[allow\n"),
  "config/unknown-key in lspi.toml:3": () =>
    writeFileSync(join(work(), "lspi.toml"), '[allow]\neffects = ["edit"]\nsecret_words = 1\n'),
  "config/strayed": () => {
    writeFileSync(join(top, "elsewhere.toml"), "");
    symlinkSync(join(top, "elsewhere.toml"), join(work(), "lspi.toml"));
  },
  "lsp-proxy/config.toml:2": () => {
    mkdirSync(join(top, "config/lsp-proxy"), { recursive: true });
    writeFileSync(join(top, "config/lsp-proxy/config.toml"), "# mine\n[allow\n");
  },
};

describe("a found config that has problems", () => {
  it.each(Object.entries(broken))(
    "%s: the session goes on, and calls say what to run",
    async (code, write) => {
      write();
      const session = await older(yes);
      expect(await session.tools()).toContain("find_definition");
      const told = await session.call();
      expect(told.isError).toBe(true);
      expect(textOf(told)).toMatch(/^Error config\/unusable: The config that was found has /);
      expect(textOf(told)).toContain(code);
      expect(textOf(told)).not.toContain("secret_words");
      expect(textOf(told)).toContain(`lsp-proxy validate --workspace ${work()}`);
      // Trust does not help.
      expect(session.questions).toEqual([]);
    },
  );

  it("is used as soon as it is correct and trusted, without a restart", async () => {
    writeConfig();
    const text = readFileSync(join(work(), "lspi.json"), "utf8");
    writeFileSync(join(work(), "lspi.json"), text.slice(1));
    const session = await older(undefined);
    expect(textOf(await session.call())).toContain("config/unusable");
    writeFileSync(join(work(), "lspi.json"), text);
    const refused = async () => textOf(await session.call());
    await vi.waitUntil(async () => (await refused()).includes("config/untrusted"), { timeout: 60_000 });
    await runHere(["trust", "--yes"], surroundings());
    await vi.waitUntil(async () => (await session.call()).isError !== true, { timeout: 60_000 });
    expect(await session.tools()).toContain("own_tool");
  });

  it("ends the program where it is named, which says so", async () => {
    writeFileSync(join(work(), "lspi.toml"), "[allow\n");
    const { code, stderr } = await runHere(["serve", "--config", "lspi.toml"], surroundings());
    expect(code).toBe(3);
    expect(stderr).toMatch(/^lsp-proxy serves nothing until this is corrected:\nerror\[config\/syntax\]/);
  });
});

describe("a user who does not answer", () => {
  beforeEach(writeConfig);

  afterEach(() => void vi.useRealTimers());

  it("leaves the call refused after a bounded time, for all calls that waited, with sessions", async () => {
    let onAsked: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      onAsked = resolve;
    });
    const session = await older(() => {
      onAsked();
      return never();
    });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    let refused = 0;
    const calls = [session.call(), session.call()];
    for (const call of calls) void call.then(() => refused++);
    await asked;
    // Less than the minute that a client waits.
    await vi.advanceTimersByTimeAsync(40_000);
    expect(refused).toBe(0);
    await vi.advanceTimersByTimeAsync(10_000);
    for (const told of await Promise.all(calls)) expect(textOf(told)).toContain("lsp-proxy trust");
    vi.useRealTimers();
    expect((await session.call()).isError).toBe(true);
    expect(session.questions).toHaveLength(1);
    expect(recorded()).toBeUndefined();
  });

  it("keeps no other call waiting in 2026-07-28", async () => {
    const session = await modern(never);
    void session.call().catch(() => undefined);
    await expect.poll(() => session.questions.length, { timeout: 30_000 }).toBe(1);
    expect((await session.call()).isError).toBe(true);
    expect(session.questions).toHaveLength(1);
    expect(recorded()).toBeUndefined();
  });
});

describe.each([
  ["with sessions", older],
  ["of 2026-07-28", modern],
] as const)("a client %s and a folder that is not trusted", (_, connect) => {
  it("asks at the first call whose server may run code of the workspace", async () => {
    const { id, command, args } = server();
    mkdirSync(join(top, "config/lsp-proxy"), { recursive: true });
    const lines = Object.entries({ id, command, args, extensions: ["fake"] }).map(
      ([key, value]) => `${key} = ${JSON.stringify(value)}`,
    );
    const text = ["[[servers]]", ...lines, "untrusted.start = false", "ready.at_once = true", ""].join("\n");
    writeFileSync(join(top, "config/lsp-proxy/config.toml"), text);
    const session = await connect(yes);
    expect((await session.call()).isError).toBeFalsy();
    expect(session.questions).toHaveLength(1);
    expect(recorded()).toMatchObject({ configs: [], folders: [work()] });
  });
});
