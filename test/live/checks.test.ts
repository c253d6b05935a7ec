/**
 * rust-analyzer, where it is installed with cargo: its own report comes at once, cargo's errors are pushed seconds after
 * a change. The answer right after an edit is never "clean" when cargo will find an error.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LiveSession, openSession, testEnvironment } from "./session.js";

const config = `[allow]
commands = ["rust-analyzer"]
env = ["PATH", "HOME", "LANG", "CARGO_HOME", "RUSTUP_HOME"]

[[servers]]
id = "rust"
kind = "rust-analyzer"
`;

/** Only the borrow checker objects to it, which rust-analyzer leaves to cargo. */
const borrows =
  "pub fn twice() { let mut v = vec![1]; let a = &mut v; let b = &mut v; a.push(1); b.push(2); }\n";

function runs(program: string): boolean {
  return spawnSync(program, ["--version"], { env: testEnvironment(), timeout: 60_000 }).status === 0;
}

describe.skipIf(!runs("rust-analyzer") || !runs("cargo"))(
  "rust-analyzer with cargo",
  { timeout: 480_000 },
  () => {
    let session: LiveSession;
    beforeAll(async () => {
      session = await openSession("rust", config, ["--trust-workspace"]);
    }, 60_000);
    afterAll(async () => session?.close());

    async function diagnose(file: string) {
      const { structuredContent } = await session.call("get_diagnostics", { file_path: file });
      const { status, why, diagnostics } = structuredContent as {
        status: string;
        why?: string;
        diagnostics?: { code?: string }[];
      };
      return { status, why, codes: (diagnostics ?? []).map(({ code }) => code) };
    }

    /** Asks until the outcome is known; every answer before it must say that it is not. */
    async function known(file: string) {
      for (;;) {
        const told = await diagnose(file);
        if (told.status !== "unknown" && told.why === undefined) return told;
        expect(told.status).not.toBe("clean");
      }
    }

    it("reports cargo's errors after an edit and none after the next, never clean in between", async () => {
      const text = readFileSync(join(session.folder, "src/main.rs"), "utf8");
      expect(await known("src/main.rs")).toMatchObject({ status: "clean" });
      for (let round = 0; round < 3; round++) {
        session.write("src/main.rs", `${text}${borrows}`);
        const first = await diagnose("src/main.rs");
        expect(first.status).not.toBe("clean");
        expect((await known("src/main.rs")).codes).toContain("E0499");
        session.write("src/main.rs", text);
        const back = await diagnose("src/main.rs");
        expect(back.status === "diagnostics" && back.codes.includes("E0499")).toBe(false);
        expect(await known("src/main.rs")).toMatchObject({ status: "clean", codes: [] });
      }
    });

    it("reports errors in a file that was not open when cargo found them", async () => {
      const text = readFileSync(join(session.folder, "src/greet.rs"), "utf8");
      session.write("src/greet.rs", `${text}${borrows}`);
      await known("src/main.rs");
      expect((await known("src/greet.rs")).codes).toContain("E0499");
      session.write("src/greet.rs", text);
      expect(await known("src/greet.rs")).toMatchObject({ status: "clean" });
    });
  },
);
