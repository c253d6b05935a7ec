/** The placeholders `<workspace>` and `<node_modules>`: in an untrusted workspace they name none of its code. */
import { chownSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ServerPlan } from "../../src/abi/plan.js";
import type { Json } from "../../src/base/json.js";
import { fillPlaceholders, namedModules } from "../../src/base/placeholders.js";
import { launchSettings, placeholdersOf, type ServerCommand } from "../../src/lsp/process/launch-settings.js";
import type { TrustContext } from "../../src/lsp/process/trusted.js";
import { fakeServer } from "../fake-server/index.js";
import { poolOf, received, scenarios, signal, workspace, write } from "./support.js";

const server = { id: "x", command: ["run"], args: [] };

/** A repository with a project in it, and a program that is installed elsewhere. */
function arrange() {
  const top = workspace({
    "repo/node_modules/typescript/lib/x.js": "",
    "repo/work/a": "",
    "opt/node_modules/typescript/lib/x.js": "",
    "opt/node_modules/server/bin/run": "",
    "opt/node_modules/server/node_modules/other/x.js": "",
  });
  const [repo, root] = [join(top, "repo"), join(top, "repo/work")];
  const program = join(top, "opt/node_modules/server/bin/run");
  const untrusted = { roots: [root], base: root, avoid: [repo], binFolders: [], env: {} };
  return { top, repo, root, program, untrusted, own: join(top, "opt/node_modules") };
}

/** Where the file is that a text names. */
function filled(
  who: ServerCommand,
  root: string,
  program: string | undefined,
  context: TrustContext,
): string {
  const names = placeholdersOf({ server: who, root, program, context });
  return fillPlaceholders("<node_modules>/typescript/lib/x.js", names);
}

test("of a workspace that is not trusted, node_modules are the program's own, wherever above it the file is", () => {
  const { root, program, untrusted, own } = arrange();
  const names = placeholdersOf({ server, root, program, context: untrusted });
  expect(
    fillPlaceholders(["<workspace>/b", "--at=<node_modules>/typescript/lib,<node_modules>/other"], names),
  ).toEqual([`${root}/b`, `--at=${own}/typescript/lib,${own}/server/node_modules/other`]);
});

test("where a program runs a script, they are the script's own", () => {
  const { root, program, untrusted, own } = arrange();
  for (const words of [{ command: ["node", program] }, { command: ["node"], args: ["--flag", program] }])
    expect(filled({ ...server, ...words }, root, process.execPath, untrusted)).toBe(
      join(own, "typescript/lib/x.js"),
    );
});

test("arguments below a file or behind a link to itself, and such a node_modules, are passed over", () => {
  const { top, root, program, untrusted, own } = arrange();
  symlinkSync("node_modules", join(own, "server/bin/node_modules"));
  const args = [join(program, "x"), join(own, "server/bin/node_modules/x"), program];
  expect(filled({ ...server, command: ["node"], args }, root, process.execPath, untrusted)).toBe(
    join(top, "opt/node_modules/typescript/lib/x.js"),
  );
});

test("where the file is not there, nothing is named and the way on is told", () => {
  const { repo, root, program, untrusted, own } = arrange();
  rmSync(join(own, "typescript/lib/x.js"));
  const refused = {
    code: "lsp/not-allowed",
    message: expect.stringContaining("`typescript/lib/x.js` was sought beside `run`"),
    nextSteps: expect.arrayContaining([{ kind: "command", text: "lsp-proxy trust" }]),
  };
  const within = join(repo, "tools/run");
  write(within, "");
  // A shim somewhere else, one that stands in the repository and may be started all the same, and none at all.
  const shim = join(workspace({ run: "#!/bin/sh\n" }), "run");
  for (const path of [program, shim, within, undefined])
    expect(() => filled(server, root, path, untrusted)).toThrow(expect.objectContaining(refused));
});

test("a link to the workspace's own is the workspace's", () => {
  const { repo, root, program, untrusted, own } = arrange();
  rmSync(join(own, "typescript"), { recursive: true });
  symlinkSync(join(repo, "node_modules/typescript"), join(own, "typescript"));
  expect(() => filled(server, root, program, untrusted)).toThrow(/sought beside/);
});

test("of a trusted one they are the nearest at or above it", () => {
  const { repo, root, program, untrusted } = arrange();
  const trusted = { ...untrusted, trusted: [root] };
  expect(filled(server, root, program, trusted)).toBe(join(repo, "node_modules/typescript/lib/x.js"));
});

test("where the nearest has not the file, another above it or the program's own has it", () => {
  const { repo, root, program, untrusted, own } = arrange();
  const trusted = { ...untrusted, trusted: [root] };
  write(join(root, "node_modules/typescript/lib/y.js"), "");
  expect(filled(server, root, program, trusted)).toBe(join(repo, "node_modules/typescript/lib/x.js"));
  rmSync(join(repo, "node_modules"), { recursive: true });
  expect(filled(server, root, program, trusted)).toBe(join(own, "typescript/lib/x.js"));
  rmSync(join(own, "typescript"), { recursive: true });
  expect(filled(server, root, program, trusted)).toBe(join(root, "node_modules/typescript/lib/x.js"));
});

