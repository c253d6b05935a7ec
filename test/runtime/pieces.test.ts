import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Validator } from "../../src/abi/bundle.js";
import type { Plan } from "../../src/abi/plan.js";
import { compareText } from "../../src/base/order.js";
import { Refusal } from "../../src/base/problem.js";
import { columnsOf, Lines, type PositionEncoding } from "../../src/base/text.js";
import { untilAborted, withDeadline } from "../../src/base/timing.js";
import type { OpenDocument } from "../../src/lsp/types.js";
import { Evidence } from "../../src/runtime/answer/evidence.js";
import { largest } from "../../src/runtime/answer/fit-answer.js";
import { stepsAfterCut, stepsAfterRefusal } from "../../src/runtime/answer/next-steps.js";
import { refusalOf, refused } from "../../src/runtime/answer/outcome.js";
import { toPoint } from "../../src/runtime/answer/places.js";
import { addServerWarnings, warnedFolders } from "../../src/runtime/ask/ask.js";
import { checkArguments } from "../../src/runtime/bundle/validate.js";
import {
  type Container,
  compareContainers,
  containerPath,
  nameMatcher,
  segmentsOf,
} from "../../src/runtime/point/symbol-names.js";
import { findWord } from "../../src/runtime/point/symbols.js";
import { overlay } from "../../src/runtime/point/target.js";
import { callState, serverOf } from "./doubles.js";

describe("names of symbols", () => {
  it.each([
    ["Type/method", ["Type", "method"]],
    ["Type.method", ["Type", "method"]],
    ["mod::Type#method", ["mod", "Type", "method"]],
    ["(*Server).Start", ["Server", "Start"]],
    ["(Server).Start", ["Server", "Start"]],
    ["method(int, List<T>)", ["method"]],
    ["Map<K, V>", ["Map"]],
    ["impl Display for Point<T>", ["Point"]],
    ["impl<T> Point<T>", ["Point"]],
    ["implement", ["implement"]],
  ])("%s", (name, segments) => {
    expect(segmentsOf(name)).toEqual(segments);
  });

  it.each([
    ["run", ["Alpha"], "run", true],
    ["run", ["Alpha"], "Alpha/run", true],
    ["run", ["pkg", "Alpha"], "Alpha.run", true],
    ["run", ["Beta"], "Alpha.run", false],
    ["run", [], "Alpha.run", false],
    ["runs", ["Alpha"], "run", false],
    ["Run", ["Alpha"], "run", false],
    ["fmt", ["impl Display for Point"], "Point.fmt", true],
    ["(*Server).Start", [], "Server/Start", true],
    ["a.b weird name", [], "a.b weird name", true],
    ["run", ["Alpha"], "/", false],
  ])("%s in %j is %s: %s", (name, containers, wanted, expected) => {
    const outer = containers.reduce<Container | undefined>((outer, own) => ({ name: own, outer }), undefined);
    expect(nameMatcher(wanted)({ name, container: outer })).toBe(expected);
  });

  it.each([
    ["let running = run", "run", 14],
    ["$run + run", "run", 7],
    ["äbc abc", "abc", 4],
    ["x", "", undefined],
    ["prune", "run", undefined],
  ])("in %j the word %s stands at %s", (line, word, at) => {
    expect(findWord(line, word)).toBe(at);
  });
});

describe("places in other columns", () => {
  const encodings: PositionEncoding[] = ["utf-8", "utf-16", "utf-32"];
  const line = fc.string({ unit: "grapheme" }).map((text) => text.replace(/[\r\n]/g, " "));

  it("come back unchanged from any encoding", () => {
    fc.assert(
      fc.property(line, fc.constantFrom(...encodings), fc.nat(), (text, encoding, seed) => {
        const lines = new Lines(`first\r\n${text}\r\nlast`);
        const characters = [...text].length;
        const place = { line: 1, character: characters === 0 ? 0 : seed % (characters + 1) };
        const there = toPoint(lines, place, "utf-32", encoding);
        expect(toPoint(lines, there, encoding, "utf-32")).toEqual(place);
      }),
      { seed: 11 },
    );
  });

  it("are clamped to the text", () => {
    const lines = new Lines("ab\n👋c");
    expect(toPoint(lines, { line: 0, character: 99 }, "utf-16", "utf-32")).toEqual({ line: 0, character: 2 });
    expect(toPoint(lines, { line: 9, character: 0 }, "utf-16", "utf-8")).toEqual({ line: 1, character: 5 });
    expect(columnsOf("👋c", "utf-8")).toBe(5);
    expect(toPoint(undefined, { line: 3, character: 4 }, "utf-16", "utf-8")).toEqual({
      line: 3,
      character: 4,
    });
  });
});

