import { parse } from "smol-toml";
import { describe, expect, it } from "vitest";
import { codes } from "../../src/base/codes.js";
import { configJsonSchema } from "../../src/config/json-schema.js";
import { codexStanza } from "../../src/emit/clients.js";
import { configDocs, problemsDocs, toolsDocs } from "../../src/emit/docs.js";
import { planOf, planText } from "../plan/config.js";
import { hostileText } from "./hostile.js";
import { templates } from "./support.js";

describe("printed docs", () => {
  it("have every code once, with its cause and its fix", () => {
    const text = problemsDocs(codes, templates);
    for (const [code, facts] of Object.entries(codes)) {
      expect(text.split(`### \`${code}\`\n`)).toHaveLength(2);
      expect(text.replaceAll("\\", "")).toContain(facts.fix.replaceAll("\\", ""));
    }
  });

  it("have every key of the config, nested ones too", () => {
    const text = configDocs(configJsonSchema(), templates);
    for (const key of [
      "version",
      "roots",
      "command",
      "restart.backoff_ms",
      "forward[].to",
      "steps[].each.limit",
      "args.NAME.min_length",
      "position.line_base",
      "tools.allow",
      "request.params.base",
    ])
      expect(text).toContain(`\`${key}\``);
    for (const heading of ["## `[workspace]`", "## `[[servers]]`", "## `[[tools]]`", "## `[http]`"])
      expect(text).toContain(heading);
    for (const line of text.split("\n").filter((candidate) => candidate.startsWith("| `")))
      expect(line.split(/(?<!\\)\|/), line).toHaveLength(6);
    expect(text).toContain("Order does not matter.");
    expect(text).not.toContain("undefined");
  });

  it("have every tool of a plan", () => {
    const plan = planText('[[servers]]\nid = "pyright"\nkind = "pyright"');
    const text = toolsDocs(plan.tools, plan.dialect, templates);
    for (const tool of plan.tools) expect(text).toContain(`## ${tool.name}\n`);
  });
});

describe("the Codex stanza", () => {
  const reach = {
    command: "/usr/bin/node",
    args: [hostileText, "serve"],
    cwd: "C:\\Users\\x",
    envVars: ["PATH", "GOPATH"],
  };
  const view = { name: "lsp proxy", reach };

  it("is TOML that says what it was told", () => {
    const { plan } = planOf({});
    expect(parse(codexStanza(view, plan, templates))).toEqual({
      mcp_servers: {
        "lsp proxy": {
          command: "/usr/bin/node",
          args: [hostileText, "serve"],
          cwd: "C:\\Users\\x",
          env_vars: ["GOPATH"],
          startup_timeout_sec: 20,
          tool_timeout_sec: 40,
          required: true,
          default_tools_approval_mode: "auto",
        },
      },
    });
  });

  it("leads to a gateway, with the name of the token's variable", () => {
    const { plan } = planOf({});
    const gateway = { url: "http://127.0.0.1:3939/mcp", tokenEnv: "LSP_PROXY_TOKEN" };
    expect(parse(codexStanza({ ...view, reach: gateway }, plan, templates))).toEqual({
      mcp_servers: {
        "lsp proxy": {
          url: "http://127.0.0.1:3939/mcp",
          bearer_token_env_var: "LSP_PROXY_TOKEN",
          startup_timeout_sec: 20,
          tool_timeout_sec: 40,
          required: true,
          default_tools_approval_mode: "auto",
        },
      },
    });
  });

  it("asks before tools that change something", () => {
    const { plan } = planOf(
      '[allow]\neffects = ["read", "command"]\n[[tools]]\nname = "restart.server"\neffect = "command"\n[[tools.steps]]\nid = "r"\nkind = "runtime"\naction = "restart_server"',
    );
    const { mcp_servers } = parse(
      codexStanza({ ...view, reach: { ...reach, envVars: [] } }, plan, templates),
    ) as {
      mcp_servers: { [name: string]: object };
    };
    expect(mcp_servers["lsp proxy"]).toMatchObject({
      default_tools_approval_mode: "writes",
      tools: { "restart.server": { approval_mode: "prompt" } },
    });
    expect(mcp_servers["lsp proxy"]).not.toHaveProperty("env_vars");
  });
});
