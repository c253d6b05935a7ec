/**
 * A workspace for tests: a config of shipped tools and scripted servers, compiled, loaded and opened on a folder of
 * its own. Every answer is checked against the emitted output schema before a test sees it.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect } from "vitest";
import { type Bundle, PLAN_FILE } from "../../src/abi/bundle.js";
import { digest } from "../../src/base/hash.js";
import { canonicalText, type JsonObject } from "../../src/base/json.js";
import { diskFiles } from "../../src/config/files.js";
import { loadConfig } from "../../src/config/load.js";
import { ajvCompiler } from "../../src/emit/ajv-compiler.js";
import { emitBundle } from "../../src/emit/bundle.js";
import { readTemplates } from "../../src/emit/render.js";
import { shippedCode } from "../../src/emit/shipped-validators.js";
import type { Log } from "../../src/lsp/types.js";
import { buildPlan } from "../../src/plan/build.js";
import { loadBundle } from "../../src/runtime/bundle/load.js";
import { openRuntime, type Runtime, type RuntimeContext } from "../../src/runtime/runtime.js";
import type { CallOutcome, Session } from "../../src/runtime/session.js";
import { fakeServerPath, type Scenario } from "../fake-server/index.js";

const repository = fileURLToPath(new URL("../../", import.meta.url));
const templates = readTemplates(join(repository, "templates"));
/** As in the program: the validators of the shipped tools are compiled by the build, others once for all tests of a file. */
const compiler = ajvCompiler(shippedCode(join(repository, "dist", "validators")));

export interface TestWorkspaceOptions {
  /** Path → text of the files in the workspace. */
  files?: { [path: string]: string };
  /** Scripted servers: id → scenario, and what else its config says. */
  servers?: { [id: string]: { scenario: Scenario; config?: JsonObject } };
  /** Laid over the config. */
  config?: JsonObject;
  /** How much of the workspace is watched. */
  watchOptions?: RuntimeContext["watchOptions"];
}

export interface TestWorkspace {
  folder: string;
  runtime: Runtime;
  session: Session;
  logged: { level: string; message: string }[];
  uri(path: string): string;
  call(tool: string, args: JsonObject, signal?: AbortSignal): Promise<CallOutcome>;
  /** The parameters of the requests of one method that a scripted server has got. */
  received(method: string, serverId?: string): Promise<JsonObject[]>;
  /** When they came, in milliseconds of the server's own clock. */
  arrivals(method: string): Promise<number[]>;
  close(): Promise<void>;
}

/** The config of a test workspace, written into its folder beside its files. */
export function writeTestWorkspace(options: TestWorkspaceOptions): {
  folder: string;
  outside: string;
  readonly bundle: Bundle;
} {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-runtime-")));
  const folder = join(top, "work");
  mkdirSync(folder);
  for (const [path, text] of Object.entries(options.files ?? {})) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const servers = Object.entries(options.servers ?? {}).map(([id, { scenario, config }]) => {
    const file = join(top, `${id}.json`);
    writeFileSync(
      file,
      JSON.stringify(scenario).replaceAll("file:///work/", `${pathToFileURL(folder).href}/`),
    );
    const command = [process.execPath, fakeServerPath, file];
    return { id, command, extensions: ["fake"], ready: { at_once: true }, ...config };
  });
  const config = {
    extends: ["tools/core"],
    allow: { commands: [process.execPath] },
    workspace: { roots: ["work"] },
    servers,
    methods: [{ method: "fake/received" }, { method: "fake/arrivals" }],
    ...options.config,
  };
  const text = JSON.stringify(config);
  writeFileSync(join(top, "lspi.json"), text);
  return {
    folder,
    outside: top,
    // Only for those who ask: the program compiles the file itself.
    get bundle() {
      return compileOnce(text, top);
    },
  };
}

/** Some configs that were compiled; many tests of a file share one. */
const compiled = new Map<string, { bundle: Bundle; inFolder: string }>();
const MAX_COMPILED = 20;

