/** Early answers of a loading server are asked for again, later ones are not delayed, and progress reaches the caller. */
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { Json } from "../../src/base/json.js";
import { ReadinessState } from "../../src/lsp/readiness.js";
import { act, ask, received, scenarios, session, signal, until, write } from "./support.js";

const definition = "textDocument/definition";
const offers = { definitionProvider: true, hoverProvider: true, documentSymbolProvider: true };
const retryEmpty = { attempts: 3, delayMs: 20, while: "not_ready" as const };

const serverStatus = {
  progress: true,
  notification: "experimental/serverStatus",
  field: "/quiescent",
  text: [],
  atOnce: false,
  eachFolder: false,
};

function progress(kind: string, more: { [key: string]: Json } = {}) {
  return { notify: "$/progress", params: { token: 0, value: { kind, ...more } } };
}

test("the waits between tries grow up to their maximum", async () => {
  const { server } = await session({
    capabilities: { definitionProvider: true },
    replies: { [definition]: [] },
  });
  const growing = { attempts: 5, delayMs: 100, maxDelayMs: 300, while: "always" as const };
  await server.request(definition, {}, { signal: signal(), retryEmpty: growing });
  const { value } = await server.request("fake/arrivals", { method: definition }, { signal: signal() });
  const times = value as number[];
  const waits = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  expect(waits).toHaveLength(4);
  // Timers may fire a little early, never much.
  for (const [index, least] of [100, 200, 300, 300].entries())
    expect(waits[index]).toBeGreaterThan(least - 20);
});

test("an answer while the server is indexing is held, and asked for again when it has finished", async () => {
  const { server } = await session({
    capabilities: offers,
    replies: { [definition]: { $each: ["import line", "the truth"] } },
    on: { initialized: [progress("begin", { title: "indexing" })] },
  });
  await until(() => server.readiness === "indexing");
  const reply = server.request(definition, {}, { signal: signal() });
  await until(async () => (await received(server, definition)).length === 1);
  await act(server, progress("end"));
  expect(await reply).toEqual({ value: "the truth", readiness: "ready" });
});

test("progress that begins while the answer is under way counts as well", async () => {
  const { server } = await session({
    capabilities: offers,
    replies: { [definition]: { $each: ["import line", "the truth"] } },
    on: { [definition]: [{ ...progress("begin", { title: "indexing" }), once: join(scenarios(), "begun") }] },
  });
  const reply = server.request(definition, {}, { signal: signal() });
  await until(() => server.readiness === "indexing");
  await act(server, progress("end"));
  expect(await reply).toEqual({ value: "the truth", readiness: "ready" });
});

test("progress that begins with every question is the question's own, and does not make it be asked for ever", async () => {
  const own = [progress("begin", { title: "finding references" }), { reply: ["here"] }, progress("end")];
  const { server } = await session({ capabilities: offers, on: { [definition]: own } });
  const reply = await server.request(definition, {}, { signal: signal() });
  expect(reply).toEqual({ value: ["here"], readiness: "ready" });
  expect(await received(server, definition)).toHaveLength(2);
});

test("a server that begins some work after each answer is not asked for ever", async () => {
  const work = (kind: string) => ({
    notify: "$/progress",
    params: { token: 1, value: { kind, title: "x" } },
  });
  const { server } = await session({
    capabilities: offers,
    on: {
      initialized: [work("begin")],
      [definition]: [{ reply: ["here"] }, work("end"), work("begin")],
    },
  });
  await until(() => server.readiness === "indexing");
  const reply = await server.request(definition, {}, { signal: signal(), timeoutMs: 20_000 });
  expect(reply).toEqual({ value: ["here"], readiness: "indexing" });
  expect((await received(server, definition)).length).toBeLessThan(12);
});

