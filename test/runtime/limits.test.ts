/** The caps themselves: each holds for each form that is sent, and together for both. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Answer } from "../../src/abi/handler.js";
import type { Plan } from "../../src/abi/plan.js";
import {
  askedChars,
  fits,
  largest,
  type SizeLimits,
  sizeLimits,
} from "../../src/runtime/answer/fit-answer.js";
import { boundedWarning, stepsAfterCut } from "../../src/runtime/answer/next-steps.js";
import { fakePlan } from "../fake-server/index.js";
import { planText } from "../plan/config.js";
import { callState } from "./doubles.js";

const wide: SizeLimits = {
  total: 1000,
  page: 1000,
  text: 1000,
  bytes: 4000,
  hasStructure: true,
  hasText: true,
};

/** An answer whose structure and text have so many characters. */
function answer(structure: number, text: number, character = "x"): Answer {
  return {
    structured: { a: character.repeat(structure - '{"a":""}'.length) },
    text: character.repeat(text),
    notes: "",
    headline: "",
  };
}

describe("an answer fits", () => {
  it.each<[string, Answer, Partial<SizeLimits>, boolean]>([
    ["within all caps", answer(100, 100), {}, true],
    ["with a structure as long as a page", answer(100, 50), { page: 100 }, true],
    ["not with one that is longer", answer(101, 50), { page: 100 }, false],
    ["not with a text that is longer", answer(50, 101), { page: 100 }, false],
    ["with a text as long as a client shows", answer(200, 100), { text: 100 }, true],
    ["not with one that is longer than that", answer(200, 101), { text: 100 }, false],
    ["with both as long as the budget", answer(100, 100), { total: 200 }, true],
    ["not with both longer than it", answer(100, 101), { total: 200 }, false],
    ["not with both longer than it, though either is shorter", answer(20, 150), { total: 165 }, false],
    ["not with more bytes, though not more characters", answer(50, 50, "→"), { bytes: 100 }, false],
    ["not with a text of more bytes", { ...answer(20, 50, "→"), structured: {} }, { bytes: 100 }, false],
    ["whatever a structure that is not sent", answer(500, 50), { page: 100, hasStructure: false }, true],
    ["whatever a text that is not sent", answer(50, 500), { page: 100, hasText: false }, true],
  ])("%s", (_, given, caps, expected) => {
    expect(fits(given, { ...wide, ...caps })).toBe(expected);
  });

  it("not with notes beside a text that go past the page", () => {
    expect(fits({ ...answer(50, 90), notes: "x".repeat(11) }, { ...wide, page: 100 })).toBe(false);
  });
});

describe("an answer is measured", () => {
  /** The same rule, written out. */
  const isFitting = ({ structured, text, notes }: Answer, caps: SizeLimits): boolean => {
    const sizes = [caps.hasStructure ? JSON.stringify(structured) : "", caps.hasText ? text + notes : ""];
    const [structure = "", words = ""] = sizes;
    return (
      structure.length + words.length <= caps.total &&
      structure.length <= caps.page &&
      words.length <= Math.min(caps.page, caps.text) &&
      sizes.every((form) => Buffer.byteLength(form) <= caps.bytes)
    );
  };

  it("and found to fit just when it does, however its characters are written", () => {
    const character = fc.constantFrom("x", "\u0001", '"', "\\", "é", "漢", "\ud800", "😀");
    const word = fc.array(character, { maxLength: 60 }).map((units) => units.join(""));
    const leaf = fc.oneof(
      word,
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 3 },
        leaf,
        fc.array(tie("tree"), { maxLength: 8 }),
        fc.dictionary(word, tie("tree"), { maxKeys: 8 }),
      ),
    }));
    const near = fc.integer({ min: -3, max: 3 });
    const sent = fc.constantFrom({}, { hasStructure: false }, { hasText: false });
    const size = fc.constantFrom("total", "page", "text", "bytes");
    let [fitting, not] = [0, 0];
    fc.assert(
      fc.property(tree, word, near, sent, size, (value, text, off, some, name) => {
        const given: Answer = {
          structured: { value } as Answer["structured"],
          text,
          notes: "",
          headline: "",
        };
        const json = JSON.stringify(given.structured);
        const sizes = {
          total: json.length + text.length,
          page: Math.max(json.length, text.length),
          text: text.length,
          bytes: Math.max(Buffer.byteLength(json), Buffer.byteLength(text)),
        };
        const all: SizeLimits = {
          total: 1e6,
          page: 1e6,
          text: 1e6,
          bytes: 4e6,
          hasStructure: true,
          hasText: true,
        };
        const caps: SizeLimits = { ...all, ...some, [name]: sizes[name] + off };
        if (isFitting(given, caps)) fitting++;
        else not++;
        expect(fits(given, caps)).toBe(isFitting(given, caps));
        expect(fits(given, all)).toBe(true);
      }),
      { seed: 4, numRuns: 3000 },
    );
    expect(Math.min(fitting, not)).toBeGreaterThan(500);
  });
});

