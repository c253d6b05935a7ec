/** The capabilities of a server: from `initialize`, and as registered and unregistered later. */
import { expect, test } from "vitest";
import { Capabilities } from "../../src/lsp/capabilities.js";
import { serverPlan } from "../fake-server/index.js";

const method = "textDocument/hover";
const rust = { path: "/w/a.rs", languageId: "rust" };
const other = { path: "/w/a.fake", languageId: "fake" };

function capabilities(offered: unknown = {}, warn?: (method: string, problem: string) => void): Capabilities {
  const all = new Capabilities(serverPlan("fake", ["fake"], ["fake"], "fake"), warn);
  all.offered = offered;
  return all;
}

test("a method is there while it is offered or registered, however often it was asked for before", () => {
  const all = capabilities();
  const registration = { id: "1", method };
  expect([all.supports(method), all.supports(method, other)]).toEqual([false, false]);
  all.register({ registrations: [registration] });
  expect([all.supports(method), all.supports(method, other)]).toEqual([true, true]);
  all.unregister({ unregisterations: [registration] });
  expect([all.supports(method), all.supports(method, other)]).toEqual([false, false]);
  all.offered = { hoverProvider: true };
  expect(all.supports(method)).toBe(true);
});

test("one that is registered for some documents is there for these, beside one for all", () => {
  const all = capabilities();
  const documentSelector = [{ language: "rust" }];
  all.register({ registrations: [{ id: "1", method, registerOptions: { documentSelector } }] });
  expect([all.supports(method), all.supports(method, rust), all.supports(method, other)]).toEqual([
    true,
    true,
    false,
  ]);
  all.register({ registrations: [{ id: "2", method, registerOptions: {} }] });
  expect([all.supports(method, rust), all.supports(method, other)]).toEqual([true, true]);
});

test("whether a server reports on its work is known of each method, until it says otherwise", () => {
  const all = capabilities({ hoverProvider: { workDoneProgress: true }, definitionProvider: true });
  expect([all.reportsProgress(method), all.reportsProgress("textDocument/definition")]).toEqual([
    true,
    false,
  ]);
  const registerOptions = { workDoneProgress: true };
  all.register({ registrations: [{ id: "1", method: "textDocument/definition", registerOptions }] });
  expect(all.reportsProgress("textDocument/definition")).toBe(true);
});

test("selectors that are too long, or too much work together, select nothing, and one warning tells", () => {
  const slow = Array.from({ length: 5_000 }, (_, n) => ({ pattern: `**/${"*a".repeat(100)}${n}[b]` }));
  for (const documentSelector of [[{ pattern: "*".repeat(4_001) }], slow]) {
    const warned: string[] = [];
    const all = capabilities({}, (_, problem) => warned.push(problem));
    all.register({ registrations: [{ id: "1", method, registerOptions: { documentSelector } }] });
    const subject = { path: `/w/${"a".repeat(200)}.rs`, languageId: "rust" };
    for (let times = 0; times < 3; times++) expect(all.supports(method, subject)).toBe(false);
    expect(warned).toEqual([expect.stringMatching(/at most 4000 characters|takes too long/)]);
  }
});
