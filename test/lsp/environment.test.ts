/** The environment beside an untrusted folder: no variable leads into it, whatever its name. */
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { cleanedEnvironment, pathWithTools } from "../../src/lsp/process/environment.js";
import { fakePlan, fakeServer } from "../fake-server/index.js";
import { poolOf, scenarios, signal, workspace } from "./support.js";

/** An untrusted repository with something of every kind, and a folder of ours. */
function arrange() {
  const repo = workspace({
    ".venv/bin/python": "",
    "lib/evil.py": "",
    "hook.cjs": "",
    "node_modules/hook/index.js": "",
    "venv/pyvenv.cfg": "",
    "sub/tool.jar": "",
  });
  const ours = workspace({ "lib/good.py": "", "hook.cjs": "", "x.jar": "" });
  const link = join(ours, "link");
  symlinkSync(join(repo, "lib"), link);
  const left = (value: string, name: string) => cleanedEnvironment({ [name]: value }, [repo], repo).env[name];
  return { repo, ours, link, left };
}

describe("a list of paths", () => {
  const names = ["PATH", "PYTHONPATH", "NODE_PATH", "GEM_PATH", "GOPATH", "CLASSPATH", "PERL5LIB", "RUBYLIB"];

  test.each(names)("%s loses entries that are empty, relative or invalid", (name) => {
    const { repo, ours, link, left } = arrange();
    expect(left(`:${ours}::.:lib:../x:${repo}:${repo}/lib:${link}:/usr`, name)).toBe(`${ours}:/usr`);
    for (const nothing of ["", ":", ".", "lib", repo, `${repo}/not-there`])
      expect(left(nothing, name)).toBeUndefined();
    expect(left(`${ours}:/nowhere`, name)).toBe(`${ours}:/nowhere`);
  });

  test("PATH loses folders of shims, by any name, and keeps the node that we run", () => {
    const { ours, left } = arrange();
    const shims = join(workspace({ "shims/go": "" }), "shims");
    const link = join(ours, "bin");
    symlinkSync(shims, link);
    const node = dirname(process.execPath);
    expect(left(`${shims}:${ours}:${link}:${shims}/`, "PATH")).toBe(`${ours}:${node}`);
    expect(left(`${node}:${shims}`, "PATH")).toBe(node);
    expect(left(`${ours}:/opt/shims-not`, "PATH")).toBe(`${ours}:/opt/shims-not`);
    expect(left(`${shims}:${ours}`, "GOPATH")).toBe(`${shims}:${ours}`);
    expect(cleanedEnvironment({ PATH: shims }, []).env).toEqual({ PATH: shims });
  });

  test("is one by its form too, and may have another separator", () => {
    const { repo, ours, left } = arrange();
    expect(left(`${ours}:${repo}/lib:/usr`, "ANYTHING")).toBe(`${ours}:/usr`);
    expect(left(`./?.lua;${repo}/?.lua;${ours}/?.lua;;`, "LUA_PATH")).toBe(`${ours}/?.lua`);
  });
});

describe("a single place", () => {
  test.each(["VIRTUAL_ENV", "CONDA_PREFIX", "GEM_HOME", "JAVA_HOME", "GOROOT", "GOBIN", "ANYTHING"])(
    "%s goes where it is strange, or relative and there",
    (name) => {
      const { repo, ours, link, left } = arrange();
      for (const strange of [
        join(repo, ".venv"),
        link,
        ".venv",
        "venv",
        "./venv",
        ".",
        "./not-there",
        "../x",
      ])
        expect(left(strange, name)).toBeUndefined();
      for (const kept of [ours, "/nowhere"]) expect(left(kept, name)).toBe(kept);
    },
  );

  test("is removed where it is relative and should not be, though nothing is there", () => {
    const { left } = arrange();
    for (const name of ["JAVA_HOME", "GOROOT", "NVM_DIR", "CONDA_PREFIX", "GOBIN", "BUNDLE_GEMFILE"])
      expect(left("later", name)).toBeUndefined();
  });

  test("that is none stays", () => {
    const { left } = arrange();
    for (const [name, value] of Object.entries({
      ...{ LANG: "C.UTF-8", TERM: "xterm-256color", TZ: "Europe/Berlin", NODE_ENV: "production" },
      ...{ USER: "somebody", GOFLAGS: "-mod=mod -trimpath", RUSTUP_TOOLCHAIN: "stable", EMPTY: "" },
      ...{ PATHEXT: ".COM;.EXE;.BAT", PROXY: "http://127.0.0.1:8080/x" },
    }))
      expect(left(value, name)).toBe(value);
  });
});

describe("options", () => {
  test("are removed where they name foreign paths, in any part of a word", () => {
    const { repo, ours, left } = arrange();
    const strange = [
      ...[
        "--require ./hook.cjs",
        "--require=hook.cjs",
        `--no-warnings -r ${repo}/hook.cjs`,
        "--import ./hook",
      ],
      ...[
        "--require hook",
        "-I.",
        "-Ilib",
        `-I${repo}/lib`,
        "-javaagent:sub/tool.jar=x",
        "-toolexec=./hook.cjs",
      ],
      `--require "${repo}/hook.cjs"`,
    ];
    for (const value of strange) expect([value, left(value, "OPTIONS")]).toEqual([value, undefined]);
    for (const value of [
      `--require ${ours}/hook.cjs`,
      `-javaagent:${ours}/x.jar`,
      "--max-old-space-size=4096",
    ])
      expect(left(value, "OPTIONS")).toBe(value);
  });
});

