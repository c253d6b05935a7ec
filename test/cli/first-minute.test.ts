/** The README's first minute on this very repository: what a person sees, and that it is true. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { program, repository, testEnvironment } from "../live/session.js";
import { run } from "./run.js";

const { scripts } = JSON.parse(readFileSync("package.json", "utf8"));
const hasScript = spawnSync("script", ["--version"]).status === 0;

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

describe("npm start", () => {
  it.skipIf(!hasScript)("says on a terminal what it serves and that it waits", () => {
    const command = `timeout --preserve-status 100 ${process.execPath} ${program} ${scripts.start.split(" ").slice(2).join(" ")}`;
    // `script` gives the program a terminal; its own input ends at once, which ends the session.
    const { stdout } = spawnSync("script", ["-qec", command, "/dev/null"], {
      cwd: repository,
      env: testEnvironment(),
      encoding: "utf8",
      input: "\u0004",
      timeout: 120_000,
    });
    expect(stdout).toContain("lsp-proxy serves the embedded default");
    expect(stdout).toContain("typescript: .cjs");
    expect(stdout).toContain("Waiting for an MCP client on stdin");
  });
});
