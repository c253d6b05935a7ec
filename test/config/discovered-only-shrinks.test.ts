/**
 * A discovered config may only restrict the user's. Both are generated from the schema, so that new keys take part: each
 * merged value is the user's or less. What is less is defined here independently of the rules under test.
 */
import { relative, resolve } from "node:path";
import fc from "fast-check";
import { stringify } from "smol-toml";
import { describe, expect, test } from "vitest";
import type { ServerPlan } from "../../src/abi/plan.js";
import { canonicalText, type Json, type JsonObject } from "../../src/base/json.js";
import { ConfigError } from "../../src/base/problem.js";
import { tomlKey, tomlText } from "../../src/base/toml-text.js";
import { INDEX_FILE, indexText } from "../../src/config/catalogue/preset-index.js";
import { loadConfig } from "../../src/config/load.js";
import type { DiscoveredRule } from "../../src/config/schema/values.js";
import { configSchema } from "../../src/config/schema.js";
import { ruleOf, type Schema, shapeOf, tableOf } from "../../src/config/schema-walk.js";
import type { RuleName } from "../../src/config/trust/rules.js";
import { claims } from "../../src/lsp/route.js";
import { everyDefault } from "../../src/plan/defaults.js";
import { patience, rounds } from "../fuzz/rounds.js";
import { memoryFiles, request } from "./memory-files.js";
import { hasRequired, isList, valuesOf } from "./schema-values.js";

const presets = [
  { id: "a", command: "a", extensions: ["a", "b"], request_timeout_ms: 7 },
  { id: "b", command: "b", globs: ["**"], initialize_options: { a: 2 } },
];
const shipped = {
  "/shipped/profiles/default.toml": '[[tools]]\nname = "hover"\ndescription = "Shipped."\n',
  "/shipped/profiles/a.toml": "[limits]\nmax_items = 5\n",
  "/shipped/profiles/b.toml": "[mcp]\nread_only = true\n",
  ...Object.fromEntries(presets.map((preset) => [`/shipped/servers/${preset.id}.toml`, stringify(preset)])),
  [`/shipped/${INDEX_FILE}`]: indexText(presets),
};

const defaults = everyDefault();

/** The entry of each list that both configs are about. */
const entries: { [list: string]: JsonObject } = {
  servers: { id: "s", command: "node", extensions: ["x"] },
  tools: { name: "t", description: "T." },
  methods: { method: "m" },
  prompts: { name: "p" },
  resources: { name: "r" },
};
const names = ["servers.id", "tools.name", "methods.method", "prompts.name", "resources.name"];

/** A key that holds a value. */
interface Key {
  path: string;
  rule: DiscoveredRule;
  values: fc.Arbitrary<Json>;
  /** Whether what the user does not say is theirs too. */
  isFirm: boolean;
}

function keysOf(schema: Schema, path: string, isFirm: boolean): Key[] {
  return Object.entries(shapeOf(schema)).flatMap(([key, child]) => {
    const name = path === "" ? key : `${path}.${key}`;
    const rule = ruleOf(child);
    const inner = tableOf(child);
    const isEntry = path === "" && Object.hasOwn(entries, key);
    const firm = isFirm || isEntry || rule?.defaultIsLimit === true;
    const isTable = inner !== undefined && !isList(child) && !hasRequired(inner);
    if (inner !== undefined && (isEntry || isTable) && (rule?.rule ?? "needs_trust") === "needs_trust")
      return keysOf(inner, name, firm);
    const values = /\.(kind|adapter|context)$/.test(name) ? fc.constantFrom("a", "b") : valuesOf(child);
    return [{ path: name, rule: rule ?? { rule: "needs_trust" }, values, isFirm: firm }];
  });
}

const keys = keysOf(configSchema, "", false).filter(
  ({ path, rule }) => rule.rule !== "any" && !names.includes(path),
);

/** A key with what each of the two configs says of it. */
interface Said {
  path: string;
  mine: Json | undefined;
  theirs: Json | undefined;
}

const said = (key: Key): fc.Arbitrary<Said> =>
  fc.record({
    path: fc.constant(key.path),
    mine: fc.option(key.values, { nil: undefined }),
    theirs: fc.option(key.values, { nil: undefined, freq: 9 }),
  });

