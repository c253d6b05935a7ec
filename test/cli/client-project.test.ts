/** A client that starts the proxy outside of any project: its roots say what is served, and a found project needs trust. */
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import {
  ListRootsRequestSchema,
  PromptListChangedNotificationSchema,
  ResourceListChangedNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { afterEach, beforeEach, expect, it } from "vitest";
import { program, testEnvironment } from "../live/session.js";
import { runHere } from "./terminal.js";

let top: string;
let client: Client;
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-roots-")));
  for (const name of ["home", "home/w", "home/other"]) mkdirSync(join(top, name));
  writeFileSync(join(top, "home/w/a.css"), ".of_the_root {\n}\n");
  writeFileSync(join(top, "home/other/a.css"), ".of_the_folder {\n}\n");
});
afterEach(async () => {
  await client.close();
  rmSync(top, { recursive: true, force: true });
});

const env = () => ({
  ...testEnvironment(),
  HOME: join(top, "home"),
  XDG_STATE_HOME: join(top, "state"),
  XDG_CONFIG_HOME: join(top, "config"),
});
const trust = (folder: string) => runHere(["trust", "--yes"], { cwd: join(top, folder), env: env() });

/** Opens a session that is started in a folder, with these roots or without the capability. */
async function start(cwd: string, roots?: string[]) {
  const seen = { asked: 0, changes: 0, listed: [] as string[] };
  client = new Client(
    { name: "test", version: "0" },
    { capabilities: roots === undefined ? {} : { roots: {} } },
  );
  if (roots)
    client.setRequestHandler(ListRootsRequestSchema, () => {
      seen.asked++;
      return { roots: roots.map((folder) => ({ uri: pathToFileURL(join(top, folder)).href })) };
    });
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
    seen.changes++;
  });
  client.setNotificationHandler(PromptListChangedNotificationSchema, () => void seen.listed.push("prompts"));
  client.setNotificationHandler(
    ResourceListChangedNotificationSchema,
    () => void seen.listed.push("resources"),
  );
  const proxy = { command: process.execPath, args: [program, "serve"], cwd: join(top, cwd), env: env() };
  await client.connect(new StdioClientTransport({ ...proxy, stderr: "ignore" }));
  return seen;
}

/** Asks for the symbols of `a.css` in such a session. */
async function symbols(cwd: string, roots?: string[]) {
  const seen = await start(cwd, roots);
  const call = { name: "get_document_symbols", arguments: { file_path: "a.css" } };
  const answers = [await client.callTool(call), await client.callTool(call)];
  return { text: JSON.stringify(answers[1]), first: JSON.stringify(answers[0]), ...seen };
}

it("serves the client's root where it is started in the user's home, and asks for it once", async () => {
  await trust("home/w");
  const { first, text, asked, changes } = await symbols("home", ["home/absent", "home/w/a.css/x", "home/w"]);
  expect(first).toContain("of_the_root");
  expect(text).toContain("of_the_root");
  expect([asked, changes]).toEqual([1, 1]);
}, 60_000);

it("has the prompts and resources of the client's root, and says that the lists have changed", async () => {
  const prompts = [{ name: "review", messages: [{ text: "Review it." }] }];
  const resources = [
    {
      name: "outline",
      uri: "lsp://outline/{path}",
      tool: "get_document_symbols",
      args: { file_path: { from: "uri.path" } },
    },
  ];
  writeFileSync(join(top, "home/w/lspi.json"), JSON.stringify({ prompts, resources }));
  await trust("home/w");
  const { first, listed } = await symbols("home", ["home/w"]);
  expect(first).toContain("of_the_root");
  expect(listed).toEqual(["prompts", "resources"]);
  expect((await client.listPrompts()).prompts).toMatchObject([{ name: "review" }]);
  const { resourceTemplates } = await client.listResourceTemplates();
  expect(resourceTemplates).toMatchObject([{ uriTemplate: "lsp://outline/{path}" }]);
  const { contents } = await client.readResource({ uri: "lsp://outline/a.css" });
  expect(JSON.stringify(contents)).toContain("of_the_root");
  await client.subscribeResource({ uri: "lsp://outline/a.css" });
}, 60_000);

it("lists the tools and prompts of the client's root before the first call", async () => {
  const config = {
    prompts: [{ name: "review", messages: [{ text: "Review it." }] }],
    mcp: { tools: { allow: ["get_hover"] } },
  };
  writeFileSync(join(top, "home/w/lspi.json"), JSON.stringify(config));
  await trust("home/w");
  const seen = await start("home", ["home/w"]);
  expect((await client.listTools()).tools).toMatchObject([{ name: "get_hover" }]);
  expect((await client.listPrompts()).prompts).toMatchObject([{ name: "review" }]);
  expect(seen.asked).toBe(1);
}, 60_000);

it("serves the folder in which it is started, whatever the client's roots", async () => {
  await trust("home/other");
  const { text, asked } = await symbols("home/other", ["home/w"]);
  expect(text).toContain("of_the_folder");
  expect(asked).toBe(0);
}, 60_000);

it("a config that the root leads to starts nothing without trust", async () => {
  const started = join(top, "started");
  const server = { id: "x", command: "touch", args: [started], extensions: ["css"] };
  writeFileSync(
    join(top, "home/w/lspi.json"),
    JSON.stringify({ allow: { commands: ["touch"] }, servers: [server] }),
  );
  const { text } = await symbols("home", ["home/w"]);
  expect(text).toContain("config/untrusted");
  expect(text).toContain("lsp-proxy trust");
  expect(existsSync(started)).toBe(false);
}, 60_000);

it("a client without roots, or without a folder among them, is served where the proxy was started", async () => {
  for (const roots of [undefined, [], ["home/absent"]]) {
    const { text } = await symbols("home", roots);
    expect(text).not.toContain("of_the_root");
    expect(text).toContain("a.css");
    await client.close();
  }
}, 90_000);
