/** Prompts and resources of a config, read by real clients of both protocols over stdio and HTTP. */
import { PassThrough } from "node:stream";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as OlderClient } from "@modelcontextprotocol/sdk/client/index.js";
import { afterEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/base/json.js";
import { serveStdio } from "../../src/mcp/stdio.js";
import { StreamTransport } from "../../src/mcp/stream-transport.js";
import { openTestWorkspace, range, type TestWorkspace } from "../runtime/test-workspace.js";
import { closeAll, openGateway, token } from "./http/support.js";

const config: JsonObject = {
  prompts: [
    {
      name: "review",
      title: "Review",
      description: "Reviews a file.",
      args: { file: { description: "The file." }, focus: { required: false } },
      messages: [
        { text: "Review {{file}}.{{#if focus}} Look at {{focus}}.{{/if}}" },
        { role: "assistant", text: "I begin with its outline." },
      ],
    },
  ],
  resources: [
    {
      name: "outline",
      description: "The symbols of a file.",
      uri: "lsp://outline/{path}",
      tool: "get_document_symbols",
      args: { file_path: { from: "uri.path" } },
    },
    { name: "status", uri: "lsp://status", mime_type: "text/plain", tool: "get_server_status" },
  ],
};

const options = {
  files: { "a b/ä.fake": "one\n" },
  servers: {
    fake: {
      scenario: {
        capabilities: { documentSymbolProvider: true },
        replies: {
          "textDocument/documentSymbol": [
            { name: "one", kind: 12, range: range(0, 0, 3), selectionRange: range(0, 0, 3) },
          ],
        },
      },
    },
  },
  config,
};

const open: { client: { close(): Promise<void> }; work?: TestWorkspace }[] = [];
afterEach(async () => {
  for (const { client, work } of open.splice(0)) {
    await client.close();
    await work?.close();
  }
  await closeAll();
});

type Mode = "auto" | "legacy";

async function overStdio(mode: Mode): Promise<Client> {
  const work = await openTestWorkspace(options);
  const [input, output] = [new PassThrough(), new PassThrough()];
  void serveStdio(work.runtime, { input, output, log: () => undefined });
  const client = new Client({ name: "c", version: "0" }, { versionNegotiation: { mode } });
  await client.connect(new StreamTransport(output, input) as unknown as Parameters<Client["connect"]>[0]);
  open.push({ client, work });
  return client;
}

async function overHttp(mode: Mode, roots?: string[]): Promise<Client> {
  const { url } = await openGateway(options);
  const capabilities = roots === undefined ? {} : { roots: {} };
  const client = new Client({ name: "c", version: "0" }, { versionNegotiation: { mode }, capabilities });
  if (roots !== undefined)
    client.setRequestHandler("roots/list", async () => ({ roots: roots.map((uri) => ({ uri })) }));
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  open.push({ client });
  return client;
}

const outline = "lsp://outline/a%20b/%C3%A4.fake";

describe.each([
  ["stdio", "auto", overStdio],
  ["stdio", "legacy", overStdio],
  ["http", "auto", overHttp],
  ["http", "legacy", overHttp],
] as [string, Mode, (mode: Mode) => Promise<Client>][])("%s, %s", (_, mode, connect) => {
  it("prompts are listed and filled in", async () => {
    const client = await connect(mode);
    expect(client.getServerCapabilities()).toMatchObject({ prompts: {}, resources: {} });
    expect((await client.listPrompts()).prompts).toEqual([
      {
        name: "review",
        title: "Review",
        description: "Reviews a file.",
        arguments: [
          { name: "file", description: "The file.", required: true },
          { name: "focus", required: false },
        ],
      },
    ]);
    const text = async (args: { [name: string]: string }) =>
      (await client.getPrompt({ name: "review", arguments: args })).messages.map(({ role, content }) => [
        role,
        content.type === "text" ? content.text : "",
      ]);
    expect(await text({ file: "a.ts" })).toEqual([
      ["user", "Review a.ts."],
      ["assistant", "I begin with its outline."],
    ]);
    expect((await text({ file: "{{x}}", focus: "<b>" }))[0]?.[1]).toBe("Review {{x}}. Look at <b>.");
    await expect(text({})).rejects.toThrow("needs file");
    await expect(text({ file: "a", other: "b" })).rejects.toThrow("takes file, focus");
    await expect(client.getPrompt({ name: "none" })).rejects.toThrow("no prompt");
  });

  it("resources are listed, and read by their tools with all checks", async () => {
    const client = await connect(mode);
    expect((await client.listResources()).resources).toEqual([
      { name: "status", uri: "lsp://status", mimeType: "text/plain" },
    ]);
    expect((await client.listResourceTemplates()).resourceTemplates).toEqual([
      {
        name: "outline",
        description: "The symbols of a file.",
        uriTemplate: "lsp://outline/{path}",
        mimeType: "application/json",
      },
    ]);
    const [content] = (await client.readResource({ uri: outline })).contents;
    expect(content).toMatchObject({ uri: outline, mimeType: "application/json" });
    expect(JSON.parse(content !== undefined && "text" in content ? content.text : "")).toMatchObject({
      ok: true,
      symbols: [{ name: "one", line: 1 }],
    });
    const [status] = (await client.readResource({ uri: "lsp://status" })).contents;
    expect(status).toMatchObject({ text: expect.stringContaining("fake: running") });
    for (const uri of ["lsp://outline/..%2F..%2Fetc%2Fpasswd", "lsp://outline/../../../etc/passwd"])
      await expect(client.readResource({ uri })).rejects.toThrow("guard/");
    for (const uri of ["lsp://outline/", "lsp://outline/%E0%A4%A", "lsp://none", "lsp://status/x"])
      await expect(client.readResource({ uri })).rejects.toThrow("no resource");
  });
});

it.each(["auto", "legacy"] as const)("a read is limited to the client's roots: %s", async (mode) => {
  const client = await overHttp(mode, ["file:///elsewhere"]);
  await expect(client.readResource({ uri: outline })).rejects.toThrow("guard/");
});

it("an older client reads them too, and a config without any announces none", async () => {
  const connectOlder = async (own: JsonObject) => {
    const work = await openTestWorkspace({ ...options, config: own });
    const [input, output] = [new PassThrough(), new PassThrough()];
    void serveStdio(work.runtime, { input, output, log: () => undefined });
    const client = new OlderClient({ name: "c", version: "0" });
    await client.connect(new StreamTransport(output, input));
    open.push({ client, work });
    return client;
  };
  const client = await connectOlder(config);
  expect((await client.getPrompt({ name: "review", arguments: { file: "a" } })).messages).toHaveLength(2);
  expect((await client.readResource({ uri: outline })).contents).toHaveLength(1);
  const bare = await connectOlder({});
  expect(Object.keys(bare.getServerCapabilities() ?? {})).toEqual(["tools"]);
});
