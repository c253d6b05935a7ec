/**
 * `serve --shared` against private sessions: the first answer of a second session, the memory of many, what the relay adds to
 * a call, and a storm: twenty sessions read and edit while their hub is killed again and again.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { alone, compared, interleave, timed } from "./figures.mjs";
import { placesIn } from "./places.mjs";
import { environment, openProxy, ourCalls, program, StdioClient } from "./proxy.mjs";
import { RawServer } from "./raw.mjs";
import { scripted } from "./scripted.mjs";
import { scratch } from "./workspace.mjs";

export const title = "One hub for many sessions, against private ones";

/** Fewer calls say nothing about so little. */
const RELAY_ROUNDS = 600;
const copierFile = fileURLToPath(new URL("copier.mjs", import.meta.url));
const STORM_SESSIONS = 20;
const KILL_EVERY_MS = 10_000;
/** How long a hub, or a server, may take to be gone. */
const END_MS = 30_000;

export async function run({ rounds, workspaces }) {
  const hubs = scratch("hubs");
  mkdirSync(join(hubs, "run"), { mode: 0o700 });
  const own = { XDG_RUNTIME_DIR: join(hubs, "run"), XDG_STATE_HOME: join(hubs, "state"), TMPDIR: hubs };
  const env = { ...environment(), ...own };
  const user = { env, mark: `${hubs}/` };
  const rows = [];
  try {
    for (const workspace of workspaces) rows.push(...(await sessionRows(workspace, user, rounds)));
    rows.push(...(await stormRows(user, rounds)));
  } finally {
    stopHubs(user);
  }
  return rows;
}

function stopHubs({ env }) {
  execFileSync(process.execPath, [program, "hub", "stop", "--all"], { env, stdio: "ignore" });
}

function hubPids({ env }) {
  const listed = execFileSync(process.execPath, [program, "hub", "--json"], { env }).toString();
  return JSON.parse(listed).hubs.map(({ pid }) => pid);
}

/** Everything that was started for the user, by the environment. */
function processes({ mark }) {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, "utf8").includes(mark);
    } catch {
      return false;
    }
  });
}

/** Megabytes that a process takes: `Pss` is its own pages and its part of those that it shares with others, `Rss` is all. */
function megabytes(pid, kind = "Pss") {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  return Number(new RegExp(`^${kind}:\\s+(\\d+)`, "m").exec(text)?.[1]) / 1024;
}

/** What Node itself takes, for a program that does nothing but wait for input. */
async function bareNode() {
  const script = "process.stdin.once('data', () => undefined); console.log();";
  const child = spawn(process.execPath, ["-e", script], { stdio: ["pipe", "pipe", "ignore"] });
  await once(child.stdout, "data");
  await wait(500);
  const taken = { resident: megabytes(child.pid, "Rss"), proportional: megabytes(child.pid) };
  child.kill();
  return taken;
}