test("the progress of another call that is under way holds nothing up", async () => {
  const go = join(scenarios(), "go");
  const { server, pool } = await session({
    capabilities: offers,
    replies: { "textDocument/hover": "x" },
    on: {
      [definition]: [
        progress("begin", { title: "finding" }),
        { waitFile: go },
        progress("end"),
        { reply: [1] },
      ],
    },
  });
  const slow = server.request(definition, {}, { signal: signal() });
  await until(() => pool.status()[0]?.progress === "finding");
  expect(await server.request("textDocument/hover", {}, { signal: signal() })).toMatchObject({ value: "x" });
  expect(await received(server, "textDocument/hover")).toHaveLength(1);
  write(go, "");
  expect(await slow).toMatchObject({ value: [1] });
});

test("progress that never ends is waited for once, and reported every time", async () => {
  const { server } = await session({
    capabilities: offers,
    replies: { [definition]: "early" },
    on: { initialized: [progress("begin", { title: "indexing" })] },
  });
  await until(() => server.readiness === "indexing");
  const early = { value: "early", readiness: "indexing" };
  const look = (timeoutMs: number) => server.request(definition, {}, { signal: signal(), timeoutMs });
  expect(await look(6_000)).toEqual(early);
  const start = performance.now();
  expect(await look(5_000)).toEqual(early);
  expect(performance.now() - start).toBeLessThan(4_000);
  // It moved: there is something to wait for again.
  await act(server, progress("report", { percentage: 50 }));
  const later = look(60_000);
  await act(server, progress("end"));
  expect(await later).toEqual({ value: "early", readiness: "ready" });
});

test("a status that stays busy is waited for once, until the server sends another signal", () => {
  const state = new ReadinessState(serverStatus);
  const tell = () => state.notified("experimental/serverStatus", { quiescent: false });
  state.initialized();
  tell();
  expect(state.mustWait(1_000)).toBe(true);
  state.waitedInVain(1_000);
  expect([state.mustWait(1_000), state.mustWait(5_000), state.now]).toEqual([false, true, "indexing"]);
  tell();
  expect(state.mustWait(1_000)).toBe(true);
});

test("at the deadline the answer in hand is given, with the truth about it", async () => {
  const { server } = await session({
    capabilities: offers,
    replies: { [definition]: "early" },
    on: { initialized: [progress("begin", { title: "indexing" })] },
  });
  await until(() => server.readiness === "indexing");
  const reply = await server.request(definition, {}, { signal: signal(), timeoutMs: 2_000 });
  expect(reply).toEqual({ value: "early", readiness: "indexing" });
});

test("an answer about one file's own text is not held, and is complete without the index", async () => {
  const { server } = await session({
    capabilities: offers,
    replies: { "textDocument/documentSymbol": [{ name: "x" }] },
    on: { initialized: [progress("begin", { title: "indexing" })] },
  });
  await until(() => server.readiness === "indexing");
  const reply = await server.request("textDocument/documentSymbol", {}, { signal: signal() });
  expect(reply).toEqual({ value: [{ name: "x" }], readiness: "ready" });
  expect(server.readiness).toBe("indexing");
});

test("a server that dies while its answer is held fails the call at once", async () => {
  const { server } = await session({
    capabilities: offers,
    replies: { [definition]: "early" },
    on: { initialized: [progress("begin", { title: "indexing" })] },
  });
  await until(() => server.readiness === "indexing");
  const reply = server.request(definition, {}, { signal: signal() }).catch((error: unknown) => error);
  await until(async () => (await received(server, definition)).length === 1);
  await act(server, { signal: "SIGKILL" }).catch(() => undefined);
  expect(await reply).toMatchObject({ code: "lsp/exited" });
});

test("without progress an empty answer is asked for again, a few times and only once", async () => {
  const { server } = await session({ capabilities: offers, replies: { [definition]: [] } });
  expect(server.readiness).toBe("unknown");
  const first = await server.request(definition, {}, { signal: signal(), retryEmpty });
  expect(first).toEqual({ value: [], readiness: "unknown" });
  expect(await received(server, definition)).toHaveLength(3);
  await server.request(definition, {}, { signal: signal(), retryEmpty });
  expect(await received(server, definition)).toHaveLength(4);
});

