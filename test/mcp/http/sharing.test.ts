/** What sessions share (the language servers) and what they do not: pages, and files outside their roots. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/base/json.js";
import { range } from "../../runtime/test-workspace.js";
import {
  at,
  callOf,
  closeAll,
  connect,
  good,
  openGateway,
  openRaw,
  resultOf,
  send,
  type TestGateway,
} from "./support.js";

afterEach(closeAll);

/** Two projects and a file beside them; every definition request is answered with a location in each. */
const projects = {
  files: { "one/a.fake": "one\n", "two/b.fake": "two\n", "two/hidden/c.fake": "no\n", "top.fake": "top\n" },
  servers: {
    fake: {
      scenario: {
        capabilities: { definitionProvider: true },
        replies: {
          "textDocument/definition": ["one/a.fake", "two/b.fake", "top.fake"].map((path) => ({
            uri: `file:///work/${path}`,
            range: range(0, 0, 3),
          })),
        },
      },
    },
  },
  config: { workspace: { roots: ["work"], deny: ["two/hidden/**"] } },
};

const root = ({ work }: TestGateway, path: string) => pathToFileURL(join(work.folder, path)).href;

async function ask(client: Awaited<ReturnType<typeof connect>>, path: string): Promise<JsonObject> {
  const result = await client.callTool({ name: "find_definition", arguments: { ...at, file_path: path } });
  return result.structuredContent as JsonObject;
}

const pathsOf = (answer: JsonObject) => (answer.locations as { path: string }[]).map(({ path }) => path);

describe("one set of language servers", () => {
  it("serves fifty sessions at once, each with its own answers", async () => {
    const names = Array.from({ length: 50 }, (_, index) => `f${index}.fake`);
    const { url, work } = await openGateway({
      files: Object.fromEntries(names.map((name) => [name, `${name}\n`])),
      servers: {
        fake: {
          scenario: {
            capabilities: { definitionProvider: true },
            replies: {
              "textDocument/definition": [{ uri: { $: "/params/textDocument/uri" }, range: range(0, 0, 2) }],
            },
          },
        },
      },
    });
    const sessions = await Promise.all(names.map(() => openRaw(url)));
    const rounds = await Promise.all(
      names.map(async (name, index) => {
        const seen: string[] = [];
        for (let round = 0; round < 3; round++) {
          const body = callOf(round, { ...at, file_path: name });
          const answer = await send(url, { headers: { ...sessions[index] }, body });
          seen.push(...pathsOf(resultOf(answer, round).structuredContent as JsonObject));
        }
        return seen;
      }),
    );
    expect(rounds).toEqual(names.map((name) => [name, name, name]));
    expect(work.runtime.pool.running()).toHaveLength(1);
    expect(await work.received("initialize")).toHaveLength(1);
  }, 120_000);

  it("gives the same answer to sessions that ask at the same time", async () => {
    const { url, work } = await openGateway(projects);
    const clients = await Promise.all([1, 2, 3, 4].map(() => connect(url)));
    const answers = await Promise.all(clients.map((client) => ask(client, "one/a.fake")));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(work.runtime.pool.running()).toHaveLength(1);
  });

  it("keeps the pages of each session apart", async () => {
    const many = Array.from({ length: 3 }, (_, line) => ({
      uri: "file:///work/a.fake",
      range: range(line, 0, 1),
    }));
    const { url } = await openGateway({
      files: { "a.fake": "a\nb\nc\n" },
      servers: {
        fake: {
          scenario: {
            capabilities: { referencesProvider: true },
            replies: { "textDocument/references": many },
          },
        },
      },
    });
    const [mine, theirs] = [await connect(url), await connect(url)];
    const first = await mine.callTool({ name: "find_references", arguments: { ...at, page_size: 2 } });
    const { next_cursor: cursor } = first.structuredContent as { next_cursor: string };
    const next = { name: "find_references", arguments: { ...at, page_size: 2, cursor } };
    expect(await theirs.callTool(next)).toMatchObject({
      structuredContent: { error: { code: "page/cursor-expired" } },
    });
    expect(await mine.callTool(next)).toMatchObject({ structuredContent: { ok: true, shown: 1 } });
  });
});

/** Calls with raw requests and gives the result; `roots/list` is answered with `reply`, or not at all. */
async function askAnswering(
  url: string,
  session: { [name: string]: string },
  call: JsonObject,
  reply: JsonObject | undefined,
): Promise<JsonObject> {
  const headers = { ...good, ...session };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(call) });
  let text = "";
  for await (const part of response.body ?? []) {
    text += Buffer.from(part).toString();
    const events = text.split("\n\n");
    text = events.pop() ?? "";
    for (const event of events) {
      const message = JSON.parse(/^data: (.+)$/m.exec(event)?.[1] ?? "{}") as JsonObject;
      if (message.method === "roots/list" && reply !== undefined)
        await send(url, { headers: session, body: { jsonrpc: "2.0", id: message.id ?? null, ...reply } });
      if (message.id === call.id && message.result !== undefined) return message.result as JsonObject;
    }
  }
  throw new Error("no answer");
}