describe("arguments", () => {
  const { tool } = callState();
  const failing = (errors: NonNullable<Validator["errors"]>): Validator =>
    Object.assign(() => false, { errors }) as Validator;
  const passing: Validator = () => true;

  it("get their defaults, on a copy", () => {
    const arg = { name: "deep", type: "boolean" as const, description: "", required: false, default: true };
    const rest = {
      enum: null,
      beyond: "refuse" as const,
      form: null,
      minLength: null,
      maxLength: null,
      minimum: null,
      maximum: null,
    };
    const args = {};
    const checked = checkArguments({ ...tool, args: [{ ...arg, ...rest }] }, passing, args);
    expect(checked).toEqual({ deep: true });
    expect(args).toEqual({});
    expect(checkArguments({ ...tool, args: [{ ...arg, ...rest }] }, passing, { deep: false })).toEqual({
      deep: false,
    });
  });

  it("are refused with at most ten sorted issues and without a value", () => {
    const errors = Array.from({ length: 15 }, (_, index) => ({
      instancePath: `/p${String(15 - index).padStart(2, "0")}`,
      keyword: "type",
      message: "must be string",
      params: {},
    }));
    const unknown = {
      instancePath: "",
      keyword: "additionalProperties",
      params: { additionalProperty: "a/b" },
    };
    try {
      checkArguments(tool, failing([...errors, unknown, unknown]), { secret: "value" });
      expect.unreachable();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const issues = error.data.issues as { path: string }[];
      expect(issues.map(({ path }) => path)).toEqual([
        "/a~1b",
        ...Array.from({ length: 9 }, (_, index) => `/p${String(index + 1).padStart(2, "0")}`),
      ]);
      expect(`${error.message}${JSON.stringify(error.data)}`).not.toContain('value"');
    }
  });

  it("get the allowed values, whole", () => {
    const allowedValues = Array.from({ length: 60 }, (_, index) => `value-number-${index}`);
    const wrong = { instancePath: "/how", keyword: "enum", message: "", params: { allowedValues } };
    expect(() => checkArguments(tool, failing([wrong]), {})).toThrow(
      /must be one of "value-number-0", .*"value-number-\d+" and \d\d others \(enum\)\.$/,
    );
  });

  it.each([[[]], ["text"], [null], [7]])("must be an object, not %j", (args) => {
    expect(() => checkArguments(tool, passing, args)).toThrow(Refusal);
  });

  it("may be absent, but not huge", () => {
    expect(checkArguments(tool, passing, undefined)).toEqual({});
    expect(() => checkArguments(tool, passing, { x: "y".repeat(1_100_000) })).toThrow("1 MiB");
    const many = Object.fromEntries(Array.from({ length: 200_000 }, (_, n) => [`${n}`, 0]));
    expect(() => checkArguments(tool, passing, many)).toThrow("1 MiB");
  });

  it("are a copy, as the wire would bring it", () => {
    const given = { a: "text", b: 1, c: true, d: { e: [1, undefined] }, f: Number.NaN, g: undefined };
    const checked = checkArguments(tool, passing, given);
    expect(checked).toEqual({ a: "text", b: 1, c: true, d: { e: [1, null] }, f: null });
    expect(checked.d).not.toBe(given.d);
    expect(checkArguments(tool, passing, { a: null, b: "x" }, ["a", "b"])).toEqual({ b: "x" });
  });
});

