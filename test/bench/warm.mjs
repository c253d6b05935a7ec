/** Calls to a server that is up and has read everything: the program against the same requests sent raw, turn by turn. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { byLength, compared, interleave, inWords, timed } from "./figures.mjs";
import { placesIn, referencesParams, somePlacesIn } from "./places.mjs";
import { atRest } from "./process.mjs";
import { openProxy, ourCalls, StdioClient } from "./proxy.mjs";
import { RawServer } from "./raw.mjs";

export const title = "Warm calls, against the language server itself";

/** Added ≤ 2 ms; where a call takes 10 ms and more, ≤ 1.10 ×. */
const near = {
  text: "≤ +2 ms; from 10 ms on ≤ 1.10 ×:",
  met: (row) => {
    const { added, ratio } = byLength(row, 10);
    return (added?.p50 ?? 0) <= 2 && (ratio?.p50 ?? 0) <= 1.1;
  },
  seen: (row) => {
    const { added, ratio } = byLength(row, 10);
    return [
      ...(added === undefined ? [] : [addedWords(added)]),
      ...(ratio === undefined ? [] : [ratioWords(ratio)]),
    ].join(", ");
  },
};

/** The first calls of a kind in a fresh session, which is what agents really make. */
const nearAtFirst = {
  text: "≤ +3 ms",
  met: ({ added }) => added.p50 <= 3,
};

/** Of the largest files alone: those that take 10 ms and more. What is added to calls of a kind is judged by files of all sizes. */
const nearIfLong = {
  text: "from 10 ms on ≤ 1.10 ×:",
  met: (row) => {
    const { ratio } = byLength(row, 10);
    return ratio === undefined ? undefined : ratio.p50 <= 1.1;
  },
  seen: (row) => {
    const { ratio } = byLength(row, 10);
    return ratio === undefined ? "too few" : ratioWords(ratio);
  },
};

function addedWords(added) {
  return `${added.p50 < 0 ? "" : "+"}${inWords(added)}`;
}

function ratioWords(ratio) {
  return `${inWords(ratio)} ×`;
}

const bridge = fileURLToPath(new URL("bridge.mjs", import.meta.url));
const patienceMs = 30_000;
const mostFiles = 40;
/** V8 has compiled most of a kind's code after so many calls. */
const enoughWarmup = 250;
/** So many of them are told of. */
const firstCalls = 50;
const ofFile = "document symbols";
/** The question is a name alone, which several places may have. */
const ofName = "workspace symbols";
/** Sizes of a page that hold all symbols of a generated file. */
const wholeFile = { from: 150, to: 200 };
/** About the size of a page that nobody asks a size for. */
const usualPage = { from: 76, to: 101 };

/** All that was measured in several runs, each with programs of its own: a minute of the machine is slow or quick for all of it. */
export async function run({ rounds, runs, workspaces }) {
  const all = new Map();
  for (let run = 0; run < runs; run++)
    for (const workspace of workspaces) {
      if (runs > 1) console.error(`${workspace.name}: run ${run + 1} of ${runs}`);
      for (const { what, ours, base, target } of await measure(workspace, rounds)) {
        // A project may be too small for a question that was not asked before.
        if (ours.length === 0) continue;
        const name = `${workspace.name}: ${what}`;
        const known = all.get(name) ?? { ours: [], base: [], target };
        known.ours.push(...ours);
        known.base.push(...base);
        all.set(name, known);
      }
    }
  return [...all].map(([name, { ours, base, target }]) => compared(name, ours, base, target, runs));
}