/** The bundle of a config; where an earlier one differs in its folder only, that one's with the other folder. */
function compileOnce(config: string, folder: string): Bundle {
  const inFolder = JSON.stringify(folder).slice(1, -1);
  const key = config.replaceAll(inFolder, "<folder>");
  const known = compiled.get(key);
  if (known !== undefined) return moved(known.bundle, known.inFolder, inFolder);
  const bundle = compileConfig(join(folder, "lspi.json"));
  if (compiled.size >= MAX_COMPILED) compiled.clear();
  compiled.set(key, { bundle, inFolder });
  return bundle;
}

function moved({ files, manifest: { bundle: _, ...members } }: Bundle, from: string, to: string): Bundle {
  const now = files.map((file) => ({ ...file, text: file.text.replaceAll(from, to) }));
  const changed = now.filter(({ text }, index) => text !== files[index]?.text);
  const digests = Object.fromEntries(changed.map(({ path, text }) => [path, digest(text)]));
  const all = { ...members.files, ...digests };
  const manifest = { ...members, plan: all[PLAN_FILE] ?? "", files: all };
  return { files: now, manifest: { ...manifest, bundle: digest(canonicalText(manifest)) } };
}

/** The bundle of a config. */
export function compileConfig(configPath: string): Bundle {
  const loaded = loadConfig(
    {
      workspace: dirname(configPath),
      configPath,
      env: {},
      home: "/nowhere",
      shipped: join(repository, "configs"),
      commandLine: {},
    },
    diskFiles,
  );
  const { plan, problems } = buildPlan(loaded.config, loaded);
  expect(problems.filter((problem) => problem.severity === "error")).toEqual([]);
  return emitBundle(plan, { templates, compiler, generator: "lsp-proxy test" });
}

/** Opens a runtime and a session on it. */
export async function openTestWorkspace(options: TestWorkspaceOptions): Promise<TestWorkspace> {
  const { folder, outside, bundle } = writeTestWorkspace(options);
  const logged: TestWorkspace["logged"] = [];
  const log: Log = (level, message, data) =>
    logged.push({ level, message: `${message} ${JSON.stringify(data)}` });
  const loaded = await loadBundle({ bundle });
  const runtime = await openRuntime(loaded, {
    base: outside,
    env: process.env,
    log,
    stateFolder: join(outside, "state"),
    ownFiles: [],
    binFolders: [],
    avoid: [],
    version: "0",
    strictAnswers: true,
    watchOptions: { ignoredWaitMs: 60_000, ...options.watchOptions },
  });
  const session = runtime.openSession();
  const ask = async (serverId: string, question: string, method: string): Promise<unknown[]> => {
    const server = runtime.pool.running().find((running) => running.plan.id === serverId);
    if (server === undefined) return [];
    const { value } = await server.request(question, { method }, { signal: new AbortController().signal });
    return value as unknown[];
  };
  return {
    folder,
    runtime,
    session,
    logged,
    uri: (path) => pathToFileURL(join(folder, path)).href,
    async call(tool, args, signal = new AbortController().signal) {
      const outcome = await session.call(tool, args, { signal });
      const { outputValidator: validate } = await loaded.tool(tool);
      validate(outcome.structured);
      expect(validate.errors ?? []).toEqual([]);
      expect(outcome.structured.ok).toBe(!outcome.isError);
      // Only a dialect with forms of its own shows URIs beside paths.
      const own = loaded.plan.dialect.items === undefined ? outside : pathToFileURL(folder).href;
      const shown = JSON.stringify(outcome);
      expect(own === outside ? shown : shown.replaceAll(`${own}/`, "")).not.toContain(outside);
      return outcome;
    },
    async received(method, serverId = "fake") {
      const seen = (await ask(serverId, "fake/received", method)) as { params: JsonObject }[];
      return seen.map(({ params }) => params);
    },
    async arrivals(method) {
      return (await ask("fake", "fake/arrivals", method)) as number[];
    },
    async close() {
      await runtime.close();
      rmSync(outside, { recursive: true, force: true });
    },
  };
}

/** A zero-based LSP range on one line. */
export function range(line: number, start: number, end: number, endLine = line): JsonObject {
  return { start: { line, character: start }, end: { line: endLine, character: end } };
}
