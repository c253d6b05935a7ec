/** The capabilities of a server: from `initialize`, and as registered and unregistered later. */
import { expect, test } from "vitest";
import { Capabilities } from "../../src/lsp/capabilities.js";
import { serverPlan } from "../fake-server/index.js";

const method = "textDocument/hover";
const rust = { path: "/w/a.rs", languageId: "rust" };
const other = { path: "/w/a.fake", languageId: "fake" };

function capabilities(
  offered: unknown = {},
  warn?: (message: string, data: { problem: string }) => void,
): Capabilities {
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

const selecting = (...patterns: string[]) => ({
  registrations: [
    { id: "1", method, registerOptions: { documentSelector: patterns.map((pattern) => ({ pattern })) } },
  ],
});

test("selectors that cannot be used, or are too much work, select nothing; each is warned of once", () => {
  const slow = Array.from({ length: 5_000 }, (_, n) => `**/${"*a".repeat(100)}[b${n}]`);
  const warned: string[] = [];
  const all = capabilities({}, (message, { problem }) => warned.push(`${message}: ${problem}`));
  const subject = { path: `/w/${"a".repeat(200)}.rs`, languageId: "rust" };
  for (const patterns of [["*".repeat(4_001)], slow, ["!a"]]) {
    all.register(selecting(...patterns));
    for (let times = 0; times < 3; times++) expect(all.supports(method, subject)).toBe(false);
  }
  expect(warned).toEqual([
    expect.stringMatching(/^a registered glob is not used: .*at most 4000 characters/),
    expect.stringMatching(/^registered globs are too much work.*matching takes too long/),
  ]);
});

test("the first problem of a registration is reported, wherever it is", () => {
  const warned: string[] = [];
  const all = capabilities({}, (_, { problem }) => warned.push(problem));
  const watchers = [{ globPattern: "*.a" }, { globPattern: { baseUri: "file:///w", pattern: "x{1..2}" } }];
  all.register({ registrations: [{ id: "1", method, registerOptions: { watchers } }] });
  expect(warned).toEqual([expect.stringContaining("{a..b}")]);
});
