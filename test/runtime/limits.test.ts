/** The caps themselves: each holds for each form that is sent, and together for both. */
import { describe, expect, it } from "vitest";
import type { Answer } from "../../src/abi/handler.js";
import type { Plan } from "../../src/abi/plan.js";
import { askedChars, type Caps, capsOf, fits, largest } from "../../src/runtime/answer/limits.js";
import { boundedWarning, waysOn } from "../../src/runtime/answer/ways-on.js";
import { fakePlan } from "../fake-server/index.js";
import { planText } from "../plan/config.js";
import { callState } from "./doubles.js";

const wide: Caps = { total: 1000, page: 1000, text: 1000, bytes: 4000, hasStructure: true, hasText: true };

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
  it.each<[string, Answer, Partial<Caps>, boolean]>([
    ["within all caps", answer(100, 100), {}, true],
    ["with a structure as long as a page", answer(100, 50), { page: 100 }, true],
    ["not with one that is longer", answer(101, 50), { page: 100 }, false],
    ["not with a text that is longer", answer(50, 101), { page: 100 }, false],
    ["with a text as long as a client shows", answer(200, 100), { text: 100 }, true],
    ["not with one that is longer than that", answer(200, 101), { text: 100 }, false],
    ["with both as long as the budget", answer(100, 100), { total: 200 }, true],
    ["not with both longer than it", answer(100, 101), { total: 200 }, false],
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
    expect(capsOf(call, undefined)).toMatchObject({ total: 120_000, page: 40_000, bytes: 20_000 });
    const strict = { ...call, tool: { ...call.tool, maxBytes: 16_384 } };
    expect(capsOf(strict, undefined).bytes).toBe(16_384);
  });

  it("are the tool's own budget where it declares one, up to the hard limit, with a warning", () => {
    const call = withBudget(limits({ maxTotalCharsHard: 500_000 }));
    expect(capsOf(call, 300_000)).toMatchObject({ total: 300_000, page: 300_000 });
    expect(call.evidence.warnings).toEqual([]);
    expect(capsOf(call, 900_000)).toMatchObject({ total: 500_000, page: 500_000 });
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
  for (let fine = 0; fine <= 20; fine++) expect(largest(20, (count) => count <= fine)).toBe(fine);
  expect(largest(0, () => true)).toBe(0);
});

describe("more results than are listed", () => {
  const plan = planText('[mcp]\ncontext = "full"\n');
  it.each([
    ["search_workspace_symbols", "Give a longer query."],
    ["get_inlay_hints", "Give a smaller range."],
    ["find_references", "No argument of this tool narrows the answer. Point at a more particular symbol"],
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
    expect(waysOn(call, cut)).toEqual([{ kind: "doc", text: expect.stringContaining(way) }]);
  });
});
