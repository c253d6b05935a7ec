/**
 * Seven behaviours, each checkable in seconds, that every other bridge was seen to fail at least one of. The server is
 * the one they were probed with: typescript-language-server, cold.
 */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LiveSession, openSession, repository } from "./session.js";

const config = `
[allow]
commands = ["typescript-language-server"]

[[servers]]
id = "ts"
kind = "typescript-language-server"
[servers.initialize_options.tsserver]
path = "${join(repository, "node_modules", "typescript-5", "lib", "tsserver.js")}"
`;

/** The ids of the processes below one, children first. */
function descendants(pid: number): number[] {
  const rows = execFileSync("ps", ["-eo", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n");
  const children = new Map<number, number[]>();
  for (const row of rows) {
    const [child = 0, parent = 0] = row.trim().split(/\s+/).map(Number);
    children.set(parent, [...(children.get(parent) ?? []), child]);
  }
  const walk = (id: number): number[] => (children.get(id) ?? []).flatMap((child) => [...walk(child), child]);
  return walk(pid);
}

function commandOf(pid: number): string {
  try {
    return execFileSync("ps", ["-o", "args=", "-p", String(pid)], { encoding: "utf8" });
  } catch {
    return "";
  }
}

/** Kills a process, unless it has ended with another one before. */
function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

describe("the seven probes", () => {
  let session: LiveSession;
  beforeAll(async () => {
    session = await openSession("typescript", config);
    for (let i = 0; i < 10; i++) {
      session.write(
        `src/user${i}.ts`,
        `import { greet } from "./greet.js";\nexport const user${i} = greet("${i}");\n`,
      );
    }
  });
  afterAll(() => session?.close());

  it("1: the first references are complete, or say that they are not", async () => {
    const at = session.place("src/greet.ts", "function |greet");
    const { structuredContent } = await session.call("find_references", { file_path: "src/greet.ts", ...at });
    const files = new Set((structuredContent.locations as { path: string }[]).map(({ path }) => path));
    expect(files.size).toBe(13);
    expect(structuredContent.readiness).toBe("ready");
  });

  it("2: a file with an error is not clean", async () => {
    const { structuredContent } = await session.call("get_diagnostics", { file_path: "src/broken.ts" });
    expect(structuredContent).toMatchObject({ status: "diagnostics", diagnostics: [{ severity: "error" }] });
  });

  it("3: after a fix on disk it is", async () => {
    session.write(
      "src/broken.ts",
      'import { greet } from "./greet.js";\nexport const right: string = greet("bob");\n',
    );
    const { structuredContent } = await session.call("get_diagnostics", { file_path: "src/broken.ts" });
    expect(structuredContent).toMatchObject({ status: "clean", diagnostics: [] });
  });

  it("4: hovers on a line that is not ASCII, and goes on", async () => {
    const at = session.place("src/app.ts", "first = |greet(wave)");
    const first = await session.call("get_hover", { file_path: "src/app.ts", ...at });
    expect(first.content[0]?.text).toContain("👋: says hello.");
    const second = await session.call("get_hover", { file_path: "src/app.ts", ...at });
    expect(second.structuredContent).toEqual(first.structuredContent);
  });

  it("5: a file outside the root is refused, not empty and not read", async () => {
    const outside = join(session.folder, "..", "outside.ts");
    for (const file_path of ["../outside.ts", outside, `file://${outside}`]) {
      const { isError, structuredContent } = await session.call("get_document_symbols", { file_path });
      expect(isError).toBe(true);
      expect(structuredContent).toMatchObject({ ok: false, error: { code: "guard/outside-root" } });
    }
  });

  it("6: after a kill of the server the same call succeeds", async () => {
    const servers = descendants(session.pid ?? 0).filter((pid) =>
      commandOf(pid).includes("typescript-language-server"),
    );
    expect(servers.length).toBeGreaterThan(0);
    for (const pid of servers) kill(pid);
    const at = session.place("src/app.ts", "first = |greet(wave)");
    const { structuredContent } = await session.call("find_definition", { file_path: "src/app.ts", ...at });
    expect(structuredContent).toMatchObject({ ok: true, locations: [{ path: "src/greet.ts" }] });
  });

  it("7: an unknown config key stops the start", async () => {
    await expect(openSession("typescript", `${config}\n[mcp]\nreadonly = true\n`)).rejects.toThrow();
  });

  it("answers about files that appear while it runs", async () => {
    session.write(
      "src/deep/new.ts",
      'import { greet } from "../greet.js";\nexport const deep = greet("d");\n',
    );
    const at = session.place("src/deep/new.ts", "deep = |greet");
    const { structuredContent } = await session.call("find_definition", {
      file_path: "src/deep/new.ts",
      ...at,
    });
    expect(structuredContent.locations).toMatchObject([{ path: "src/greet.ts" }]);
  });

  it("leaves no process behind when the client leaves", async () => {
    const started = descendants(session.pid ?? 0);
    expect(started.some((pid) => commandOf(pid).includes("tsserver"))).toBe(true);
    await session.close();
    await expect.poll(() => started.filter((pid) => commandOf(pid) !== "")).toEqual([]);
  });
});
