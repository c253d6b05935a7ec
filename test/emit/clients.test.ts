/** Stanzas for clients: whatever a path or a plan says, they are files that mean just that. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { syntaxOf } from "../../src/cli/clients/client-entry.js";
import { readClients } from "../../src/config/catalogue/clients.js";
import { diskFiles } from "../../src/config/files.js";
import { readOther } from "../../src/config/text/read.js";
import { type ClientView, clientText } from "../../src/emit/clients.js";
import { repository } from "../live/session.js";
import { planText } from "../plan/config.js";
import { hostileText } from "./hostile.js";
import { templates } from "./support.js";

const clients = readClients(join(repository, "configs"), diskFiles);
const started = {
  command: "/usr/bin/node",
  args: [hostileText, "serve"],
  cwd: "C:\\Users\\x",
  env: { GOPATH: "$GOPATH" },
  isFetched: false,
};
const gateway = { url: "http://127.0.0.1:3939/mcp", tokenEnv: "LSP_PROXY_TOKEN" };
const editing =
  '[allow]\neffects = ["read", "command"]\n[[tools]]\nname = "restart.server"\neffect = "command"\n[[tools.steps]]\nid = "r"\nkind = "runtime"\naction = "restart_server"';

/** What a client's file means, its text and its entry. */
function stanza(id: string, view: Partial<ClientView>, config = "", file = 0) {
  const client = clients.find((entry) => entry.id === id);
  if (client === undefined) throw new Error(`no client ${id}`);
  const { template = "", entry = [] } = client.files[file] ?? {};
  const words = syntaxOf(client);
  const whole = { name: "lsp proxy", connection: started, ...view };
  const text = clientText(template, whole, words, planText(config), templates);
  const source = readOther(template, text, template.endsWith(".toml") ? "toml" : "json");
  expect(source.problems).toEqual([]);
  let value: unknown = source.tree;
  for (const key of [...entry, ...(entry.length > 0 ? [whole.name] : [])])
    value = (value as { [key: string]: unknown })[key];
  return { text, tree: source.tree, entry: value as { [key: string]: unknown } };
}

describe("the clients", () => {
  it("have one template each, and each template a client", () => {
    const used = clients.flatMap(({ files }) => files.map(({ template }) => `${template}.hbs`));
    expect([...new Set(used)].toSorted()).toEqual(
      readdirSync(join(repository, "templates", "clients")).toSorted(),
    );
    expect(new Set(clients.map(({ id }) => id)).size).toBe(clients.length);
  });

  it.each(clients.map(({ id }) => id))("%s gets hostile words unchanged, and never a secret", (id) => {
    const { text, entry } = stanza(id, {});
    expect(JSON.stringify(entry)).toContain(JSON.stringify(hostileText).slice(1, -1));
    expect(text).not.toContain("undefined");
    if (clients.find((client) => client.id === id)?.no_http === undefined) {
      const http = stanza(id, { connection: gateway });
      expect(JSON.stringify(http.entry)).toContain(gateway.url);
      // The variable is named, in the client's own words; what it holds is not known here.
      expect(http.text).toContain("LSP_PROXY_TOKEN");
      expect(http.entry).not.toHaveProperty("command");
    }
  });
});

describe("Codex", () => {
  it("gets TOML with the values that were given", () => {
    expect(stanza("codex", {}).entry).toEqual({
      command: "/usr/bin/node",
      args: [hostileText, "serve"],
      cwd: "C:\\Users\\x",
      env_vars: ["GOPATH"],
      startup_timeout_sec: 20,
      tool_timeout_sec: 40,
      default_tools_approval_mode: "writes",
    });
  });

  it("is started where it runs itself, unless another folder is given", () => {
    const { entry } = stanza("codex", { connection: { ...started, cwd: null } });
    expect(entry).not.toHaveProperty("cwd");
    expect(stanza("gemini", { connection: { ...started, cwd: null } }).entry).not.toHaveProperty("cwd");
    expect(stanza("gemini", {}).entry).toHaveProperty("cwd", started.cwd);
  });

  it("is led to a gateway, with the name of the token's variable", () => {
    expect(stanza("codex", { connection: gateway }).entry).toEqual({
      url: "http://127.0.0.1:3939/mcp",
      bearer_token_env_var: "LSP_PROXY_TOKEN",
      startup_timeout_sec: 20,
      tool_timeout_sec: 40,
      default_tools_approval_mode: "writes",
    });
  });

  it("gets the same entry whatever tools the config has, and starts without lsp-proxy", () => {
    const connection = { ...started, env: {} };
    const { entry, text } = stanza("codex", { connection }, editing);
    expect(text).toBe(stanza("codex", { connection }).text);
    expect(entry).not.toHaveProperty("required");
    expect(entry).not.toHaveProperty("env_vars");
  });

  it("waits for a program that is fetched first, and for the longest call", () => {
    const { entry } = stanza(
      "codex",
      { connection: { ...started, isFetched: true } },
      "[limits]\ntimeout_ms = 90000",
    );
    expect(entry).toMatchObject({ startup_timeout_sec: 60, tool_timeout_sec: 100 });
  });
});