describe("the caps of a call", () => {
  const limits = (overrides: Partial<Plan["limits"]>) => {
    const plan = fakePlan([]);
    return { ...plan, limits: { ...plan.limits, ...overrides } };
  };
  const withBudget = (plan: Plan) => {
    const call = callState({ plan });
    const maxChars = { kind: "ref" as const, ref: { root: "input" as const, name: "chars", path: [] } };
    return { ...call, tool: { ...call.tool, output: { ...call.tool.output, maxChars } } };
  };

  it("are the config's, a page in either form, and the smaller of both byte limits", () => {
    const call = callState({ plan: limits({ maxBytes: 20_000 }) });
    expect(sizeLimits(call, undefined)).toMatchObject({ total: 120_000, page: 40_000, bytes: 20_000 });
    const strict = { ...call, tool: { ...call.tool, maxBytes: 16_384 } };
    expect(sizeLimits(strict, undefined).bytes).toBe(16_384);
  });

  it("are the tool's own budget where it declares one, up to the hard limit, with a warning", () => {
    const call = withBudget(limits({ maxTotalCharsHard: 500_000 }));
    expect(sizeLimits(call, 300_000)).toMatchObject({ total: 300_000, page: 300_000 });
    expect(call.evidence.warnings).toEqual([]);
    expect(sizeLimits(call, 900_000)).toMatchObject({ total: 500_000, page: 500_000 });
    expect(call.evidence.warnings).toMatchObject([{ code: "answer/clamped", data: { effective: 500_000 } }]);
  });

  it("are the same for a later page as for the first", () => {
    const call = withBudget(limits({}));
    expect(askedChars({ ...call, input: { chars: 70_000 } })).toBe(70_000);
    expect(askedChars(call)).toBeUndefined();
    expect(askedChars(callState())).toBeUndefined();
  });
});

it("finds the largest count that is fine", () => {
  const upTo = (most: number) => (count: number) => (count <= most ? count : undefined);
  for (let fine = 1; fine <= 20; fine++) expect(largest(20, upTo(fine))).toBe(fine);
  expect(largest(20, upTo(0))).toBeUndefined();
  expect(largest(0, upTo(0))).toBe(0);
});

describe("more results than are listed", () => {
  const plan = planText('[mcp]\ncontext = "full"\n');
  it.each([
    ["search_workspace_symbols", "Give a longer query."],
    ["get_inlay_hints", "Give a smaller range."],
    ["find_references", "No argument of this tool narrows the answer. Point at a more specific symbol"],
    ["get_document_symbols", "No argument of this tool narrows the answer. Search the text of the file"],
    [
      "get_workspace_diagnostics",
      "No argument of this tool narrows the answer. Ask about single files with get_diagnostics.",
    ],
  ])("lead on from %s to what can be done", (name, way) => {
    const tool = plan.tools.find((entry) => entry.name === name);
    if (tool === undefined) throw new Error(`there is no ${name}`);
    const call = callState({ plan, tool });
    expect(boundedWarning(call, 500_000, 600_000)).toContain(
      `Of 600000 results the first 500000 are listed. ${way}`,
    );
    const cut = { total: 600_000, shown: 100, isSize: false, isBounded: true };
    expect(stepsAfterCut(call, cut)).toEqual([{ kind: "doc", text: expect.stringContaining(way) }]);
  });
});
