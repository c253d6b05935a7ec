import { cpSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { repository } from "../live/session.js";
import { run } from "./run.js";
import { runHere } from "./terminal.js";

let folder: string;
let bundle: string;
const config = '[allow]\ncommands = ["pyright-langserver"]\n[[servers]]\nid = "py"\nkind = "pyright"\n';
const handshake = `${JSON.stringify({
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "0" } },
})}\n${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n${JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/list",
})}\n`;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-bundle-")));
  cpSync(join(repository, "test", "fixtures", "python"), folder, { recursive: true });
  writeFileSync(join(folder, "lspi.toml"), config);
  bundle = join(folder, "bundle");
  expect((await runHere(["generate", "--config", join(folder, "lspi.toml"), "--out", bundle])).code).toBe(0);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function digest(): string {
  return JSON.parse(readFileSync(join(bundle, "manifest.json"), "utf8")).bundle;
}

describe("serve --bundle", () => {
  it("serves the same tools as serve --config, in the same bytes", async () => {
    const fromBundle = await run(["serve", "--bundle", bundle, "--workspace", folder], { input: handshake });
    const fromConfig = await run(["serve", "--config", join(folder, "lspi.toml")], { input: handshake });
    expect(fromBundle.code).toBe(0);
    expect(fromBundle.stdout.split("\n").filter(Boolean)).toHaveLength(2);
    expect(fromConfig.stdout).toBe(fromBundle.stdout);
  });

  it("answers calls", async () => {
    const args = JSON.stringify({ file_path: "greet.py", symbol_name: "greet" });
    const { code, stdout } = await runHere([
      "call",
      "find_references",
      args,
      "--bundle",
      bundle,
      "--workspace",
      folder,
    ]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/greet\.py\n {2}4:5-4:10 {2}def greet/);
  });

  it("accepts the pinned bundle and no other", async () => {
    const pinned = await runHere(["serve", "--bundle", bundle, "--expect", digest(), "--workspace", folder], {
      input: handshake,
    });
    expect(pinned.code).toBe(0);
    const other = await runHere(["serve", "--bundle", bundle, "--expect", `sha256-${"0".repeat(64)}`], {
      input: handshake,
    });
    expect(other).toMatchObject({ code: 3, stdout: "" });
    expect(other.stderr).toContain("bundle/pin");
    const config = await runHere(["serve", "--config", join(folder, "lspi.toml"), "--expect", digest()], {
      input: handshake,
    });
    expect(config.code).toBe(0);
  });

  it.each([
    [
      "one flipped byte in a handler",
      "handlers/get_hover.js",
      (text: string) => text.replace("read", "reed"),
      "bundle/corrupt",
    ],
    [
      "one flipped byte in the plan",
      "plan.json",
      (text: string) => text.replace("pyright", "pyrighT"),
      "bundle/corrupt",
    ],
    ["another ABI", "manifest.json", (text: string) => text.replace(/"abi": \d+/, '"abi": 999'), "bundle/"],
    ["an extra file", "handlers/extra.js", () => "export default 1;\n", "bundle/foreign"],
  ])("refuses %s", async (_name, file, change, code) => {
    const copy = join(folder, "copy");
    cpSync(bundle, copy, { recursive: true });
    const path = join(copy, file);
    writeFileSync(path, change(existsSync(path) ? readFileSync(path, "utf8") : ""));
    const { code: exit, stdout, stderr } = await runHere(["serve", "--bundle", copy], { input: handshake });
    rmSync(copy, { recursive: true });
    expect({ exit, stdout }).toEqual({ exit: 3, stdout: "" });
    expect(stderr).toContain(code);
  });

  it("loads no Ajv, no Handlebars and no TOML parser", async () => {
    const trace = join(folder, "modules.txt");
    const hook = fileURLToPath(new URL("module-trace.mjs", import.meta.url));
    const env = { NODE_OPTIONS: `--import=${hook}`, MODULE_TRACE: trace };
    const { code } = await run(["serve", "--bundle", bundle, "--workspace", folder], {
      input: handshake,
      env,
    });
    expect(code).toBe(0);
    const files = readFileSync(trace, "utf8")
      .split("\n")
      .filter((line) => line.startsWith("file:"))
      .map((url) => fileURLToPath(url));
    expect(files.some((file) => basename(file).startsWith("serve-"))).toBe(true);
    const texts = files.map((file) => readFileSync(file, "utf8"));
    // Each of these stands in the package's own code and nowhere else.
    const marks = {
      ajv: "strictTypes",
      handlebars: "handlebars-v",
      toml: "TomlDate",
      syntaxTree: "TOMLKeyValue",
      zod: "ZodRealError",
      newerProtocol: "subscriptions/acknowledged",
    };
    const found = Object.entries(marks).filter(([, mark]) => texts.some((text) => text.includes(mark)));
    expect(found.map(([name]) => name)).toEqual(["zod"]);
  });
});

describe("stdout", () => {
  it("carries the protocol and nothing else, also when the start fails", async () => {
    const { stdout } = await run(["serve", "--config", join(folder, "lspi.toml"), "--log-level", "debug"], {
      input: handshake,
    });
    for (const line of stdout.split("\n").filter(Boolean))
      expect(JSON.parse(line)).toHaveProperty("jsonrpc", "2.0");
    const failed = await run(["serve", "--config", join(folder, "absent.toml")], { input: handshake });
    expect(failed).toMatchObject({ code: 3, stdout: "" });
  });
});