async function measure(workspace, rounds) {
  const { folder, bundle, files, server } = workspace;
  const chosen = ofAllSizes(files);
  const largest = files.slice(0, mostFiles);
  const left = files.filter((path) => !chosen.includes(path)).slice(0, mostFiles);
  // Another server finds the places: the measured ones both begin with code that is not compiled yet.
  const finder = await new RawServer(server, folder).open();
  const places = await placesIn(finder, workspace, chosen);
  const others = await somePlacesIn(finder, workspace, left, enoughWarmup);
  await finder.close();
  const raw = await new RawServer(server, folder).open();
  const proxy = await openProxy(["--bundle", bundle, "--workspace", folder]);
  const shown = [...new Set([...chosen, ...largest, ...others.map(({ path }) => path)])];
  const raws = rawCalls(raw, server);
  const ours = ourCalls(proxy);
  // No question is asked twice: each place once, other places only to warm up, and the symbols of each file with several page
  // sizes. The symbols of a generated file fit in all of them; those of a project's largest files fill the page.
  const kind = (call, asked, others, name = call, target = near) => {
    // Where there are too few others, a quarter of what could be measured warms up.
    const warmup = Math.min(enoughWarmup, Math.max(others, Math.floor(asked.length / 4)));
    const by = (calls) => (round) => timed(() => calls[call](asked[round]));
    return { name, target, by, warmup, count: Math.min(rounds, asked.length - warmup) };
  };
  const symbolsOf = (some, sizes, ...words) => {
    const pages = Array.from({ length: sizes.to - sizes.from }, (_, more) => sizes.from + more);
    return kind(
      ofFile,
      pages.flatMap((size) => some.map((path) => ({ path, size }))),
      0,
      ...words,
    );
  };
  const placesFor = (call) => {
    if (call !== ofName) return kind(call, [...others, ...places], others.length);
    const [first, rest] = [new Map(), new Map()];
    for (const place of others) first.set(place.name, place);
    for (const place of places) if (!first.has(place.name)) rest.set(place.name, place);
    return kind(call, [...first.values(), ...rest.values()], first.size);
  };
  const kinds = Object.keys(raws).map((call) =>
    call === ofFile ? symbolsOf(chosen, wholeFile) : placesFor(call),
  );
  if (workspace.isCopy) kinds.push(symbolsOf(largest, usualPage, `${ofFile}, the largest files`, nearIfLong));
  const rows = [];
  try {
    // Both servers open every file and answer the same question about it.
    for (const path of shown) {
      const uri = await raw.didOpen(join(folder, path), server.languageId);
      await raws.hover({ uri, line: 0, character: 0 });
      await ours.hover({ path, line: 0, character: 0 });
    }
    await atRest([raw.child.pid, proxy.pid]);
    const ways = { raw: raws, ours };
    const first = await warmUp(kinds, ways);
    for (const kind of kinds) {
      const samples = await samplesOf(kind, ways);
      rows.push({ what: kind.name, ours: samples.ours, base: samples.raw, target: kind.target });
    }
    for (const [name, { ours, raw }] of first)
      rows.push({ what: `${name}, the first ${ours.length} calls`, ours, base: raw, target: nearAtFirst });
    const again = await interleave(
      {
        raw: () => timed(() => raws.references(places[0])),
        ours: () => timed(() => ours.references(places[0])),
      },
      { rounds, warmup: 5 },
    );
    rows.push({ what: "references, the same again", ours: again.ours, base: again.raw, target: near });
    rows.push(await afterChange(raw, ours, workspace, chosen, Math.min(rounds, 30)));
  } finally {
    await proxy.close();
    await raw.close();
  }
  rows.push(...(await throughBridge(workspace, shown, kinds)));
  return rows;
}

/** Both sides are programs whose code gets quicker as it is used: the first kind shall not be the coldest. Tells what the first calls took. */
async function warmUp(kinds, ways) {
  const first = new Map();
  for (const { name, by, warmup } of kinds) {
    const samples = await interleave(timedBy(by, ways), { rounds: warmup, warmup: 0 });
    first.set(
      name,
      Object.fromEntries(Object.entries(samples).map(([way, all]) => [way, all.slice(0, firstCalls)])),
    );
  }
  return first;
}

function samplesOf({ by, warmup, count }, ways) {
  return interleave(timedBy(by, ways), { rounds: count, warmup: 0, from: warmup });
}

