/**
 * Real clients, in a private home, without a login or a model of their own: the stanza that `client --write` merged into their file
 * is loaded by them, the proxy is reached on stdio and over HTTP, the tools are offered, and what the model is handed is right,
 * whole and readable. With edits allowed, what reads runs unasked and what changes something does not. `npm run clients` fetches
 * them.
 */
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readClients } from "../../src/config/catalogue/clients.js";
import { diskFiles } from "../../src/config/files.js";
import { readOther } from "../../src/config/text/read.js";
import { modelName } from "../../src/emit/clients.js";
import { run } from "../cli/run.js";
import { freePort } from "../free-ports.js";
import { repository } from "../live/session.js";
import {
  type Driver,
  driven,
  drivers,
  ended,
  environment,
  FUNCTIONS,
  makeProject,
  startGateway,
  TOKEN,
} from "./drivers.js";
import { type ScriptedCall, type ScriptedModel, startModel } from "./model.js";
import { network } from "./network.js";
import { programOf, programs } from "./programs.mjs";

const calls = [
  { tool: "find_definition", args: { file_path: "app.py", symbol_name: "greet" } },
  { tool: "get_document_symbols", args: { file_path: "big.py", page_size: FUNCTIONS } },
  { tool: "get_hover", args: { file_path: "gone.py", line: 1, character: 1 } },
];

const clients = readClients(join(repository, "configs"), diskFiles);
const isWanted = process.env.RUN_CLIENTS === "1";
if (!isWanted) console.warn("skipped: real clients are fetched and driven by `npm run clients`");

it.skipIf(network !== "loopback")("there is no network but this machine's own", async () => {
  expect(Object.keys(networkInterfaces()).filter((name) => name !== "lo")).toEqual([]);
  // An address that is nobody's, so that nothing is asked of anybody where the check fails.
  const socket = connect({ host: "192.0.2.1", port: 80 });
  const [error] = await once(socket, "error");
  expect(error).toMatchObject({ code: "ENETUNREACH" });
});