/** A config that says these, with the entries of its own that it has. */
function configOf(values: readonly (readonly [string, Json | undefined])[], own: readonly string[]): string {
  const tree: JsonObject = {};
  for (const list of own) tree[list] = [{ ...entries[list] }];
  for (const [path, value] of values) {
    if (value === undefined) continue;
    const [top = "", ...rest] = path.split(".");
    let table: JsonObject;
    if (Object.hasOwn(entries, top)) {
      tree[top] ??= [{ ...entries[top] }];
      [table] = tree[top] as [JsonObject];
    } else {
      tree[top] ??= {};
      table = tree[top] as JsonObject;
    }
    for (const part of rest.slice(0, -1)) {
      table[part] ??= {};
      table = table[part] as JsonObject;
    }
    table[rest.at(-1) ?? ""] = value;
  }
  // The two are one choice, and a config that makes both is none.
  for (const tool of (tree.tools ?? []) as JsonObject[]) if (tool.steps !== undefined) delete tool.request;
  return Object.entries(tree)
    .map(([key, value]) => `${tomlKey(key)} = ${tomlText(value as Json)}\n`)
    .join("");
}

/** What a user's config comes to, with a workspace's over it; nothing where that must be trusted first. */
function load(user: string, workspace: string | undefined, isTrusted: boolean): JsonObject | undefined {
  const files = memoryFiles({
    ...shipped,
    "/home/me/.config/lsp-proxy/config.toml": user,
    ...(workspace === undefined ? {} : { "/w/lspi.toml": workspace }),
  });
  try {
    const how = request({ isTrusted: () => isTrusted, defaults });
    return loadConfig(how, files).config as JsonObject;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    expect(
      error.problems.filter(({ code }) => code !== "config/untrusted"),
      `${user}\n${workspace}`,
    ).toEqual([]);
    return undefined;
  }
}

function valueAt(config: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = config;
  for (const part of path.split(".")) {
    if (Array.isArray(value))
      value = value.find((entry) => ["s", "t", "m"].includes(nameOf(entry as JsonObject)));
    value = (value as JsonObject | undefined)?.[part];
  }
  return value;
}

const nameOf = (entry: JsonObject): string => String(entry.id ?? entry.name ?? entry.method);

type Value = Json | undefined;
const items = (value: Value): Json[] => (Array.isArray(value) ? value : value === undefined ? [] : [value]);
const texts = (value: Value): string[] => items(value).map(canonicalText);
const isSame = (a: Value, b: Value) => (a === undefined || b === undefined ? a === b : isEqual(a, b));
const isEqual = (a: Json, b: Json) => canonicalText(a) === canonicalText(b);
const isPart = (part: string[], whole: string[]) => part.every((text) => whole.includes(text));
const isNumber = (value: Value): value is number => typeof value === "number";
const compares =
  (fits: (whole: number, mine: number) => boolean) => (whole: Value, mine: Value, rule: DiscoveredRule) =>
    isNumber(mine) ? isNumber(whole) && fits(whole, mine) : rule.unlimited === true || whole === undefined;
const folder = (value: Json) => resolve("/w", String(value));
const lies = (path: string, top: string) => !relative(top, path).startsWith("..");
type Features = { only?: string[]; except?: string[] };
const features = (value: Value): Features => (value ?? {}) as Features;
const mentioned = (value: Value) => [
  "another",
  ...(features(value).only ?? []),
  ...(features(value).except ?? []),
];
const isAsked = (value: Value) => (name: string) =>
  (features(value).only?.includes(name) ?? true) && !features(value).except?.includes(name);
const confinement = (value: Value) => ["read_only", "no_network"].filter((part) => `${value}`.includes(part));

