/** Reading a file that passed the gate: nothing that was put in its place meanwhile is read, and nothing hangs. */
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readText } from "../../src/lsp/documents/read-text.js";
import { afterThis, workspace, write } from "./support.js";

const read = (path: string) => readText(path, "it", 1_000);
const refused = { code: "guard/not-a-file" };

function arrange() {
  const outside = workspace({ "src/a.txt": "secret" });
  const root = workspace({ "src/a.txt": "open" });
  return { root, outside, path: join(root, "src/a.txt") };
}

describe("a path that was checked, and then", () => {
  test.each<[string, (root: string, outside: string) => void]>([
    [
      "its file becomes a link",
      (root, outside) => {
        rmSync(join(root, "src/a.txt"));
        symlinkSync(join(outside, "src/a.txt"), join(root, "src/a.txt"));
      },
    ],
    [
      "its folder becomes a link",
      (root, outside) => {
        renameSync(join(root, "src"), join(root, "old"));
        symlinkSync(join(outside, "src"), join(root, "src"));
      },
    ],
    [
      "its folder becomes a link within the workspace",
      (root) => {
        renameSync(join(root, "src"), join(root, "old"));
        symlinkSync("old", join(root, "src"));
      },
    ],
    [
      "it becomes a pipe that nobody writes to",
      (root) => {
        rmSync(join(root, "src/a.txt"));
        execFileSync("mkfifo", [join(root, "src/a.txt")]);
      },
    ],
    [
      "it becomes a folder",
      (root) => {
        rmSync(join(root, "src/a.txt"));
        mkdirSync(join(root, "src/a.txt"));
      },
    ],
  ])("%s", async (_how, swap) => {
    const { root, outside, path } = arrange();
    expect((await read(path)).lines.text).toBe("open");
    swap(root, outside);
    await expect(read(path)).rejects.toMatchObject(refused);
  });

  test("its folder is turned back and forth while it is read: never a byte of the other", async () => {
    const { root, outside, path } = arrange();
    const script = join(outside, "turn.cjs");
    write(
      script,
      `const { renameSync, symlinkSync, unlinkSync } = require("node:fs");
const [src, old, link] = ${JSON.stringify([join(root, "src"), join(root, "old"), join(outside, "src")])};
process.stdout.write("ready");
for (;;) { renameSync(src, old); symlinkSync(link, src); unlinkSync(src); renameSync(old, src); }
`,
    );
    const turner = spawn(process.execPath, [script], { stdio: ["ignore", "pipe", "inherit"] });
    afterThis(() => void turner.kill("SIGKILL"));
    await new Promise((done) => turner.stdout.once("data", done));
    const seen = new Set<string>();
    for (let round = 0; round < 1_500; round++)
      seen.add(
        await read(path).then(
          ({ lines }) => lines.text,
          (error) => error.code,
        ),
      );
    const ended = new Promise((done) => turner.once("exit", done));
    turner.kill("SIGKILL");
    await ended;
    expect([...seen].filter((text) => text !== "open" && text !== "guard/not-a-file")).toEqual([]);
  });
});

test
  .runIf(process.platform === "linux")
  .each(["/dev/zero", "/dev/tty", "/proc/self/mem", "/proc/self/environ"])("%s is not text", async (path) => {
  await expect(read(path)).rejects.toMatchObject(refused);
});