test("an empty answer that fills later is returned full, and later empty ones are returned at once", async () => {
  const { server } = await session({
    capabilities: offers,
    replies: { [definition]: { $each: [null, [], ["here"], []] } },
  });
  expect(await server.request(definition, {}, { signal: signal(), retryEmpty })).toEqual({
    value: ["here"],
    readiness: "unknown",
  });
  expect((await server.request(definition, {}, { signal: signal(), retryEmpty })).value).toEqual([]);
  expect(await received(server, definition)).toHaveLength(4);
});

test("`always` asks again although the server is ready", async () => {
  const { server } = await session(
    {
      capabilities: offers,
      replies: { "textDocument/hover": "x", [definition]: { $each: [[], ["here"]] } },
    },
    {
      server: {
        ready: { progress: true, notification: null, field: null, text: [], atOnce: true, eachFolder: false },
      },
    },
  );
  await ask(server, "textDocument/hover");
  expect(server.readiness).toBe("ready");
  const always = { attempts: 2, delayMs: 5, while: "always" as const };
  expect((await server.request(definition, {}, { signal: signal(), retryEmpty: always })).value).toEqual([
    "here",
  ]);
});

test("a status notification decides, by its field, whatever progress says", async () => {
  const ready = serverStatus;
  const told = (quiescent: boolean) => ({ notify: "experimental/serverStatus", params: { quiescent } });
  const { server } = await session(
    { capabilities: offers, on: { initialized: [progress("begin", { title: "check" }), told(false)] } },
    { server: { ready } },
  );
  await until(() => server.readiness === "indexing");
  const settled = server.waitUntilReady(5_000, signal());
  await act(server, told(true));
  expect(await settled).toBe("ready");
  await act(server, told(false));
  expect(await server.waitUntilReady(30, signal())).toBe("indexing");
});

test("a server that is known to say when it is ready is asked once, when it has said so", async () => {
  const { server } = await session(
    { capabilities: offers, replies: { [definition]: { $each: ["first", "second"] } } },
    { server: { ready: { ...serverStatus, field: null }, warmupTimeoutMs: 60_000 } },
  );
  const reply = server.request(definition, {}, { signal: signal() });
  await act(server, { notify: "experimental/serverStatus", params: {} });
  expect(await reply).toEqual({ value: "first", readiness: "ready" });
  expect(await received(server, definition)).toHaveLength(1);
});

test("a question about one file's own text does not wait for the status", async () => {
  const { server } = await session(
    { capabilities: offers, replies: { "textDocument/documentSymbol": [{ name: "x" }] } },
    { server: { ready: serverStatus, warmupTimeoutMs: 600_000 } },
  );
  const reply = await server.request("textDocument/documentSymbol", {}, { signal: signal() });
  expect(reply).toEqual({ value: [{ name: "x" }], readiness: "ready" });
});

test("an answer before the first status is held until a status says ready", async () => {
  const told = (quiescent: boolean) => ({
    notify: "experimental/serverStatus",
    params: { quiescent },
    once: join(scenarios(), `told-${quiescent}`),
  });
  const { server } = await session(
    {
      capabilities: offers,
      replies: { [definition]: "true" },
      on: { [definition]: [{ reply: "early", once: join(scenarios(), "early") }, told(false), told(true)] },
    },
    { server: { ready: serverStatus, warmupTimeoutMs: 2_000 } },
  );
  const reply = await server.request(definition, {}, { signal: signal() });
  expect(reply).toEqual({ value: "true", readiness: "ready" });
});

test("an answer that was on its way when the server said that it is ready may be from before, and is asked for again", async () => {
  const told = { notify: "experimental/serverStatus", params: {}, once: join(scenarios(), "told") };
  const { server } = await session(
    {
      capabilities: offers,
      replies: { [definition]: { $each: ["early", "true"] } },
      on: { [definition]: [told] },
    },
    { server: { ready: { ...serverStatus, field: null }, warmupTimeoutMs: 100 } },
  );
  const reply = await server.request(definition, {}, { signal: signal() });
  expect(reply).toEqual({ value: "true", readiness: "ready" });
});

