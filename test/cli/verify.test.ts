/** `verify` on real servers, on recorded ones, and the samples that it uses. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Input } from "../../src/cli/command.js";
import { compile } from "../../src/cli/compile.js";
import { openCatalogue } from "../../src/cli/presets.js";
import { runProbes } from "../../src/cli/verify/probes.js";
import { readSamples, sampleFor, writeSample } from "../../src/cli/verify/sample.js";
import { openTranscript } from "../../src/cli/verify/transcript.js";
import { loadBundle } from "../../src/runtime/bundle/load.js";
import { openRuntime } from "../../src/runtime/runtime.js";
import { repository, testEnvironment } from "../live/session.js";
import { runHere } from "./terminal.js";

const transcripts = fileURLToPath(new URL("../transcripts/", import.meta.url));
const player = fileURLToPath(new URL("../replay/server.mjs", import.meta.url));
const catalogue = openCatalogue();

let folder = "";
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-verify-test-")));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("names a folder of modules that is not there", async () => {
  const { code, stderr } = await runHere(["verify", "pyright", "--modules", "./none"], { cwd: folder });
  expect(code).toBe(2);
  expect(stderr).toContain("--modules takes a folder; `./none` is none");
});

describe("samples", () => {
  const samples = readSamples();
  const presets = catalogue.presets().map(({ config }) => config);

  it("are for known languages and servers, and their places are in their files", () => {
    expect(samples.length).toBeGreaterThan(50);
    for (const { name, languages, servers, files, ask, expect: expected, broken } of samples) {
      const mine = presets.filter(
        ({ id, languages: known = [] }) =>
          servers.includes(id) || languages.some((one) => known.includes(one)),
      );
      expect(mine.length, name).toBeGreaterThan(0);
      for (const id of servers) expect(catalogue.preset(id)?.config.id, `${name}: ${id}`).toBe(id);
      for (const place of [ask, expected]) {
        if (place === null) continue;
        const lines = (files[place.file] ?? "").split("\n");
        expect(lines[place.line - 1]?.length, `${name}: ${place.file}`).toBeGreaterThanOrEqual(
          place.character - 1,
        );
        expect(place.line > 1 || place.character > 1 || lines[0] !== "", name).toBe(true);
      }
      if (broken !== null) expect(files, name).toHaveProperty([broken.file]);
    }
  });

  it("are found by server first, then by language", () => {
    const nameFor = (id: string) => {
      const preset = catalogue.preset(id)?.config;
      return preset && sampleFor(preset)?.name;
    };
    expect(["deno", "vtsls", "biome", "jedi-language-server"].map(nameFor)).toEqual([
      "deno",
      "typescript",
      "biome",
      "python",
    ]);
  });
});

it("a transcript has no path of the workspace, also of Windows", () => {
  const { trace, text } = openTranscript("C:\\ws", []);
  trace({ side: "lsp", server: "x", direction: "sent", message: { method: "m", params: "C:\\ws\\a.ts" } });
  expect(JSON.parse(text())).toMatchObject({ message: { params: "<workspace>\\a.ts" } });
});

describe("verify", () => {
  it("prints a card of a real server, and records the session", async () => {
    const record = join(folder, "session.jsonl");
    const { code, stdout } = await runHere(["verify", "tsc", "--json", "--record", record], { cwd: folder });
    const card = JSON.parse(stdout);
    expect({ code, server: card.server, ok: card.ok }).toEqual({ code: 0, server: "typescript", ok: true });
    expect(
      card.probes.map(({ probe, outcome }: { probe: string; outcome: string }) => [probe, outcome]),
    ).toEqual([
      ["definition", "right"],
      ["references", "right"],
      ["hover", "right"],
      ["symbols", "right"],
      ["completion", "answered"],
      ["diagnostics", "right"],
    ]);
    expect(card.features).toContain("call_hierarchy");
    const text = readFileSync(record, "utf8");
    expect(text).toContain('"method":"textDocument/definition"');
    expect(text).toContain("<workspace-uri>/b.ts");
    expect(text).not.toContain("lsp-proxy-verify-");
  }, 60_000);

  it.each([
    "pyright",
    "bash-language-server",
    "yaml-language-server",
    "vscode-css-language-server",
    "vscode-html-language-server",
    "vscode-json-language-server",
  ])(
    "%s gives no wrong answer",
    async (id) => {
      const { code, stdout } = await runHere(["verify", id, "--json"], { cwd: folder });
      const { ok, probes } = JSON.parse(stdout);
      const outcomes = probes.map(({ outcome }: { outcome: string }) => outcome);
      expect({ code, ok }, JSON.stringify(probes)).toEqual({ code: 0, ok: true });
      expect(outcomes).toContain(id === "vscode-json-language-server" ? "answered" : "right");
    },
    120_000,
  );

  it("reports a missing program, and accepts another name for it", async () => {
    const bare = { cwd: folder, env: { PATH: folder } };
    const { code, stderr } = await runHere(["verify", "gopls"], bare);
    expect(code).toBe(1);
    expect(stderr).toMatch(/`gopls` is not installed: \S+/);
    expect((await runHere(["verify", "gopls", "--command", "gopls-9"], bare)).stderr).toContain("`gopls-9`");
    expect((await runHere(["verify", "goplz"], bare)).stderr).toContain("did you mean `gopls`?");
    expect((await runHere(["verify", "agda_ls"], bare)).stderr).toContain("no sample project for `als`");
  });
});

describe("recorded servers answer as they did", () => {
  it.each(readdirSync(transcripts))(
    "%s",
    async (name) => {
      const id = basename(name, ".jsonl");
      const preset = catalogue.preset(id)?.config;
      const sample = preset && sampleFor(preset);
      if (!sample) throw new Error(`no sample for ${id}`);
      writeSample(sample, folder, undefined);
      const io = {
        stdin: process.stdin,
        stdout: process.stdout,
        stderr: process.stderr,
        env: testEnvironment(),
        cwd: folder,
      };
      const server = { id, kind: id, command: [process.execPath, player, join(transcripts, name)], args: [] };
      const config = { allow: { commands: [process.execPath] }, servers: [server] };
      const { bundle, plan } = await compile(new Input({ workspace: folder }, [], config), io);
      const runtime = await openRuntime(await loadBundle({ bundle }, {}), {
        ...{
          base: folder,
          env: io.env,
          log: () => undefined,
          ownFiles: [],
          binFolders: [],
          avoid: [],
          // The sample is ours, as it is for `verify`: a recorded server runs in it and takes its paths from there.
          trusted: [folder],
          version: "0",
          stateFolder: join(folder, "state"),
        },
      });
      try {
        const results = await runProbes(runtime.openSession(), plan, sample, AbortSignal.timeout(60_000));
        expect(results.find(({ probe }) => probe === "definition")?.outcome).toBe("right");
        for (const { probe, outcome } of results)
          expect(
            ["right", "answered", "not asked", "not offered", "empty"],
            `${probe} was ${outcome}`,
          ).toContain(outcome);
        expect(results.filter(({ outcome }) => outcome === "empty").length).toBeLessThan(2);
      } finally {
        await runtime.close();
      }
    },
    60_000,
  );

  it("without paths of the machine that recorded them", () => {
    for (const name of readdirSync(transcripts)) {
      const text = readFileSync(join(transcripts, name), "utf8");
      expect(text, name).not.toContain(repository);
      expect(text, name).not.toMatch(/\/(home|root|Users)\//);
    }
    expect(existsSync(player)).toBe(true);
  });
});