describe("roots of a session", () => {
  it("limit what it sees and where relative paths start, and leave other sessions as they are", async () => {
    const gateway = await openGateway(projects);
    const whole = await connect(gateway.url);
    const narrow = await connect(gateway.url, { roots: [root(gateway, "one")] });
    expect(pathsOf(await ask(whole, "one/a.fake"))).toEqual(["one/a.fake", "top.fake", "two/b.fake"]);
    expect(await ask(narrow, "a.fake")).toMatchObject({ locations: [{ path: "a.fake" }], dropped: 2 });
    // The same call at the same time has different answers.
    const same = root(gateway, "one/a.fake");
    const both = await Promise.all([
      ask(whole, same),
      ask(narrow, same),
      ask(whole, same),
      ask(narrow, same),
    ]);
    expect(both.map(pathsOf).map(({ length }) => length)).toEqual([3, 1, 3, 1]);
    for (const path of ["../two/b.fake", root(gateway, "two/b.fake"), "../top.fake"])
      expect(await ask(narrow, path)).toMatchObject({ error: { code: "guard/outside-root" } });
    expect(pathsOf(await ask(whole, "one/a.fake"))).toEqual(["one/a.fake", "top.fake", "two/b.fake"]);
  });

  it("never widen access: files outside the workspace or denied stay inaccessible", async () => {
    const gateway = await openGateway(projects);
    const { work, url } = gateway;
    mkdirSync(join(work.folder, "..", "beside"));
    const wide = await connect(url, {
      roots: [pathToFileURL(join(work.folder, "..")).href, "https://example.com/"],
    });
    expect(pathsOf(await ask(wide, "top.fake"))).toEqual(["one/a.fake", "top.fake", "two/b.fake"]);
    expect(await ask(wide, "../fake.json")).toMatchObject({ error: { code: "guard/outside-root" } });
    const denied = await connect(url, { roots: [root(gateway, "two/hidden")] });
    expect(await ask(denied, "c.fake")).toMatchObject({ error: { code: "guard/denied" } });
    const beside = await connect(url, { roots: [root(gateway, "../beside")] });
    expect(await ask(beside, root(gateway, "top.fake"))).toMatchObject({
      error: { code: "guard/outside-root" },
    });
    const unusable = await connect(url, { roots: ["https://example.com/"] });
    expect(await ask(unusable, root(gateway, "top.fake"))).toMatchObject({
      error: { code: "guard/outside-root" },
    });
  });

  it("do not limit a client that has none: it answers with an empty list and gets the whole workspace", async () => {
    const gateway = await openGateway(projects);
    const roots: string[] = [];
    const client = await connect(gateway.url, { roots });
    expect(pathsOf(await ask(client, "top.fake"))).toEqual(["one/a.fake", "top.fake", "two/b.fake"]);
    roots.push(root(gateway, "one"));
    await client.sendRootsListChanged();
    expect(await ask(client, "a.fake")).toMatchObject({ dropped: 2 });
    roots.pop();
    await client.sendRootsListChanged();
    expect(pathsOf(await ask(client, "top.fake"))).toHaveLength(3);
  });

  it.each<[string, JsonObject | undefined]>([
    ["an error", { error: { code: -32000, message: "no" } }],
    ["no list", { result: { roots: "all" } }],
    ["no answer in time", undefined],
  ])(
    "that are not sent show nothing, and are requested again with the next call: %s",
    async (_name, reply) => {
      const gateway = await openGateway(projects);
      const session = await openRaw(gateway.url, undefined, { roots: {} });
      const file = { ...at, file_path: root(gateway, "one/a.fake") };
      const first = await askAnswering(gateway.url, session, callOf(1, file), reply);
      expect(first).toMatchObject({ structuredContent: { error: { code: "guard/outside-root" } } });
      const roots = [{ uri: root(gateway, "one") }, { uri: "vscode-remote://x/y" }];
      const next = await askAnswering(gateway.url, session, callOf(2, file), { result: { roots } });
      expect(next).toMatchObject({ structuredContent: { locations: [{ path: "a.fake" }], dropped: 2 } });
    },
  );

  it("that cannot be requested, for want of a stream, show nothing until they can", async () => {
    const gateway = await openGateway(projects);
    const file = { ...at, file_path: root(gateway, "one/a.fake") };
    const asJson = async (session: { [name: string]: string }, id: number) =>
      resultOf(
        await send(gateway.url, {
          headers: { ...session, accept: "application/json" },
          body: callOf(id, file),
        }),
        id,
      );
    const session = await openRaw(gateway.url, undefined, { roots: {} });
    expect(await asJson(session, 1)).toMatchObject({
      structuredContent: {
        error: { code: "guard/outside-root" },
        next_steps: [{ text: expect.stringContaining("session_roots") }],
      },
    });
    expect(gateway.logged.join()).toContain("it accepts no event stream");
    const reply = { result: { roots: [{ uri: root(gateway, "one") }] } };
    const told = await askAnswering(gateway.url, session, callOf(2, file), reply);
    expect(told).toMatchObject({ structuredContent: { locations: [{ path: "a.fake" }], dropped: 2 } });
    expect(await asJson(session, 3)).toMatchObject({ structuredContent: { dropped: 2 } });
    const without = await openRaw(gateway.url);
    expect(await asJson(without, 4)).toMatchObject({ structuredContent: { shown: 3 } });
  });

  it("are requested again when the client says that they changed", async () => {
    const gateway = await openGateway(projects);
    const roots = [root(gateway, "one")];
    const client = await connect(gateway.url, { roots });
    expect(await ask(client, "a.fake")).toMatchObject({ ok: true });
    roots.splice(0, 1, root(gateway, "two"));
    await client.sendRootsListChanged();
    expect(await ask(client, "b.fake")).toMatchObject({ locations: [{ path: "b.fake" }] });
    expect(await ask(client, root(gateway, "one/a.fake"))).toMatchObject({
      error: { code: "guard/outside-root" },
    });
  });

  it("are ignored where the config says so", async () => {
    const gateway = await openGateway({ ...projects, http: { session_roots: "ignore" } });
    const client = await connect(gateway.url, { roots: [root(gateway, "one")] });
    expect(pathsOf(await ask(client, "one/a.fake"))).toHaveLength(3);
  });
});
