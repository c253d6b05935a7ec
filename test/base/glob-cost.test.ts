/**
 * What untrusted patterns may cost: the processor time of parsing, compiling and matching at the largest length, for
 * every special character, for a fiftieth of the largest number of patterns. A bound is ten times what is usual, and far
 * below what anything that is not linear in the length takes.
 */
import { expect, test } from "vitest";
import {
  BATCH_STEPS,
  compileGlob,
  GlobBudget,
  GlobError,
  GlobList,
  LIST_STEPS,
  STEPS_GAINED_PER_PATH,
} from "../../src/base/glob.js";
import { Capabilities } from "../../src/lsp/capabilities.js";
import { wantedFiles } from "../../src/lsp/documents/file-operations.js";
import { MAX_RULES_BYTES } from "../../src/workspace/git-ignore.js";
import { parseIgnoreRules, verdictOf } from "../../src/workspace/ignore-rules.js";
import { serverPlan } from "../fake-server/index.js";
import { limitFor, processorMs } from "../processor-time.mjs";

const LIMIT_MS = 400;
/** Of patterns: a fiftieth of the most that a server may register. */
const COUNT = 20;
const options = { timeout: 120_000 };

const units = [
  ...[
    "[",
    "[:",
    "[[:",
    "[!",
    "[]",
    "[a-b]",
    "{",
    "{,}",
    "{a,",
    "{*,?}",
    "{..",
    "*",
    "*a",
    "**/",
    "a/**/",
    "*/",
  ],
  ...["?", "\\", ",", "a", "aaaaaaab*"],
];

const full = (unit: string, length: number) => unit.repeat(Math.floor(length / unit.length));

/** A pattern that matches no path which ends in `a`. */
const patternOf = (unit: string, length: number, n: number) => `${full(unit, length - 8)}[b${n}]`;

function expectLinear(work: () => void, limitMs = LIMIT_MS): void {
  const before = processorMs();
  work();
  const ms = processorMs() - before;
  expect(ms).toBeLessThan(limitFor(ms, limitMs));
}

function ignoringErrors(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof GlobError)) throw error;
  }
}

const plan = serverPlan("fake", ["fake"], ["fake"], "fake");
const hover = "textDocument/hover";

function register(all: Capabilities, method: string, registerOptions: unknown): void {
  all.register({ registrations: [{ id: "1", method, registerOptions }] });
}

test.each(units)("`%s`, as often as the bounds allow, is parsed in linear time", options, (unit) => {
  const rule = full(unit, 998);
  const text = `${rule}\n`.repeat(Math.floor(MAX_RULES_BYTES / 25 / (rule.length + 1)));
  expectLinear(() => parseIgnoreRules(text));
  const glob = full(unit, 4_000);
  const compileAll = () => {
    for (let n = 0; n < COUNT; n++) ignoringErrors(() => compileGlob(glob, { maxLength: 4_000 }));
  };
  expectLinear(compileAll);
});

test.each(units)("`%s` in a server's registrations takes no longer", options, (unit) => {
  const globs = Array.from({ length: COUNT }, (_, n) => patternOf(unit, 3_900, n));
  const name = "a".repeat(4_000);
  const selector = { documentSelector: globs.map((pattern) => ({ pattern })) };
  const all = new Capabilities(plan);
  expectLinear(() => register(all, hover, selector));
  const ask = () => all.supports(hover, { path: `/w/${name}`, languageId: "fake" });
  expectLinear(ask);
  const filters = globs.map((glob) => ({ pattern: { glob, options: { ignoreCase: true } } }));
  all.offered = { workspace: { fileOperations: { didRename: { filters } } } };
  const files = Array.from({ length: 100 }, (_, n) => ({ path: `/w/${n}/${name}`, isFolder: false }));
  expectLinear(() => wantedFiles(all, "did", "Rename", files));
});

test.each(units)("`%s` is matched within the budget, which bounds the time", options, (unit) => {
  const patterns = Array.from({ length: COUNT }, (_, n) => patternOf(unit, 990, n));
  const { rules } = parseIgnoreRules(patterns.join("\n"));
  const name = "a".repeat(250);
  const budget = new GlobBudget(BATCH_STEPS / 25);
  const matchAll = () =>
    ignoringErrors(() => {
      for (let n = 0; n < 400; n++) verdictOf(rules, name, false, budget);
    });
  expectLinear(matchAll);
  let list = new GlobList([]);
  ignoringErrors(() => {
    list = new GlobList(
      patterns.map((pattern) => `**/*${pattern}`),
      { ignoreCase: true },
    );
  });
  const lookAtAll = () => {
    for (let n = 0; n < 8; n++) list.matches(`${n}/${name}`, `${n}/${"a/".repeat(500)}a`);
  };
  expectLinear(lookAtAll);
});

/** The steps that a list takes for these paths. */
function stepsOf(list: GlobList, paths: readonly string[]): number {
  let used = 0;
  for (const path of paths) {
    const had = Math.min(Math.max(list.steps, 0) + STEPS_GAINED_PER_PATH, LIST_STEPS);
    list.matches(path);
    used += had - list.steps;
  }
  return used;
}

test.each(["*a", "{,}", "{*,?}", "a*"])(
  "`%s` in a list takes a bounded number of steps for 2,000 files",
  options,
  (unit) => {
    const patterns = [180, 900].flatMap((length) =>
      Array.from({ length: 400 }, (_, n) => `**/*${full(unit, length)}[b${n}]`),
    );
    const paths = Array.from({ length: 2_000 }, (_, n) => `src/${n}/${"a".repeat(200)}`);
    const list = new GlobList(patterns, { ignoreCase: true });
    let steps = 0;
    expectLinear(() => {
      steps = stepsOf(list, paths);
    }, 5_000);
    // The last step of a path may be a costly one.
    expect(steps).toBeLessThan(LIST_STEPS + paths.length * STEPS_GAINED_PER_PATH * 1.5);
    expect(list.matches(paths[0] ?? "")).toBe(undefined);
  },
);

test("twenty patterns that people write leave half of each path's steps", () => {
  const patterns =
    "**/.git/** **/.env **/.env.* **/*.{pem,key,p12,pfx} **/{secrets,credentials}/** **/id_{rsa,ed25519}* **/.ssh/** **/*secret* **/{dist,build,out}/** **/*.{jks,keystore} **/.aws/** **/*.tfstate* **/*.sqlite{,3} private/** **/[Pp]asswords* **/.npmrc **/.{docker,kube}/** **/vendor/{a,b}/** **/*.bak **/__snapshots__/**";
  const list = new GlobList(patterns.split(" "), { ignoreCase: true });
  const paths = Array.from(
    { length: 1_000 },
    (_, n) => `packages/some-${n}/src/components/part-${n}/Part.test.tsx`,
  );
  expect(stepsOf(list, paths)).toBeLessThan((paths.length * STEPS_GAINED_PER_PATH) / 2);
});

test("filters that are none cost steps too", options, () => {
  const filters = Array.from({ length: 500_000 }, () => 0);
  const files = Array.from({ length: 5_000 }, (_, n) => ({ path: `/w/${n}`, isFolder: false }));
  const all = new Capabilities(plan);
  all.offered = { workspace: { fileOperations: { didRename: { filters } } } };
  expectLinear(() => wantedFiles(all, "did", "Rename", files));
});
