/** What `<workspace>` and `<node_modules>` stand for: of a workspace that nobody trusts no code is named. */
import { chownSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { namedPathsOf, withNamedPaths } from "../../src/lsp/process/named-paths.js";
import { fakeServer } from "../fake-server/index.js";
import { poolOf, received, scenarios, signal, workspace, write } from "./support.js";

const bare = { roots: [], avoid: [], binFolders: [] };

/** A repository with a project in it, and a program that is installed elsewhere. */
function arrange() {
  const top = workspace({
    "repo/node_modules/typescript/x": "",
    "repo/work/a": "",
    "opt/node_modules/server/bin/run": "",
  });
  const [repo, root] = [join(top, "repo"), join(top, "repo/work")];
  const program = join(top, "opt/node_modules/server/bin/run");
  return { top, repo, root, program, untrusted: { roots: [root], avoid: [repo], binFolders: [] } };
}

test("of a workspace that is not trusted, node_modules are the program's own", () => {
  const { top, root, program, untrusted } = arrange();
  expect(namedPathsOf(root, program, untrusted)).toEqual({
    workspace: root,
    node_modules: join(top, "opt/node_modules"),
  });
});

test("where the program has none, what is named is not there, and never the workspace's", () => {
  const { top, repo, root, untrusted } = arrange();
  rmSync(join(top, "opt/node_modules"), { recursive: true });
  const elsewhere = join(top, "opt/run");
  write(elsewhere, "");
  expect(existsSync(namedPathsOf(root, elsewhere, untrusted).node_modules ?? "")).toBe(false);
  // A program that stands in the repository, and may be started all the same, has none of its folders either.
  const within = join(repo, "tools/run");
  write(within, "");
  for (const path of [within, undefined])
    expect(namedPathsOf(root, path, untrusted).node_modules).not.toBe(join(repo, "node_modules"));
});

test("of a trusted one they are the nearest at or above it", () => {
  const { repo, root, program, untrusted } = arrange();
  const trusted = { ...untrusted, binFolders: [join(root, "node_modules/.bin")] };
  expect(namedPathsOf(root, program, trusted).node_modules).toBe(join(repo, "node_modules"));
});

test.runIf(process.getuid?.() === 0)("what another user put above it does not count", () => {
  const { repo, root, program } = arrange();
  chownSync(join(repo, "node_modules"), 65_534, 65_534);
  expect(namedPathsOf(root, program, bare).node_modules).not.toBe(join(repo, "node_modules"));
  chownSync(root, 65_534, 65_534);
  expect(namedPathsOf(root, program, bare).node_modules).toBe(join(repo, "node_modules"));
});

test("a name stands for its path once: what a path has in itself stays", () => {
  const names = { workspace: "/w/<port>", port: "7" };
  expect(withNamedPaths({ a: ["<workspace>:<port>", "<other>"] }, names)).toEqual({
    a: ["/w/<port>:7", "<other>"],
  });
});

test("a server is told so in its options and settings", async () => {
  const { root, untrusted } = arrange();
  const tsdk = "<node_modules>/typescript/lib";
  const server = fakeServer(scenarios(), {}, { initializeOptions: { tsdk }, settings: { tsdk } });
  const pool = poolOf(root, [server], {}, { ...untrusted, env: process.env });
  const running = await pool.get("fake", undefined, signal());
  const told = JSON.stringify([
    await received(running, "initialize"),
    await received(running, "workspace/didChangeConfiguration"),
  ]);
  expect(told.match(/[^"]*typescript\/lib/g)?.length).toBe(2);
  expect(told).not.toContain(`${root}/node_modules`);
  expect(told).not.toContain("repo/node_modules");
});