function timedBy(by, ways) {
  return Object.fromEntries(Object.entries(ways).map(([name, calls]) => [name, by(calls)]));
}

/**
 * What the same calls take through a bridge that does as little as can be and has no page to cut. The server beside it is a new
 * one as well: one that was asked before has the answers at hand.
 */
async function throughBridge({ server, folder }, files, kinds) {
  const { command, args, options, languageId, readyText } = server;
  const asked = { server: { command, args, options, languageId, readyText }, folder, files };
  const raw = await new RawServer(server, folder).open();
  for (const path of files) await raw.didOpen(join(folder, path), languageId);
  const client = new StdioClient(process.execPath, [bridge, JSON.stringify(asked)]);
  const through = {
    folder,
    didOpen: (path) => raw.didOpen(path, languageId),
    request: (method, params) => client.call(method, params),
  };
  try {
    await client.open();
    const ways = { raw: rawCalls(raw, server), bare: rawCalls(through, server) };
    await atRest([raw.child.pid, client.pid]);
    await warmUp(kinds, ways);
    const rows = [];
    for (const kind of kinds) {
      const samples = await samplesOf(kind, ways);
      rows.push({ what: `${kind.name}, through as little as can be`, ours: samples.bare, base: samples.raw });
    }
    return rows;
  } finally {
    await client.close();
    await raw.close();
  }
}

/** Some of the files, from the largest to the smallest. */
function ofAllSizes(files) {
  const count = Math.min(mostFiles, files.length);
  return Array.from({ length: count }, (_, index) => files[Math.floor((index * files.length) / count)]);
}

function rawCalls(raw, server) {
  const position = ({ uri, line, character }) => ({
    textDocument: { uri },
    position: { line, character },
  });
  return {
    definition: (place) => raw.request("textDocument/definition", position(place)),
    hover: (place) => raw.request("textDocument/hover", position(place)),
    references: (place) => raw.request("textDocument/references", referencesParams(place)),
    [ofFile]: async ({ path }) => {
      const uri = await raw.didOpen(join(raw.folder, path), server.languageId);
      return raw.request("textDocument/documentSymbol", { textDocument: { uri } });
    },
    [ofName]: ({ name }) => raw.request("workspace/symbol", { query: name }),
  };
}

/**
 * A file changes; when all is known that is wrong with its new text: an error of types, and a name that nobody uses. Raw
 * knows beforehand what is to be found, and stops at the first word that has both; ours has to find out that it is all.
 */
async function afterChange(raw, ours, { folder, server }, files, rounds) {
  // The smallest: what is wrong with it before is on the same page.
  const path = files.at(-1);
  const absolute = join(folder, path);
  const text = readFileSync(absolute, "utf8");
  const changed = (round, who) => `${text}\n${server.mistakes.text(`${who}${round}`)}\n`;
  const isAll = (items) =>
    server.mistakes.codes.every((code) => items.some((item) => String(item.code) === code));
  const samples = await interleave(
    {
      raw: (round) =>
        timed(async () => {
          let heard = raw.nextDiagnostics(absolute);
          await raw.didChange(absolute, changed(round, "raw"));
          const patience = performance.now() + patienceMs;
          while (!isAll((await heard).diagnostics)) {
            if (performance.now() > patience) throw new Error("the server does not say all that is wrong");
            heard = raw.nextDiagnostics(absolute);
          }
        }),
      ours: (round) =>
        timed(async () => {
          writeFileSync(absolute, changed(round, "ours"));
          const { structuredContent } = await ours.diagnostics({ path });
          if (!isAll(structuredContent.diagnostics)) throw new Error("what is wrong was not found");
        }),
    },
    { rounds, warmup: 2 },
  );
  writeFileSync(absolute, text);
  await raw.didChange(absolute, text);
  return {
    what: "diagnostics after a change, all of them",
    ours: samples.ours,
    base: samples.raw,
    target: near,
  };
}
