/** The check of every test that starts the program: an answer that violates its output schema must fail it. */

import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { writeTestWorkspace } from "../runtime/test-workspace.js";
import { assertValidAnswers, repository, testEnvironment } from "./session.js";

let top: string;
let outside: string;
beforeAll(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-answers-")));
  ({ outside } = writeTestWorkspace({ files: { "a.fake": "text\n" }, servers: { fake: { scenario: {} } } }));
});
afterAll(() => {
  for (const folder of [top, outside]) rmSync(folder, { recursive: true, force: true });
});

/** Calls the status tool with a copy of the built program. */
function stderrOf(folder: string): string {
  const call = ["call", "get_server_status", "{}", "--config", join(outside, "lspi.json")];
  const words = [join(folder, "dist", "cli", "bin.js"), ...call];
  const { stderr, status } = spawnSync(process.execPath, words, { env: testEnvironment(), encoding: "utf8" });
  expect(status).not.toBe(70);
  return stderr;
}

it("passes with the program as it is, and fails when an answer is broken", () => {
  mkdirSync(join(top, "copy"));
  for (const name of ["dist", "configs", "templates", "package.json"])
    cpSync(join(repository, name), join(top, "copy", name), { recursive: true });
  symlinkSync(join(repository, "node_modules"), join(top, "copy", "node_modules"));
  expect(() => assertValidAnswers(stderrOf(join(top, "copy")))).not.toThrow();

  const chunks = join(top, "copy", "dist", "cli");
  const broken = readdirSync(chunks).filter((name) => {
    const text = readFileSync(join(chunks, name), "utf8");
    const changed = text.replaceAll(/\bschema_version: (?:1|[A-Z_]+)\b/g, 'schema_version: "broken"');
    writeFileSync(join(chunks, name), changed);
    return changed !== text;
  });
  expect(broken.length).toBeGreaterThan(0);
  expect(() => assertValidAnswers(stderrOf(join(top, "copy")))).toThrow("violates its output schema");
});
