import { describe, expect, it } from "vitest";
import type { Io } from "../../src/cli/command.js";
import { isQuick, quickInput } from "../../src/cli/quick.js";

const io = { cwd: "/here", env: {} } as Io;
const read = (...argv: string[]) => {
  const { flags, config } = quickInput(argv, io);
  const [server] = (config?.servers ?? []) as Record<string, unknown>[];
  return { workspace: flags.workspace, warmup: flags.warmup, ...server, allow: config?.allow };
};

describe("the short command line", () => {
  it("is known by its first flag", () => {
    for (const first of ["-e", "-s", "-w", "--extension", "--server", "--extension=rs"])
      expect(isQuick([first])).toBe(true);
    for (const first of ["serve", "--help", "-h", "-v", "--version"]) expect(isQuick([first])).toBe(false);
  });

  it("takes the server's command up to the next flag of its own", () => {
    const expected = {
      workspace: "/work",
      warmup: true,
      id: "rust-analyzer",
      kind: "rust-analyzer",
      command: "rust-analyzer",
      args: ["--log", "x"],
      extensions: ["rs", "ron"],
      allow: { commands: ["rust-analyzer"], effects: ["read"] },
    };
    expect(read("-e", "rs", "-e", ".ron", "-s", "rust-analyzer", "--log", "x", "-w", "/work")).toMatchObject(
      expected,
    );
    expect(
      read("-w", "/work", "--extension=rs", "--extension", "ron", "--server", "rust-analyzer", "--log", "x"),
    ).toMatchObject(expected);
  });

  it("takes its log level from LOG_LEVEL, if it has that level", () => {
    const level = (LOG_LEVEL: string) =>
      quickInput(["-e", "x", "-s", "y"], { cwd: "/", env: { LOG_LEVEL } }).flags["log-level"];
    expect(["DEBUG", "error", "trace", "1"].map(level)).toEqual(["debug", "error", undefined, undefined]);
  });

  it("gives everything after -- to the server, and paths start here", () => {
    expect(read("-e", "x", "-s", "./bin/my server", "--", "-w", "-e", "--", "y")).toMatchObject({
      workspace: "/here",
      id: "my-server",
      command: "/here/bin/my server",
      args: ["-w", "-e", "--", "y"],
    });
  });

  it.each([
    [["-e", "rs"], "no server: give -s"],
    [["-s", "x"], "no extension: give -e"],
    [["-e"], "`-e` needs a value"],
    [["-e", "rs", "word", "-s", "x"], "unexpected `word`"],
  ])("refuses %j", (argv, why) => {
    expect(() => quickInput(argv, io)).toThrow(why);
  });
});