describe("how long a client waits", () => {
  const servers =
    '[[servers]]\nid = "a"\ncommand = "x"\nextensions = ["a"]\ninitialize_timeout_ms = 45000\nwarmup_timeout_ms = 15000\n[[servers]]\nid = "b"\ncommand = "x"\nextensions = ["b"]\n[allow]\ncommands = ["x"]\n';
  const start = (config: string, view: Partial<ClientView> = {}) =>
    stanza("codex", view, config).entry.startup_timeout_sec;

  it("is longer by the slowest server where servers start with the proxy", () => {
    expect(start(servers)).toBe(20);
    const eager = `${servers}[mcp]\nwarmup = true\n`;
    expect(start(eager)).toBe(80);
    expect(start(eager, { connection: { ...started, isFetched: true } })).toBe(120);
    // A gateway has started long before.
    expect(start(eager, { connection: gateway })).toBe(20);
    // One number for both is the larger one, in each client's unit.
    expect(stanza("gemini", {}, eager).entry).toMatchObject({ timeout: 80_000 });
    expect(stanza("opencode", {}, eager).entry).toMatchObject({ timeout: 80_000 });
    expect(stanza("crush", {}, eager).entry).toMatchObject({ timeout: 80 });
    expect(stanza("zed", {}, eager).entry).toMatchObject({ timeout: 80 });
    expect(stanza("claude-code", {}, eager).entry).toMatchObject({ timeout: 40_000 });
    expect(stanza("copilot-cli", {}, eager).entry).toMatchObject({ timeout: 40_000 });
  });

  it("follows the slowest tool that is listed", () => {
    const slow =
      '[limits]\ntimeout_ms = 120000\n[[tools]]\nname = "look"\ndescription = "Looks."\ninput = "document"\noutput = "document_symbols"\ntimeout_ms = 100000\nrequest = { method = "textDocument/documentSymbol", params = "text_document" }\n';
    expect(stanza("codex", {}, slow).entry).toMatchObject({ tool_timeout_sec: 130 });
  });
});

describe("other clients", () => {
  it("wait for the longest call, each in its unit, and are not limited to the tools that there are", () => {
    const slow = "[limits]\ntimeout_ms = 90000";
    const tools = planText(slow).mcp.listed;
    expect(stanza("claude-code", {}, slow).entry).toMatchObject({ timeout: 100_000, alwaysLoad: true });
    expect(stanza("opencode", {}, slow).entry).toMatchObject({ timeout: 100_000, enabled: true });
    expect(stanza("copilot-cli", {}, slow).entry).toMatchObject({ timeout: 100_000, tools: ["*"] });
    for (const id of ["gemini", "qwen-code"]) {
      expect(stanza(id, {}, slow).entry).toMatchObject({ timeout: 100_000 });
      expect(stanza(id, {}, slow).entry).not.toHaveProperty("includeTools");
    }
    expect(stanza("crush", {}, slow).entry).toMatchObject({ timeout: 100 });
    expect(stanza("crush", {}, slow).entry).not.toHaveProperty("enabled_tools");
    expect(stanza("crush", {}, slow).tree).toMatchObject({
      permissions: { allowed_tools: tools.map((tool) => `mcp_lsp proxy_${tool}`) },
    });
  });

  it("look for tools themselves only where there are many", () => {
    const many = Array.from(
      { length: 20 },
      (_, at) =>
        `[[tools]]\nname = "look_${at}"\ndescription = "Looks."\ninput = "document"\noutput = "document_symbols"\nrequest = { method = "textDocument/documentSymbol", params = "text_document" }`,
    );
    expect(stanza("claude-code", {}, many.join("\n")).entry).toMatchObject({ alwaysLoad: false });
  });

  it("let reading tools run unasked and make the others ask, each in its way", () => {
    const reading = "mcp__lsp_proxy__find_definition";
    expect(stanza("claude-code", {}, editing, 1).tree).toEqual({
      permissions: { allow: expect.arrayContaining([reading]) },
    });
    expect(stanza("claude-code", {}, editing, 1).text).not.toMatch(/restart.server/);
    expect(stanza("gemini", {}).entry).toMatchObject({ env: { GOPATH: "$GOPATH" } });
    // It would also let the tools of another project run unasked.
    expect(stanza("gemini", {}).entry).not.toHaveProperty("trust");
    for (const [id, name] of [
      ["gemini", "mcp_lsp proxy_find_definition"],
      ["qwen-code", "mcp__lsp proxy__find_definition"],
    ] as const) {
      const { tree, entry, text } = stanza(id, {}, editing);
      expect(entry).not.toHaveProperty("trust");
      expect(tree).toMatchObject({ tools: { allowed: expect.arrayContaining([name]) } });
      expect(text).not.toMatch(/lsp proxy_+restart/);
    }
    expect(stanza("cursor", {}, editing, 1).tree).toEqual({
      mcpAllowlist: expect.arrayContaining(["lsp proxy:find_definition"]),
    });
    expect(stanza("cursor", {}, editing, 1).text).not.toMatch(/restart.server/);
    expect(stanza("opencode", {}).tree).not.toHaveProperty("permission");
    expect(stanza("opencode", {}, editing).tree).toMatchObject({
      permission: { lsp_proxy_restart_server: "ask" },
    });
    expect(stanza("crush", {}, editing).tree).toMatchObject({
      permissions: { allowed_tools: expect.not.arrayContaining(["mcp_lsp proxy_restart.server"]) },
    });
  });
});