test.runIf(process.getuid?.() === 0)("what another user put above it does not count", () => {
  const { repo, root, program, untrusted } = arrange();
  const trusted = { ...untrusted, trusted: [root] };
  chownSync(join(repo, "node_modules"), 65_534, 65_534);
  expect(filled(server, root, program, trusted)).not.toContain(join(repo, "node_modules"));
  chownSync(root, 65_534, 65_534);
  expect(filled(server, root, program, trusted)).toContain(join(repo, "node_modules"));
});

test("a name stands for its path once: what a path has in itself stays", () => {
  const names = new Map([
    ["workspace", "/w/<port>"],
    ["port", "7"],
  ]);
  expect(fillPlaceholders({ a: ["<workspace>:<port>", "<other>"] }, (name) => names.get(name))).toEqual({
    a: ["/w/<port>:7", "<other>"],
  });
  expect(namedModules({ a: ["<node_modules>/b/c.js", "<workspace>/d"], e: "<node_modules>/b/c.js" })).toEqual(
    ["/b/c.js"],
  );
});

test("a server gets it in its options and settings", async () => {
  const { root, untrusted, top } = arrange();
  write(join(top, "opt/node_modules/server/run.mjs"), "");
  const tsdk = "<node_modules>/typescript/lib";
  const told = { initializeOptions: { tsdk }, settings: { tsdk }, untrusted: over({ a: 1 }, { b: 2 }) };
  const fake = fakeServer(scenarios(), {}, told);
  const script = join(top, "opt/node_modules/server/run.mjs");
  const pool = poolOf(
    root,
    [{ ...fake, args: [...fake.args, script] }],
    {},
    { ...untrusted, env: process.env },
  );
  const running = await pool.get("fake", undefined, signal());
  const messages = [
    ...(await received(running, "initialize")).map(({ initializationOptions }) => initializationOptions),
    ...(await received(running, "workspace/didChangeConfiguration")).map(({ settings }) => settings),
  ];
  const named = expect.not.stringContaining("repo");
  expect(messages).toEqual([
    { tsdk: named, a: 1 },
    { tsdk: named, b: 2 },
  ]);
});

function over(initializeOptions = {}, settings = {}): ServerPlan["untrusted"] {
  return { start: true, loads: {}, without: [], initializeOptions, settings };
}

test("a server that cannot do without the workspace's code is started in a sandbox or once it is trusted", () => {
  const { root, program, untrusted } = arrange();
  const fake = fakeServer(scenarios(), {}, { untrusted: { ...over(), start: false } });
  expect(() => launchSettings({ server: fake, root, program, context: untrusted })).toThrow(
    /may run code of the workspace/,
  );
  const trusted = { ...untrusted, trusted: [root] };
  expect(launchSettings({ server: fake, root, program, context: trusted })).toEqual({
    options: null,
    settings: {},
    settingsFor: expect.any(Function),
  });
  for (const sandbox of ["none", "no_network", "read_only"] as const)
    expect(() => launchSettings({ server: { ...fake, sandbox }, root, program, context: untrusted })).toThrow(
      expect.objectContaining({
        nextSteps: expect.arrayContaining([
          { kind: "config", text: expect.stringContaining('sandbox = "read_only_no_network"') },
        ]),
      }),
    );
  const confined = { ...fake, sandbox: "read_only_no_network" as const };
  expect(launchSettings({ server: confined, root, program, context: untrusted }).options).toBe(null);
});

test("a server to which code is added is started in a sandbox or once it is trusted", () => {
  const { root, program, untrusted } = arrange();
  const without = ["/initialize_options/plugins", "/workspace_configuration/a/plugins"];
  const fake = fakeServer(scenarios(), {}, { untrusted: { ...over(), without } });
  const plugins = [{ name: "p" }];
  for (const added of [{ initializeOptions: { plugins } }, { settings: { a: { plugins } } }]) {
    const told = { ...fake, ...added };
    expect(() => launchSettings({ server: told, root, program, context: untrusted })).toThrow(
      /may run code of the workspace/,
    );
    expect(
      launchSettings({ server: told, root, program, context: { ...untrusted, trusted: [root] } }),
    ).toMatchObject({});
    expect(
      launchSettings({
        server: { ...told, sandbox: "read_only_no_network" },
        root,
        program,
        context: untrusted,
      }),
    ).toMatchObject({});
  }
  for (const none of [{}, { initializeOptions: { plugins: [] } }, { settings: { a: {} } }])
    expect(launchSettings({ server: { ...fake, ...none }, root, program, context: untrusted })).toMatchObject(
      {},
    );
});

test("what its options say that it loads must be there; where, is the user's word", () => {
  const { repo, root, program, untrusted, own } = arrange();
  const loads = { "/typescript/path": "x.js" };
  const asked = (path: Json) => {
    const told = { initializeOptions: { typescript: { path } }, untrusted: { ...over(), loads } };
    const fake = fakeServer(scenarios(), {}, { ...server, ...told });
    return launchSettings({ server: fake, root, program, context: untrusted }).options;
  };
  const there = join(own, "typescript/lib");
  for (const path of [there, join(there, "x.js"), "<node_modules>/typescript/lib"])
    expect(asked(path)).toEqual({ typescript: { path: expect.stringContaining(there) } });
  const chosen = join(repo, "node_modules/typescript/lib");
  expect(asked(chosen)).toEqual({ typescript: { path: chosen } });
  for (const path of [null, "", "lib", "/nowhere", join(there, "y.js")])
    expect(() => asked(path)).toThrow(/`x.js` was sought where `initialize_options.typescript.path` says/);
});