describe("parameters", () => {
  it("are laid over their base, tables within tables", () => {
    const base = { textDocument: { uri: "u" }, keep: 1 };
    expect(overlay(base, { textDocument: { version: 2 }, keep: null })).toEqual({
      textDocument: { uri: "u", version: 2 },
      keep: null,
    });
    const hostile = JSON.parse('{ "__proto__": { "polluted": true } }');
    expect(Object.hasOwn(overlay({}, hostile), "__proto__")).toBe(true);
    expect("polluted" in {}).toBe(false);
  });
});

describe("evidence", () => {
  it("is as ready as the worst of several servers", () => {
    const evidence = new Evidence();
    expect([evidence.readiness, evidence.serverId]).toEqual(["unknown", null]);
    evidence.answered("b", "ready");
    expect(evidence.readiness).toBe("ready");
    evidence.answered("a", "indexing");
    evidence.answered("a", "ready");
    expect([evidence.readiness, evidence.serverId]).toEqual(["indexing", "a,b"]);
  });

  it("says that not all files of a server are watched, and why it was restarted", () => {
    const call = callState();
    addServerWarnings(call, {
      ...serverOf({}),
      hasUnwatchedFiles: true,
      crashNotice: () => "was ended by SIGKILL",
    });
    addServerWarnings(call, serverOf({}));
    expect(call.evidence.warnings).toMatchObject([
      { code: "answer/not-watched", data: { server_id: "fake" } },
      { code: "answer/server-restarted", message: expect.stringContaining("was ended by SIGKILL") },
    ]);
  });

  it("names a folder that is not watched, unless the session was told or may not see it", () => {
    const server = { ...serverOf({}), partlyWatchedFolders: ["/w/gen", "/w/old", "/elsewhere"] };
    const call = callState({ warnedFolders: new Set(["old"]) });
    addServerWarnings(call, server);
    expect(call.evidence.warnings).toMatchObject([{ code: "answer/not-watched", data: { folder: "gen" } }]);
    expect(warnedFolders(call.evidence)).toEqual(["gen"]);
  });

  it("names a folder of PATH that a server was started without, once", () => {
    const server = {
      ...serverOf({}),
      withheld: ["/w/venv/bin", "/w/old", "/elsewhere"].map((folder) => ({ variable: "PATH", folder })),
    };
    const call = callState({ warnedFolders: new Set(["old"]) });
    addServerWarnings(call, server);
    expect(call.evidence.warnings).toMatchObject([
      { code: "answer/path-withheld", data: { folder: "venv/bin" } },
    ]);
    expect(warnedFolders(call.evidence)).toEqual(["venv/bin"]);
  });

  it("is steady while a server has the very text that it was asked about, in whichever start", () => {
    const asked = {
      ...{ path: "/w/a", uri: "file:///w/a", languageId: "fake", version: 1 },
      lines: new Lines(""),
    };
    const evidence = new Evidence();
    const document = { ...asked, edition: 1, hash: "one" };
    let now: OpenDocument | undefined = { ...document, version: 2 };
    evidence.asks({ ...serverOf({}), opened: () => now }, document);
    expect(evidence.documentsUnchanged).toBe(true);
    now = { ...document, edition: 2 };
    expect(evidence.documentsUnchanged).toBe(false);
    // Each start counts from one.
    now = { ...document, hash: "two" };
    expect(evidence.documentsUnchanged).toBe(false);
    now = undefined;
    expect(evidence.documentsUnchanged).toBe(true);
  });

  it("says each warning once, in one order", () => {
    const evidence = new Evidence();
    evidence.warn("answer/truncated", "b");
    evidence.warn("answer/dropped", "x");
    evidence.warn("answer/truncated", "a");
    evidence.warn("answer/truncated", "b");
    expect(evidence.warnings.map(({ message }) => message)).toEqual(["x", "a", "b"]);
  });
});

describe("limits", () => {
  it("find the largest count that is fine", () => {
    fc.assert(
      fc.property(fc.nat(300), fc.nat(300), (most, limit) => {
        const tried: number[] = [];
        const found = largest(most, (count) => {
          tried.push(count);
          return count <= limit ? count : undefined;
        });
        expect(found ?? 0).toBe(Math.min(most, limit));
        expect(new Set(tried).size).toBe(tried.length);
      }),
      { seed: 5 },
    );
  });
});

