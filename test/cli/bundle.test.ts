import { cpSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run } from "./run.js";
import { runHere } from "./terminal.js";

let folder: string;
let bundle: string;
const config = '[[servers]]\nid = "css"\nkind = "vscode-css-language-server"\n';
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
  writeFileSync(join(folder, "a.css"), ":root {\n  --greet: red;\n}\n.a { color: var(--greet); }\n");
  writeFileSync(join(folder, "lspi.toml"), config);
  bundle = join(folder, "bundle");
  expect((await runHere(["generate", "--config", join(folder, "lspi.toml"), "--out", bundle])).code).toBe(0);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function digest(): string {
  return JSON.parse(readFileSync(join(bundle, "manifest.json"), "utf8")).bundle;
}

describe("serve --bundle", () => {
  it("serves the same tools as serve --config, in the same bytes, without Ajv, Handlebars and a TOML parser", async () => {
    const trace = join(folder, "modules.txt");
    const hook = fileURLToPath(new URL("module-trace.mjs", import.meta.url));
    const fromBundle = await run(["serve", "--bundle", bundle, "--workspace", folder], {
      input: handshake,
      env: { NODE_OPTIONS: `--import=${hook}`, MODULE_TRACE: trace },
    });
    expect(fromBundle.code).toBe(0);
    const lines = fromBundle.stdout.split("\n").filter(Boolean);
    expect(lines).toHaveLength(2);
    // A log changes nothing: stdout carries the protocol and nothing else.
    for (const line of lines) expect(JSON.parse(line)).toHaveProperty("jsonrpc", "2.0");
    const words = ["serve", "--config", join(folder, "lspi.toml"), "--log-level", "debug"];
    expect((await run(words, { input: handshake })).stdout).toBe(fromBundle.stdout);
    expect(loadedPackages(trace)).toEqual(["zod"]);
  });

  it("answers calls", async () => {
    const args = JSON.stringify({ file_path: "a.css", line: 2, character: 3 });
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
    expect(stdout).toMatch(/a\.css\n {2}2:3-2:10 {2}--greet: red;\n {2}4:17-4:24 {2}/);
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
      (text: string) => text.replace("vscode", "vscodE"),
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
});

/** Which of these packages a process has loaded. */
function loadedPackages(trace: string): string[] {
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
  return found.map(([name]) => name);
}

describe("stdout", () => {
  it("is empty when the start fails", async () => {
    const failed = await run(["serve", "--config", join(folder, "absent.toml")], { input: handshake });
    expect(failed).toMatchObject({ code: 3, stdout: "" });
  });
});