describe.skipIf(!isWanted).each(Object.keys(programs))("%s", (id) => {
  const path = programOf(id);
  const driver = drivers[id] as Driver;
  const facts = clients.find((client) => client.id === id);
  const isThere = existsSync(path);
  if (isWanted && !isThere) console.warn(`skipped: ${programs[id]?.package} cannot be had from npm here`);

  let folder: string;
  let project: string;
  let port: number;
  beforeAll(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), `lsp-proxy-${id}-`)));
    project = join(folder, "a project");
    port = await freePort();
    makeProject(project, port, ["read"]);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 }));

  it.skipIf(!isThere).each([[[]], [["--http"]]])(
    "is set up by the command %j, reaches the proxy, and its model is handed whole answers",
    async (flags) => {
      const home = join(folder, `home${flags.join("")}`);
      const file = join(home, driver.file);
      mkdirSync(dirname(file), { recursive: true });
      const config = ["--config", join(project, "lspi.toml")];
      const tools = await listedIn(config);
      const script = scriptOf(tools, calls);
      const model = await startModel(script);
      const gateway = flags.length > 0 ? await startGateway(join(project, "lspi.toml")) : undefined;
      try {
        const mine = driver.before(model.url);
        writeFileSync(file, mine);
        const env = { HOME: home, XDG_CONFIG_HOME: "", CODEX_HOME: "", CLAUDE_CONFIG_DIR: "" };
        const written = await run(["client", id, "--write", ...flags, ...config], { env });
        expect(written).toMatchObject({ code: 0, stdout: expect.stringContaining(`changed ${file}`) });
        for (const line of mine.split("\n").filter((text) => text.includes("mine")))
          expect(readFileSync(file, "utf8")).toContain(line);
        expect(readFileSync(file, "utf8")).not.toContain(TOKEN);

        for (const words of [
          ...(facts?.skills === undefined ? [] : [["--scope", "user"]]),
          ["--scope", "repo", "--snippet"],
        ]) {
          const told = await run(["skill", "install", "--client", id, ...words, ...config], {
            env,
            cwd: project,
          });
          expect(told).toMatchObject({ code: 0 });
        }

        const drive = (args: string[]) => driven(path, args, project, environment(home, driver, model));
        const found = await drive(driver.check.args);
        expect(found.output).toMatch(driver.check.connected);
        const { code, output } = await drive(driver.args);
        expect({ code, turns: model.turns.length }, output).toEqual({ code: 0, turns: script.length + 1 });
        checkTurns(model, tools);
        // Whatever the client has made of its file meanwhile, the entry is taken out and the rest stays.
        const [top = ""] = facts?.files[0]?.entry ?? [];
        const others = () => {
          const language = file.endsWith(".toml") ? "toml" : "json";
          const { [top]: _, ...rest } = readOther(file, readFileSync(file), language).tree;
          return rest;
        };
        const was = others();
        const removal = ["client", id, "--remove", ...flags, ...config];
        expect((await run(removal, { env })).stdout).toMatch(/^changed /);
        expect(others()).toEqual(was);
        expect((await run(removal, { env })).stdout).toMatch(/^nothing to change in /);
      } finally {
        await model.close();
        if (gateway) await ended(gateway);
      }
    },
    300_000,
  );

  it.skipIf(!isThere).each([
    ["does not run what changes something unasked", [], false],
    // Without this, a call that could never have worked would pass for one that was held back.
    ["runs it when told to", ["allowing"], true],
  ] as const)(
    "runs what reads unasked, and %s",
    async (_what, [allowing], isMade) => {
      const home = join(folder, `home-edits-${isMade}`);
      const place = join(folder, `edits ${isMade}`);
      const file = join(home, driver.file);
      mkdirSync(dirname(file), { recursive: true });
      makeProject(place, port, ["read", "edit"]);
      const config = ["--config", join(place, "lspi.toml")];
      const script = scriptOf(await listedIn(config), [
        { tool: "find_definition", args: { file_path: "app.py", symbol_name: "greet" } },
        { tool: "create_file", args: { file_path: "made.py", content: "MADE = 1\n", dry_run: false } },
      ]);
      const model = await startModel(script);
      try {
        writeFileSync(file, (driver.loose ?? driver.before)(model.url));
        const env = { HOME: home, XDG_CONFIG_HOME: "", CODEX_HOME: "", CLAUDE_CONFIG_DIR: "" };
        const written = await run(["client", id, "--write", ...config], { env });
        expect(written).toMatchObject({ code: 0 });
        const args = [...driver.args, ...(allowing === undefined ? [] : driver.allowing)];
        const { output } = await driven(path, args, place, environment(home, driver, model));
        const results = model.turns.at(-1)?.results ?? [];
        expect(results[script.length - 2], output).toMatch(/greet\.py[\s\S]*(4:5|"line":4)/);
        expect({ isMade: existsSync(join(place, "made.py")), output, results }).toMatchObject({ isMade });
      } finally {
        await model.close();
      }
    },
    300_000,
  );

  /** The calls, after those that a model has to make before it is shown the tools. */
  function scriptOf(tools: readonly string[], wanted: readonly ScriptedCall[]): ScriptedCall[] {
    const nameOf = (tool: string) => modelName(facts?.tool_name ?? "", "lsp-proxy", tool);
    const first = driver.looksFor?.(tools.map(nameOf));
    return [
      ...(first === undefined ? [] : [first]),
      ...wanted.map((call) => ({ ...call, name: nameOf(call.tool) })),
    ];
  }

  function checkTurns({ turns }: ScriptedModel, listed: readonly string[]) {
    const last = turns.at(-1);
    // Codex tells its model the server apart from the tool.
    const lacking = listed.filter(
      (tool) =>
        !last?.tools.some(
          (name) => name === tool || name === modelName(facts?.tool_name ?? "", "lsp-proxy", tool),
        ),
    );
    expect({ listed: listed.length, lacking }).toEqual({ listed: 11, lacking: [] });
    // What the proxy says about itself is told to the model too.
    expect(last?.text.includes("Code intelligence from language servers, for python")).toBe(
      driver.keepsInstructions === undefined,
    );
    if (facts?.skills !== undefined)
      expect(last?.text).toContain("Questions about code (python) answered by language servers");
    expect(last?.text).toContain("Use the MCP server `lsp-proxy` instead of text search");
    const [definition = "", symbols = "", refusal = ""] = last?.results.slice(-calls.length) ?? [];
    expect(definition).toContain("greet.py");
    expect(definition).toMatch(/"line":4,"character":5|4:5-4:10/);
    // Nothing was cut out, by the client or by us.
    const missing = Array.from({ length: FUNCTIONS }, (_, at) => `function_${at}`).filter(
      (name) => !new RegExp(`${name}\\b`).test(symbols),
    );
    expect(missing).toEqual([]);
    expect(symbols.length).toBeGreaterThan(5_000);
    expect(symbols).not.toMatch(/truncated\.\.\.|chars truncated|tokens truncated|characters omitted/);
    expect(refusal).toMatch(/gone\.py/);
    expect(refusal).toMatch(/guard\/|does not exist|no such/i);
  }
});

async function listedIn(config: string[]): Promise<string[]> {
  const { stdout } = await run(["tools", "--json", ...config]);
  return (JSON.parse(stdout).tools as { name: string }[]).map(({ name }) => name);
}
