/** The README's first minute on this very repository: what a person sees, and that it is true. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { repository } from "../live/session.js";
import { noTerminal, onTerminal } from "./pty.js";
import { run } from "./run.js";

const { scripts } = JSON.parse(readFileSync("package.json", "utf8"));

describe("npm run demo", () => {
  it("shows handshake, tools and right answers", async () => {
    const words = scripts.demo.split(" ").slice(2);
    const { code, stdout, stderr } = await run(words);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("Handshake with lsp-proxy");
    expect(stdout).toContain("12 tools");
    expect(stdout).toMatch(/→ find_definition .*[^→]*src\/base\/order\.ts\n[^→]*export function sortBy/);
    expect(stdout).toMatch(/→ find_references [^→]* \d+ locations[^→]*sortBy\([^→]*… and \d+ more lines/);
    const longest = Math.max(
      ...stdout
        .split("\n→ ")
        .slice(1)
        .map((answer) => answer.split("\n").length),
    );
    expect(longest).toBeLessThan(20);
    expect(stdout).not.toContain("get_server_status {");
    expect(stdout).toMatch(/→ get_diagnostics [^→]*Status: clean/);
    expect(stdout).toMatch(
      /→ get_diagnostics [^→]*broken\.ts[^→]*Type 'string' is not assignable to type 'number'/,
    );
  });
});

describe("demo", () => {
  it("is no internal error where `serve` ends at once", async () => {
    const { code, stderr } = await run(["demo", "a.ts", "a", "--config", "none.toml"]);
    expect(code).toBe(1);
    expect(stderr).toContain("error[config/not-found]");
    expect(stderr).toMatch(/lsp-proxy: the session did not begin: .*Connection closed\n$/);
  });
});

describe("npm start", () => {
  it.skipIf(noTerminal !== undefined)(
    "says on a terminal what it serves, waits, and ends with its input",
    async () => {
      const { code, text } = await onTerminal(scripts.start.split(" ").slice(2), {
        columns: 200,
        cwd: repository,
        meanwhile: [[/Waiting for an MCP client/, (type) => type("\u0004")]],
      });
      expect(code).toBe(0);
      expect(text).toContain("lsp-proxy serves the embedded default");
      expect(text).toContain("typescript: .cjs");
      expect(text).toContain("Waiting for an MCP client on stdin");
    },
  );
});