describe("deadlines", () => {
  it("distinguish a timeout from cancellation, and leave no listener", async () => {
    const parent = new AbortController();
    const late = withDeadline([parent.signal], 5, async (signal, expired) => {
      await untilAborted(signal, new Promise(() => {})).catch(() => undefined);
      return expired();
    });
    expect(await late).toBe(true);
    const cancelled = withDeadline([parent.signal], 60_000, async (signal, expired) => {
      await untilAborted(signal, new Promise(() => {})).catch(() => undefined);
      return expired();
    });
    parent.abort(new Error("stop"));
    expect(await cancelled).toBe(false);
    await expect(withDeadline([parent.signal], 5, async (signal) => signal.aborted)).resolves.toBe(true);
  });

  it("give the work's own outcome when it comes first", async () => {
    const { signal } = new AbortController();
    await expect(untilAborted(signal, Promise.resolve(7))).resolves.toBe(7);
    await expect(untilAborted(signal, Promise.reject(new Error("own")))).rejects.toThrow("own");
  });
});

describe("a call whose time is up", () => {
  it("says of the server only what is known", () => {
    const clock = { timeoutMs: 50, isCancelled: false, isExpired: true };
    const { tool, plan, texts } = callState();
    const refusal = refusalOf(tool, new Error("late"), clock, () => {});
    const { structured } = refused(tool, refusal, plan, new Evidence(), texts);
    expect(structured).toMatchObject({
      error: { code: "lsp/timeout", message: `${tool.name} did not finish within 50 ms.` },
      warnings: [],
    });
    expect(structured).not.toHaveProperty("readiness");
  });

  it.each([
    [5_000, 30_000, "`timeout_ms` of `the_tool`"],
    [30_000, 60_000, "`limits.timeout_ms`"],
    [30_000, 10_000, "the server's `request_timeout_ms`"],
    [30_000, 30_000, "the server's `request_timeout_ms` and `limits.timeout_ms`"],
  ])("names the key of the shortest limit: %d of the tool, %d of the server", (own, request, keys) => {
    const { tool, plan } = callState();
    const server = { id: "s", requestTimeoutMs: request } as Plan["servers"][number];
    const limited = { ...plan, limits: { ...plan.limits, timeoutMs: 30_000 }, servers: [server] };
    const steps = stepsAfterRefusal(limited, { ...tool, timeoutMs: own }, "lsp/timeout", {});
    expect(steps).toEqual([{ kind: "config", text: `Call again, or raise ${keys}.` }]);
  });
});

describe("an answer that was cut by its size", () => {
  it.each([
    [65_536, "`limits.max_bytes`"],
    [20_000, "the tool's own `max_bytes`"],
  ])("names the key of the limit: %d bytes", (maxBytes, key) => {
    const state = callState();
    const limited = { ...state, tool: { ...state.tool, maxBytes } };
    expect(stepsAfterCut(limited, { total: 9, shown: 1, isSize: true })).toEqual([
      { kind: "config", text: expect.stringContaining(`or ${key} does.`) },
    ]);
  });
});

it("containers are ordered by their paths, from the outermost name on; none comes last", () => {
  const letters = fc.array(fc.constantFrom("a", "ab", "b"), { minLength: 1, maxLength: 4 });
  const container = (names: readonly string[]) =>
    names.reduce<Container | undefined>((outer, name) => ({ name, outer }), undefined);
  fc.assert(
    fc.property(letters, letters, letters, (shared, left, right) => {
      const outer = container(shared);
      const within = (names: string[]) => names.reduce((around, name) => ({ name, outer: around }), outer);
      for (const build of [container, within]) {
        const [a, b] = [build(left), build(right)];
        if (a === undefined || b === undefined) throw new Error("no container");
        expect(Math.sign(compareContainers(a, b))).toBe(compareText(containerPath(a), containerPath(b)));
        expect(compareContainers(undefined, a)).toBe(1);
      }
    }),
  );
});