test("what was withheld and is there is told with the variable", () => {
  const { repo, ours } = arrange();
  const env = {
    ...{
      PATH: `${repo}/.venv/bin:${repo}/gone:${ours}:`,
      VIRTUAL_ENV: `${repo}/.venv`,
      PYTHONPATH: `:lib:${ours}`,
    },
    LANG: "C",
  };
  expect(cleanedEnvironment(env, [repo], repo).withheld).toEqual([
    { variable: "PATH", folder: join(repo, ".venv/bin") },
    { variable: "VIRTUAL_ENV", folder: join(repo, ".venv") },
    { variable: "PYTHONPATH", folder: join(repo, "lib") },
  ]);
});

test("without an untrusted folder all is as it was", () => {
  const { repo } = arrange();
  const env = { PATH: `:.:${repo}`, VIRTUAL_ENV: ".venv" };
  expect(cleanedEnvironment(env, [], repo)).toEqual({ env, withheld: [] });
});

test("a home stays one's own where it is the workspace; only its programs do not count", () => {
  const home = workspace({ "go/bin/x": "" });
  const env = { HOME: home, GOPATH: `${home}/go`, PATH: `${home}/go/bin:/usr/bin` };
  expect(cleanedEnvironment(env, [home], home).env).toEqual({ ...env, PATH: "/usr/bin" });
});

describe.runIf(process.platform === "linux")("a server", () => {
  const started = async (more: { trusted?: boolean; own?: { [name: string]: string } }) => {
    const { repo, ours } = arrange();
    const names = ["PATH", "PYTHONPATH", "VIRTUAL_ENV", "NODE_OPTIONS"];
    const plan = { allow: { ...fakePlan([]).allow, env: names } };
    const env = {
      ...{ PATH: process.env.PATH, PYTHONPATH: `:${ours}`, VIRTUAL_ENV: join(repo, ".venv") },
      NODE_OPTIONS: "--require ./hook.cjs",
    };
    const server = fakeServer(scenarios(), {}, { env: more.own ?? {} });
    const allow = { ...plan.allow, commands: fakePlan([server]).allow.commands };
    const pool = poolOf(repo, [server], { allow }, { env, trusted: more.trusted ? [repo] : [] });
    const running = await pool.get("fake", undefined, signal());
    const text = readFileSync(`/proc/${pool.status()[0]?.pid}/environ`, "utf8");
    const pairs = text.split("\0").map((pair) => pair.split(/=(.*)/s).slice(0, 2) as [string, string]);
    const { PYTHONPATH, VIRTUAL_ENV, NODE_OPTIONS } = Object.fromEntries(pairs);
    const told = running.withheld.map(({ variable }) => variable);
    return { repo, ours, told, env, inherited: { PYTHONPATH, VIRTUAL_ENV, NODE_OPTIONS } };
  };

  test("inherits the remaining variables, and reports the removed ones", async () => {
    const { inherited, ours, told } = await started({});
    expect(inherited).toEqual({ PYTHONPATH: ours });
    expect(told).toEqual(["VIRTUAL_ENV", "NODE_OPTIONS"]);
  });

  test("has what the user wrote for it, and all of it in a workspace that is trusted", async () => {
    const own = { VIRTUAL_ENV: ".venv", PYTHONPATH: "lib:" };
    const { inherited, told } = await started({ own });
    expect(inherited).toEqual(own);
    expect(told).toEqual(["NODE_OPTIONS"]);
    const { inherited: all, told: nothing, env } = await started({ trusted: true });
    const { PYTHONPATH, VIRTUAL_ENV, NODE_OPTIONS } = env;
    expect([all, nothing]).toEqual([{ PYTHONPATH, VIRTUAL_ENV, NODE_OPTIONS }, []]);
  });
});

test("PATH ends with the tools of a server that was installed by us, or in a folder of tools; no other folder is added", () => {
  const top = workspace({ "servers/elm/1/node_modules/.bin/elm-ls": "", "cargo/rust-analyzer": "" });
  const folders = { serversFolder: join(top, "servers"), toolFolders: [join(top, "cargo")] };
  mkdirSync(join(top, "servers/elm/1/bin"));
  const managed = join(top, "servers/elm/1/bin/elm-ls");
  symlinkSync("../node_modules/.bin/elm-ls", managed);
  const tools = join(top, "servers/elm/1/node_modules/.bin");
  expect(pathWithTools("/bin", managed, folders)).toBe(`/bin:${tools}`);
  expect(pathWithTools(`${tools}:/bin`, managed, folders)).toBe(`${tools}:/bin`);
  const cargo = join(top, "cargo/rust-analyzer");
  expect(pathWithTools("/bin", cargo, folders)).toBe(`/bin:${join(top, "cargo")}`);
  expect(pathWithTools("/bin", "/home/x/shims/rust-analyzer", folders)).toBe("/bin");
  expect(pathWithTools(undefined, managed, folders)).toBeUndefined();
});