test("calls that wait for a status side by side use up its patience once", async () => {
  const state = new ReadinessState(serverStatus);
  state.initialized();
  const wait = (timeoutMs: number) => state.waitForStatus(timeoutMs, 100, signal());
  await Promise.all([wait(60), wait(60), wait(60)]);
  expect(state.awaitsStatus).toBe(true);
  await wait(60);
  expect(state.awaitsStatus).toBe(false);
});

test("a server that never sends the status that it is known for is waited for once", async () => {
  const { server } = await session(
    { capabilities: offers, replies: { [definition]: "said" } },
    { server: { ready: serverStatus, warmupTimeoutMs: 50 } },
  );
  expect(await server.request(definition, {}, { signal: signal() })).toMatchObject({ value: "said" });
  expect(await received(server, definition)).toHaveLength(2);
  expect(await server.request(definition, {}, { signal: signal() })).toMatchObject({ value: "said" });
  expect(await received(server, definition)).toHaveLength(3);
});

test("answers do not prove that a server without a status is ready, unless it is declared complete at once", async () => {
  const scenario = { capabilities: offers, replies: { [definition]: ["one"] } };
  const quiet = await session(scenario);
  for (let asked = 0; asked < 2; asked++)
    expect(await quiet.server.request(definition, {}, { signal: signal() })).toMatchObject({
      readiness: "unknown",
    });
  const atOnce = {
    progress: true,
    notification: null,
    field: null,
    text: [],
    atOnce: true,
    eachFolder: false,
  };
  const declared = await session(scenario, { server: { ready: atOnce } });
  expect(declared.server.readiness).toBe("unknown");
  expect(await declared.server.request(definition, {}, { signal: signal() })).toMatchObject({
    readiness: "ready",
  });
  await act(declared.server, progress("begin", { title: "reloading" }));
  expect(declared.server.readiness).toBe("indexing");
});

test("an answer about one file proves only that a server is ready which is declared complete at once", async () => {
  const method = "textDocument/documentSymbol";
  const scenario = {
    capabilities: { ...offers, documentSymbolProvider: true },
    replies: { [method]: ["one"] },
  };
  for (const [atOnce, expected] of [
    [false, "unknown"],
    [true, "ready"],
  ]) {
    const ready = {
      progress: true,
      notification: null,
      field: null,
      text: [],
      atOnce: atOnce === true,
      eachFolder: false,
    };
    const { server } = await session(scenario, { server: { ready } });
    expect(await server.request(method, {}, { signal: signal() })).toMatchObject({ readiness: "ready" });
    expect(server.readiness).toBe(expected);
  }
});

test("a status without a field says ready, and later progress holds again", async () => {
  const ready = {
    progress: true,
    notification: "custom/ready",
    field: null,
    text: [],
    atOnce: false,
    eachFolder: false,
  };
  const { server } = await session(
    { capabilities: offers, replies: { [definition]: { $each: ["early", "true"] } } },
    { server: { ready } },
  );
  await act(server, { notify: "custom/ready", params: {} });
  expect(server.readiness).toBe("ready");
  await act(server, progress("begin", { title: "reloading" }));
  expect(server.readiness).toBe("indexing");
  const reply = server.request(definition, {}, { signal: signal() });
  await until(async () => (await received(server, definition)).length === 1);
  await act(server, progress("end"));
  expect(await reply).toEqual({ value: "true", readiness: "ready" });
});

test("a declared status text means ready, and other texts do not", async () => {
  const ready = {
    progress: true,
    notification: "window/logMessage",
    field: "/message",
    text: ["source file"],
    atOnce: false,
    eachFolder: false,
  };
  const says = (message: string) => ({ notify: "window/logMessage", params: { type: 3, message } });
  const { server } = await session(
    { capabilities: offers, replies: { [definition]: "true" } },
    { server: { ready, warmupTimeoutMs: 60_000 } },
  );
  await act(server, says("Loading configuration"));
  expect(server.readiness).toBe("unknown");
  const reply = server.request(definition, {}, { signal: signal() });
  await act(server, says("Found 60 source files"), says("Loading configuration"));
  expect(await reply).toEqual({ value: "true", readiness: "ready" });
});

