/** Huge answers: the first page against the raw answer, a further page, and what the program holds at its most. */
import { readFileSync } from "node:fs";
import { alone, compared, interleave, timed } from "./figures.mjs";
import { cpuBelowMs, cpuMs } from "./process.mjs";
import { openProxy } from "./proxy.mjs";
import { RawServer } from "./raw.mjs";
import { scripted, span } from "./scripted.mjs";

export const title = "Huge answers, against the scripted server itself";

const rounds = { rounds: 5, warmup: 1 };

/** What is asked for, and of how many: a tenth of them first, to see how the time grows. */
const listings = { references: 100_000, symbols: 50_000, diagnostics: 5_000 };

export async function run() {
  const rows = [];
  for (const [name, count] of Object.entries(listings)) {
    const few = await measured(scenarios[name](count / 10));
    const many = await measured(scenarios[name](count));
    const growth = many[0].ours.p50 / (10 * few[0].ours.p50);
    const what = `${many[0].what.split(":")[0]}: against ten times that of ${count / 10}`;
    rows.push(...few, ...many, alone(what, growth, "×", near));
  }
  return rows;
}

const near = { text: "≤ 1.5 ×", met: ({ value }) => value <= 1.5 };

/** Only references have a bound: diagnostics of thousands of files are judged file by file, which raw does not do. */
const twice = { text: "≤ 2 ×", met: ({ ratio }) => ratio <= 2 };

/** The program with its room to work in, a reply as text and taken apart, and what is known of each file. */
function bounded(replyMb, files) {
  const most = 110 + 20 * replyMb + (5 * files) / 1024;
  const text = `≤ 110 MB + 20 × ${replyMb.toFixed(1)} + 5 KB × ${files} files`;
  return { text, met: ({ value }) => value <= most };
}

const scenarios = { references, symbols, diagnostics };

function references(count) {
  const perFile = 1000;
  const lines = Array.from({ length: perFile }, (_, line) => `name${line} = target`).join("\n");
  const names = Array.from({ length: count / perFile }, (_, n) => `f${n}.fake`);
  const place = (root, n) => ({
    uri: `${root}/f${Math.floor(n / perFile)}.fake`,
    range: span(n % perFile),
  });
  return {
    what: `references, ${count}`,
    files: Object.fromEntries(names.map((name) => [name, lines])),
    capabilities: { referencesProvider: true },
    replies: (root) => ({
      "textDocument/references": Array.from({ length: count }, (_, n) => place(root, n)),
    }),
    raw: (raw, uri, round) =>
      raw.request("textDocument/references", {
        textDocument: { uri },
        position: { line: round, character: 0 },
        context: { includeDeclaration: true },
      }),
    firstPage: count >= 100_000 ? twice : undefined,
    tool: "find_references",
    args: (round) => ({ file_path: "f0.fake", line: round + 1, character: 1, page_size: 100 }),
  };
}

function symbols(count) {
  const lines = Array.from({ length: count }, (_, line) => `name${line} = target`);
  return {
    what: `document symbols of ${count} lines`,
    files: { "f0.fake": lines.join("\n") },
    capabilities: { documentSymbolProvider: true },
    replies: () => ({
      "textDocument/documentSymbol": lines.map((_, n) => ({
        ...{ name: `name${n}`, kind: 13 },
        ...{ range: span(n), selectionRange: span(n) },
      })),
    }),
    raw: (raw, uri) => raw.request("textDocument/documentSymbol", { textDocument: { uri } }),
    tool: "get_document_symbols",
    args: (round) => ({ file_path: "f0.fake", page_size: 100 - round }),
  };
}

function diagnostics(count) {
  const report = (root, n) => ({
    ...{ kind: "full", uri: `${root}/f${n}.fake`, version: null },
    items: [{ range: span(0), severity: 1, message: `Problem ${n}`, source: "scripted" }],
  });
  const names = Array.from({ length: count }, (_, n) => `f${n}.fake`);
  return {
    what: `diagnostics of ${count} files`,
    files: Object.fromEntries(names.map((name) => [name, "name = target\n"])),
    capabilities: { diagnosticProvider: { interFileDependencies: true, workspaceDiagnostics: true } },
    mcp: '[mcp]\ncontext = "full"',
    replies: (root) => ({
      "workspace/diagnostic": { items: names.map((_, n) => report(root, n)) },
      "textDocument/diagnostic": { kind: "full", items: [] },
    }),
    raw: (raw) => raw.request("workspace/diagnostic", { previousResultIds: [] }),
    tool: "get_workspace_diagnostics",
    args: (round) => ({ page_size: 100 - round }),
  };
}

async function measured({ what, raw: askRaw, tool, args, firstPage, ...scenario }) {
  const { folder, bundle, server } = scripted(scenario);
  const raw = await new RawServer(server, folder).open();
  const uri = await raw.didOpen(`${folder}/f0.fake`, server.languageId);
  const replyMb = Buffer.byteLength(JSON.stringify(await askRaw(raw, uri, 0))) / 2 ** 20;
  const proxy = await openProxy(["--bundle", bundle, "--workspace", folder]);
  let last;
  // The server's own part is in both: what is left is the parsing of its message.
  const spent = {
    raw: () => cpuMs(process.pid) + cpuMs(raw.child.pid),
    ours: () => cpuMs(proxy.pid) + cpuBelowMs(proxy.pid),
  };
  const cpu = { raw: [], ours: [] };
  const measure = async (way, action) => {
    const before = spent[way]();
    const wall = await timed(action);
    cpu[way].push(spent[way]() - before);
    return wall;
  };
  try {
    const samples = await interleave(
      {
        raw: (round) => measure("raw", () => askRaw(raw, uri, round)),
        ours: (round) =>
          measure("ours", async () => {
            last = await proxy.call(tool, args(round));
            if (last.isError) throw new Error(last.structuredContent.error.message);
          }),
      },
      rounds,
    );
    const rows = [
      compared(`${what}: first page`, samples.ours, samples.raw, firstPage),
      compared(
        `${what}: processor time, with the server's`,
        cpu.ours.slice(rounds.warmup),
        cpu.raw.slice(rounds.warmup),
      ),
    ];
    const { next_cursor: cursor, total } = last.structuredContent;
    if (cursor !== undefined) {
      const page = await timed(() => proxy.call(tool, { ...args(rounds.rounds), cursor }));
      rows.push(alone(`${what}: next page`, page, "ms"));
    }
    if (total !== undefined) rows.push(alone(`${what}: told as total`, total, "items"));
    const files = Object.keys(scenario.files).length;
    rows.push(alone(`${what}: most memory`, peakMb(proxy.pid), "MB", bounded(replyMb, files)));
    return rows;
  } finally {
    await proxy.close();
    await raw.close();
  }
}

function peakMb(pid) {
  const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1024;
}
