import { afterAll, beforeAll, expect, it } from "vitest";
import { openWorkshop, range, type Workshop } from "./workshop.js";

let workshop: Workshop;
beforeAll(async () => {
  const place = [{ uri: "file:///work/a.fake", range: range(0, 4, 8) }];
  workshop = await openWorkshop({
    files: { "a.fake": "one     two\n" },
    servers: {
      fake: {
        scenario: {
          capabilities: { definitionProvider: true, implementationProvider: true },
          // A server that has said that it is ready is asked once: an empty answer is believed.
          on: {
            initialized: ["begin", "end"].map((kind) => ({
              notify: "$/progress",
              params: { token: "index", value: { kind, title: "indexing" } },
            })),
          },
          replies: {
            "textDocument/definition": { $each: [[], place] },
            "textDocument/implementation": null,
          },
        },
      },
    },
  });
});
afterAll(() => workshop.close());

it("asks at the word beside a place with nothing, once, and says which it was", async () => {
  const { structured } = await workshop.call("find_definition", {
    file_path: "a.fake",
    line: 1,
    character: 7,
  });
  const asked = await workshop.received("textDocument/definition");
  expect(asked.map(({ position }) => position)).toEqual([
    { line: 0, character: 6 },
    { line: 0, character: 8 },
  ]);
  expect(structured).toMatchObject({
    total: 1,
    readiness: "ready",
    warnings: [{ code: "answer/fuzzed-position", data: { line: 1, character: 9 } }],
  });
});

it("leaves nothing on a word alone", async () => {
  const { structured } = await workshop.call("find_implementations", {
    file_path: "a.fake",
    line: 1,
    character: 2,
  });
  expect(structured).toMatchObject({ ok: true, locations: [], warnings: [] });
  const asked = await workshop.received("textDocument/implementation");
  expect(new Set(asked.map(({ position }) => JSON.stringify(position))).size).toBe(1);
});

it("says nothing was found when the words beside have nothing either", async () => {
  const { structured } = await workshop.call("find_implementations", {
    file_path: "a.fake",
    line: 1,
    character: 7,
  });
  expect(structured).toMatchObject({ ok: true, locations: [], warnings: [] });
});