test("a server that says for each folder that it is ready is waited for again when it gets one more", async () => {
  const state = new ReadinessState({ ...serverStatus, field: null, eachFolder: true });
  const tell = () => state.notified("experimental/serverStatus", {});
  state.foldersAdded(1);
  state.initialized();
  tell();
  expect([state.now, state.awaitsStatus]).toEqual(["unknown", true]);
  tell();
  expect([state.now, state.awaitsStatus]).toEqual(["ready", false]);
  state.foldersAdded(1);
  expect([state.now, state.awaitsStatus]).toEqual(["unknown", true]);
  tell();
  tell();
  expect(state.now).toBe("ready");
  // One that never says so is given up anew.
  state.foldersAdded(1);
  await state.waitForStatus(10, 10, signal());
  expect([state.now, state.awaitsStatus]).toEqual(["unknown", false]);
});

test("the progress of a request, where the server reports such progress, is no evidence of an index", async () => {
  const script = (options: boolean | { workDoneProgress: boolean }) => ({
    capabilities: { definitionProvider: options },
    replies: { [definition]: "found" },
    on: { [definition]: [progress("begin", { title: "finding" }), progress("end")] },
  });
  const telling = await session(script({ workDoneProgress: true }));
  expect(await telling.server.request(definition, {}, { signal: signal() })).toEqual({
    value: "found",
    readiness: "unknown",
  });
  // What else could it be than the loading of what is asked about.
  const silent = await session(script(true));
  expect((await silent.server.request(definition, {}, { signal: signal() })).readiness).toBe("ready");
});

test("after new source files a server that says when it has listed them is waited for again, for a while", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  try {
    const ready = { progress: false, notification: "log", field: "/text", text: ["found"], atOnce: false };
    const found = (state: ReadinessState) => state.notified("log", { text: "found 3 files" });
    const state = new ReadinessState({ ...ready, eachFolder: true });
    state.initialized();
    state.filesAdded();
    found(state);
    expect(state.now).toBe("ready");
    const span = state.requestSent();
    vi.advanceTimersByTime(1);
    state.filesAdded();
    expect([state.now, state.awaitsStatus]).toEqual(["unknown", true]);
    found(state);
    // An answer that was on its way may be from before the listing.
    expect([state.now, state.becameReadyDuring(span)]).toEqual(["ready", true]);
    state.filesAdded();
    vi.advanceTimersByTime(5_001);
    expect([state.now, state.awaitsStatus]).toEqual(["ready", false]);

    const other = new ReadinessState({ ...ready, eachFolder: false });
    other.initialized();
    found(other);
    other.filesAdded();
    expect(other.now).toBe("ready");
  } finally {
    vi.useRealTimers();
  }
});

test("the end of progress is not the status that a server is known for", async () => {
  const { server } = await session({ capabilities: offers }, { server: { ready: serverStatus } });
  await act(server, progress("begin", { title: "fetching" }), progress("end"));
  expect(server.readiness).toBe("unknown");
  await act(server, { notify: "experimental/serverStatus", params: { quiescent: true } });
  expect(server.readiness).toBe("ready");
});

test("progress that its server forgot is no evidence any more", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  try {
    const state = new ReadinessState({
      progress: true,
      notification: null,
      field: null,
      text: [],
      atOnce: false,
      eachFolder: false,
    });
    const tell = (kind: string) =>
      state.notified("$/progress", { token: 1, value: { kind, title: "indexing" } });
    state.initialized();
    tell("begin");
    vi.advanceTimersByTime(50_000);
    tell("report");
    vi.advanceTimersByTime(50_000);
    expect([state.now, state.isWorking, state.text]).toEqual(["indexing", true, "indexing"]);
    vi.advanceTimersByTime(10_001);
    expect([state.now, state.isWorking, state.text]).toEqual(["unknown", false, null]);
  } finally {
    vi.useRealTimers();
  }
});