/** Whether a value of the whole is no more than the user's, by what a key says of itself. */
const isLess: { [word in RuleName]: (whole: Value, mine: Value, rule: DiscoveredRule) => boolean } = {
  any: () => true,
  needs_trust: isSame,
  fixed: isSame,
  at_most: compares((whole, mine) => whole <= mine),
  at_least: compares((whole, mine) => whole >= mine),
  at_most_or_never: compares((whole, mine) => mine === 0 || (whole !== 0 && whole <= mine)),
  only_true: (whole, mine) => mine !== true || whole === true,
  only_false: (whole, mine) => mine !== false || whole === false,
  subset: (whole, mine) => isPart(texts(whole), texts(mine)),
  inside: (whole, mine) =>
    items(whole).every((path) => items(mine).some((top) => lies(folder(path), folder(top)))),
  union: (whole, mine) => isPart(texts(mine), texts(whole)),
  selection: (whole, mine) =>
    items(mine).length === 0 || (items(whole).length > 0 && isPart(texts(whole), texts(mine))),
  fewer_features: (whole, mine) =>
    [...mentioned(whole), ...mentioned(mine)].filter(isAsked(whole)).every(isAsked(mine)),
  stricter_sandbox: (whole, mine) => isPart(confinement(mine), confinement(whole)),
};

const lists = ["servers", "tools", "methods", "prompts", "resources"] as const;

/** Holds it for a workspace that is trusted, and for one that is not. */
function check(drawn: readonly Said[], own: readonly string[]): void {
  const user = configOf(
    drawn.map(({ path, mine }) => [path, mine]),
    own,
  );
  const workspace = configOf(
    drawn.map(({ path, theirs }) => [path, theirs]),
    [],
  );
  const alone = load(user, undefined, false);
  if (alone === undefined) throw new Error("the user's own config needs no trust");
  for (const isTrusted of [true, false]) {
    const whole = load(user, workspace, isTrusted);
    const more = whole && keys.find((key) => !isHeld(key, alone, whole, isTrusted));
    if (more)
      throw new Error(
        `trusted: ${isTrusted}: ${more.path} is more than the user's, which is\n${user}under\n${workspace}`,
      );
  }
}

/** Whether what a key comes to is no more than the user's. */
function isHeld(key: Key, alone: JsonObject, whole: JsonObject, isTrusted: boolean): boolean {
  const [top = "", ...rest] = key.path.split(".");
  const isEntry = Object.hasOwn(entries, top);
  const isTheirs = isEntry && valueAt(alone, `${top}.${Object.keys(entries[top] ?? {})[0]}`) === undefined;
  if (isTheirs) return true;
  const below = isEntry ? { [top]: top === "servers" ? defaults.server : {} } : defaults.config;
  const mine = valueAt(alone, key.path);
  const had = mine ?? valueAt(below, isEntry ? [top, ...rest].join(".") : key.path);
  if (mine === undefined && isTrusted && !key.isFirm) return true;
  const held = valueAt(whole, key.path) ?? (mine === undefined ? had : undefined);
  return isLess[key.rule.rule](held, had, key.rule);
}

describe("trusted or not, a found config is no more than the user's", () => {
  test("each key by itself", { timeout: patience }, () => {
    for (const key of keys)
      fc.assert(
        fc.property(said(key), fc.subarray([...lists]), (one, own) => check([one], own)),
        rounds(3),
      );
  });

  test("several at once", { timeout: patience }, () => {
    const some = fc
      .subarray(keys, { minLength: 2, maxLength: 6 })
      .chain((picked) => fc.tuple(...picked.map(said)));
    fc.assert(
      fc.property(some, (drawn) => check(drawn, lists)),
      rounds(80),
    );
  });
});

test("a server of the user's own is asked about no file that it was not asked about before", {
  timeout: patience,
}, () => {
  const files = fc.constantFrom("a", "b", "src/x.a", "src/deep/x.b", "src/deep/a", "x.c", "c");
  const picked = keys.filter(({ path }) => /^servers\.(extensions|filenames|globs)$/.test(path));
  const reached = (config: JsonObject | undefined, path: string) => {
    const [extensions, filenames, globs] = ["extensions", "filenames", "globs"].map(
      (key) => (config && valueAt(config, `servers.${key}`)) ?? [],
    );
    return claims({ extensions, filenames, globs } as unknown as ServerPlan, `/w/${path}`, ["/w"]);
  };
  fc.assert(
    fc.property(fc.tuple(...picked.map(said)), files, (drawn, path) => {
      const [user, workspace] = (["mine", "theirs"] as const).map((whose) =>
        configOf(
          drawn.map((one) => [one.path, one[whose]]),
          ["servers"],
        ),
      );
      if (reached(load(user ?? "", workspace, true), path))
        expect(reached(load(user ?? "", undefined, true), path), `${user}${workspace}`).toBe(true);
    }),
    rounds(200),
  );
});