async function sessionRows(workspace, user, rounds) {
  const { name, configFile, folder, server, files } = workspace;
  const { env } = user;
  const words = ["--config", configFile];
  const finder = await new RawServer(server, folder).open();
  const [place] = await placesIn(finder, workspace, files.slice(0, 1));
  await finder.close();
  const open = async (shared) => {
    const proxy = await openProxy([...(shared ? ["--shared"] : []), ...words], { env });
    return { proxy, ask: ourCalls(proxy) };
  };
  /** From the start of the process. The answer must be the right one: the place is a declaration. */
  const firstAnswer = async (shared) => {
    const began = performance.now();
    const { proxy, ask } = await open(shared);
    const { structuredContent } = await ask.definition(place);
    const whole = performance.now() - began;
    const found = JSON.stringify(structuredContent);
    if (!found.includes(`"path":"${place.path}","line":${place.line + 1},`))
      throw new Error(`a wrong answer: ${found}`);
    return { proxy, whole };
  };
  const cold = await firstAnswer(false);
  // It stays, so that the hub has a session.
  const first = await firstAnswer(true);
  const seconds = [];
  for (let round = 0; round < 7; round++) {
    const node = await timed(() => once(spawn(process.execPath, ["-e", "0"], { stdio: "ignore" }), "exit"));
    const { proxy, whole } = await firstAnswer(true);
    seconds.push(whole - node);
    await proxy.close();
  }
  // Two private sessions differ by a part of a millisecond, like their servers: the base is the mean of one before and one after.
  const [before, one, after] = [await open(false), await open(true), await open(false)];
  const hover = ({ ask }) => timed(() => ask.hover(place));
  const copier = new StdioClient(process.execPath, [copierFile, program, "serve", ...words], { env });
  await copier.open();
  const copied = { proxy: copier, ask: ourCalls(copier) };
  for (const session of [before, one, after, copied]) await hover(session);
  const samples = await interleave(
    {
      before: () => hover(before),
      shared: () => hover(one),
      after: () => hover(after),
      copied: () => hover(copied),
    },
    { rounds: Math.max(rounds, RELAY_ROUNDS), warmup: 50 },
  );
  const own = samples.before.map((value, index) => (value + samples.after[index]) / 2);
  const most = (limit, unit) => ({ text: `≤ ${limit} ${unit}`, met: (row) => row.value <= limit });
  const rows = [
    alone(`${name}: first answer of a private session`, cold.whole, "ms"),
    alone(
      `${name}: first answer of a further session, less the start of Node`,
      seconds.sort((a, b) => a - b)[3],
      "ms",
      most(400, "ms"),
    ),
    compared(`${name}: hover through the relay`, samples.shared, own, {
      text: "+ ≤ 0.5 ms",
      met: (row) => row.added.p50 <= 0.5,
    }),
    compared(`${name}: hover through a process that only copies bytes`, samples.copied, own),
  ];
  for (const { proxy } of [before, after, copied, cold]) await proxy.close();
  const sessions = [one.proxy];
  await first.proxy.close();
  const memoryOfAll = () => Math.round(processes(user).reduce((sum, pid) => sum + megabytes(pid), 0));
  let shared = 0;
  for (const count of [1, 5, 20]) {
    while (sessions.length < count) {
      const { proxy, ask } = await open(true);
      await ask.definition(place);
      sessions.push(proxy);
    }
    const thin = sessions.map(({ pid }) => megabytes(pid));
    // The hub and one set of servers, however many sessions there are.
    const others = processes(user).length - count;
    if (count === 1) shared = others;
    const resident = Math.max(...sessions.map(({ pid }) => megabytes(pid, "Rss")));
    const what = `memory of a thin process of ${count}`;
    rows.push(
      alone(`${name}: ${what}, proportional`, Math.max(...thin), "MB", most(40, "MB")),
      alone(`${name}: ${what}, resident`, resident, "MB"),
      alone(`${name}: memory of all, ${count} sessions, proportional`, memoryOfAll(), "MB"),
      alone(`${name}: processes of the hub and its servers, ${count} sessions`, others, "processes", {
        text: "as for 1",
        met: (row) => row.value === shared,
      }),
    );
  }
  const bare = await bareNode();
  rows.push(
    alone("Node that only waits for input, proportional", bare.proportional, "MB"),
    alone("Node that only waits for input, resident", bare.resident, "MB"),
  );
  await Promise.all(sessions.map((proxy) => proxy.close()));
  stopHubs(user);
  const privates = [];
  for (const count of [1, 5]) {
    while (privates.length < count) privates.push((await firstAnswer(false)).proxy);
    rows.push(alone(`${name}: memory of all, ${count} private sessions`, memoryOfAll(), "MB"));
  }
  await Promise.all(privates.map((proxy) => proxy.close()));
  return rows;
}