test("a method that is unknown only until the project is loaded is asked for again", async () => {
  const { server } = await session({
    capabilities: offers,
    replies: { [definition]: "loaded" },
    on: {
      initialized: [progress("begin", { title: "loading" })],
      [definition]: [
        { error: { code: -32601, message: "Unhandled method" }, once: join(scenarios(), "said") },
      ],
    },
  });
  await until(() => server.readiness === "indexing");
  const reply = server.request(definition, {}, { signal: signal() });
  await until(async () => (await received(server, definition)).length === 1);
  await act(server, progress("end"));
  expect((await reply).value).toBe("loaded");
});

test("one that is refused before the server has said that it loads is asked for again once it has", async () => {
  const { server } = await session({
    capabilities: offers,
    replies: { [definition]: "loaded" },
    on: {
      [definition]: [
        { error: { code: -32601, message: "Unhandled method" }, once: join(scenarios(), "said") },
      ],
    },
  });
  const patient = { attempts: 3, delayMs: 20_000, while: "not_ready" as const };
  const reply = server.request(definition, {}, { signal: signal(), retryEmpty: patient });
  await until(async () => (await received(server, definition)).length === 1);
  await act(server, progress("begin", { title: "loading" }), progress("end"));
  expect((await reply).value).toBe("loaded");
});

test("an empty answer right after a status that only says ready is asked for again", async () => {
  const told = { notify: "experimental/serverStatus", params: {}, once: join(scenarios(), "told") };
  const { server } = await session(
    {
      capabilities: offers,
      replies: { [definition]: { $each: [null, null, "parsed"] } },
      on: { [definition]: [told] },
    },
    { server: { ready: { ...serverStatus, field: null }, warmupTimeoutMs: 100 } },
  );
  const reply = await server.request(definition, {}, { signal: signal(), retryEmpty });
  expect(reply).toEqual({ value: "parsed", readiness: "ready" });
});

test("a question that a server gives up before it says its status is asked again when it has", async () => {
  const { server } = await session(
    {
      capabilities: offers,
      replies: { [definition]: "connected" },
      on: {
        [definition]: [
          { error: { code: -32800, message: "not connected" }, once: join(scenarios(), "said") },
          { notify: "experimental/serverStatus", params: {}, once: join(scenarios(), "told") },
        ],
      },
    },
    { server: { ready: { ...serverStatus, field: null }, warmupTimeoutMs: 2_000 } },
  );
  expect((await server.request(definition, {}, { signal: signal() })).value).toBe("connected");
});

test("the server's progress is sent while the call waits, and is in the status", async () => {
  const { server, pool } = await session({
    capabilities: offers,
    replies: { [definition]: "x" },
    on: { initialized: [progress("begin", { title: "indexing", percentage: 0 })] },
  });
  await until(() => server.readiness === "indexing");
  const heard: string[] = [];
  const reply = server.request(definition, {}, { signal: signal(), onProgress: (text) => heard.push(text) });
  await act(server, progress("report", { percentage: 45, message: "crate a" }));
  await until(() => heard.length === 2);
  expect(pool.status()[0]?.progress).toBe("indexing 45 %: crate a");
  await act(server, progress("end"));
  await reply;
  expect(heard).toEqual(["indexing 0 %", "indexing 45 %: crate a"]);
  expect(pool.status()[0]?.progress).toBeNull();
});

test("a command is never run twice, whatever the server says", async () => {
  const busy = { error: { code: -32801, message: "modified" } };
  const { server } = await session({
    capabilities: { executeCommandProvider: {} },
    on: { initialized: [progress("begin", { title: "indexing" })], "workspace/executeCommand": [busy] },
  });
  await until(() => server.readiness === "indexing");
  await expect(ask(server, "workspace/executeCommand", { command: "x" })).rejects.toMatchObject({
    code: "lsp/failed",
  });
  expect(await received(server, "workspace/executeCommand")).toHaveLength(1);
});