/** Reads and edits of many sessions for so many seconds, with kills: what was lost, wrong or left. */
async function stormRows(user, seconds) {
  const { folder, configFile } = scripted({
    files: { "a.fake": "word\n" },
    mcp: "",
    capabilities: { hoverProvider: true, referencesProvider: true },
    replies: () => ({
      "textDocument/hover": { contents: "here" },
      "textDocument/references": { $find: "word", as: "locations" },
    }),
  });
  const text = readFileSync(configFile, "utf8");
  writeFileSync(
    configFile,
    `extends = ["tools/core", "tools/files"]\n${text.replace("[allow]", '[allow]\neffects = ["read", "edit"]')}`,
  );
  const seen = { calls: 0, lost: 0, refused: 0, edits: 0, stale: 0, torn: 0, interrupted: 0, kills: 0 };
  const words = ["serve", "--shared", "--config", configFile];
  const clients = Array.from(
    { length: STORM_SESSIONS },
    () => new StdioClient(process.execPath, [program, ...words], { env: user.env }),
  );
  await Promise.all(clients.map((client) => client.open()));
  const end = performance.now() + seconds * 1000;
  let count = 1;
  const writer = (async () => {
    while (performance.now() < end) {
      await wait(700);
      // At once: a file that is truncated first has no words for a moment, which is a right answer too.
      writeFileSync(join(folder, "next"), "word\n".repeat((count % 50) + 1));
      renameSync(join(folder, "next"), join(folder, "a.fake"));
      count++;
    }
  })();
  const killer = (async () => {
    while (performance.now() + KILL_EVERY_MS < end) {
      await wait(KILL_EVERY_MS);
      for (const pid of hubPids(user)) process.kill(pid, "SIGKILL");
      seen.kills++;
    }
  })();
  await Promise.all([writer, killer, ...clients.map((client, index) => storm(client, index))]);

  async function storm(client, index) {
    for (let round = 0; performance.now() < end; round++) {
      seen.calls++;
      try {
        if (round % 20 === 19) await makeFile(client, `made-${index}-${round}.txt`);
        else if (round % 2 === 0) await read(client, "get_hover");
        else await countWords(client);
      } catch {
        seen.lost++;
      }
      await wait(20);
    }
  }

  /** A call that only reads is answered, whatever happens to the hub. */
  async function read(client, tool, more = {}) {
    const place = { file_path: "a.fake", line: 1, character: 1 };
    const { structuredContent: answer } = await client.call(tool, { ...place, ...more });
    if (!answer.ok) {
      seen.refused++;
      console.error("refused:", tool, answer.error);
    }
    return answer;
  }

  /** The number of words must be one that the file had while the question was open. */
  async function countWords(client) {
    const before = count;
    const answer = await read(client, "find_references", { page_size: 1 });
    const possible = Array.from({ length: count - before + 2 }, (_, n) => ((before - 1 + n) % 50) + 1);
    if (!answer.ok || possible.includes(answer.total)) return;
    seen.stale++;
    console.error("stale:", { total: answer.total, possible });
  }

  /** A file that was made is there; one whose making was refused is there as a whole or not at all. */
  async function makeFile(client, name) {
    const content = "made\n".repeat(200);
    const given = { file_path: name, content, dry_run: false };
    const { structuredContent: answer } = await client.call("create_file", given);
    seen.edits++;
    const path = join(folder, name);
    const isThere = existsSync(path);
    if (answer.error?.code === "call/interrupted") seen.interrupted++;
    if ((answer.ok && !isThere) || (isThere && readFileSync(path, "utf8") !== content)) seen.torn++;
  }

  const closed = clients.filter(({ child }) => child.exitCode !== null).length;
  const statuses = await Promise.all(clients.map((client) => client.call("get_server_status", {})));
  const unshared = statuses.filter((status) => JSON.stringify(status).includes("answer/not-shared")).length;
  await Promise.all(clients.map((client) => client.close()));
  stopHubs(user);
  for (let waited = 0; waited < END_MS && processes(user).length > 0; waited += 100) await wait(100);
  const none = { text: "0", met: (row) => row.value === 0 };
  const what = `${STORM_SESSIONS} sessions, ${seconds} s, ${seen.kills} kills`;
  return [
    alone(`${what}: calls`, seen.calls, "calls"),
    alone(`${what}: edits`, seen.edits, "calls"),
    alone(`${what}: edits refused as interrupted`, seen.interrupted, "calls"),
    alone(`${what}: reads refused`, seen.refused, "calls", none),
    alone(`${what}: lost`, seen.lost, "calls", none),
    alone(`${what}: stale answers`, seen.stale, "answers", none),
    alone(`${what}: torn or missing edits`, seen.torn, "files", none),
    alone(`${what}: clients that saw an end`, closed, "clients", none),
    alone(`${what}: sessions that share no hub at the end`, unshared, "sessions", none),
    alone(`${what}: processes left`, processes(user).length, "processes", none),
  ];
}
