/** The data of `docs/languages.md`: the catalogue by language, and the results of the last matrix run. */
import { isTable, type JsonObject } from "../../src/base/json.js";
import { sortBy, sortedSet } from "../../src/base/order.js";
import { presetsFor } from "../../src/cli/presets.js";
import type { PresetFacts } from "../../src/config/catalogue/preset-index.js";
import type { LanguagesView } from "./docs.js";

/** One letter for each feature without a column of its own. */
const LETTERS: { readonly [feature: string]: string } = {
  completion: "C",
  signature_help: "G",
  rename: "N",
  code_action: "A",
  formatting: "F",
  workspace_symbol: "W",
  implementation: "M",
  type_definition: "T",
  call_hierarchy: "K",
  type_hierarchy: "Y",
  inlay_hint: "I",
  semantic_tokens: "S",
};
const MARKS: { readonly [outcome: string]: string } = { "not asked": "–", "not offered": "–" };

export function languagesView(facts: readonly PresetFacts[], results: JsonObject): LanguagesView {
  const own = facts.filter(({ companion }) => companion !== true);
  const languages = sortedSet(facts.flatMap(({ languages: names = [] }) => names)).filter(
    (name) => name !== "any",
  );
  const cards = sortBy(Object.entries(results), ([server]) => [server]).flatMap(([server, card]) =>
    isTable(card) ? [{ server, card: card as JsonObject }] : [],
  );
  const good = cards.filter(({ card }) => card.ok === true);
  const bad = cards.filter(({ card }) => card.ok !== true);
  return {
    servers: facts.length,
    harmlessCount: facts.filter(({ harmless }) => harmless).length,
    languageCount: languages.length,
    rightCount: good.length,
    sources: sourcesOf(good.map(({ card }) => String(card.source ?? "PATH"))),
    triedCount: cards.filter(({ card }) => Array.isArray(card.probes)).length,
    tried: good.map(({ server, card }) => ({
      server,
      source: String(card.source ?? "PATH"),
      version: versionOf(card.packageVersion ?? card.version),
      more: lettersOf(card.features),
      ...outcomesOf(card.probes),
      time: typeof card.firstAnswerMs === "number" ? `${(card.firstAnswerMs / 1000).toFixed(1)} s` : "–",
    })),
    hasFailures: bad.length > 0,
    failures: bad.map(({ server, card }) => ({ server, why: whyOf(card) })),
    languages: languages.flatMap((name) => {
      const mine = presetsFor(name, own).map(({ id, harmless }) => `\`${id}\`${harmless ? "\\*" : ""}`);
      return mine.length === 0 ? [] : [{ name, names: mine.join(", ") }];
    }),
  };
}

function outcomesOf(probes: unknown) {
  const of = (name: string) => {
    const found = (Array.isArray(probes) ? probes : []).filter(isTable).find(({ probe }) => probe === name);
    const outcome = String(found?.outcome ?? "not asked");
    return MARKS[outcome] ?? outcome;
  };
  return {
    definition: of("definition"),
    references: of("references"),
    hover: of("hover"),
    symbols: of("symbols"),
    diagnostics: of("diagnostics"),
  };
}

/** The version number in a version text. */
function versionOf(version: unknown): string {
  return typeof version === "string" ? (/\d+(?:\.\d+)+[\w.+~-]{0,20}/.exec(version)?.[0] ?? "") : "";
}

function lettersOf(features: unknown): string {
  const offered = new Set(Array.isArray(features) ? features.map(String) : []);
  return Object.entries(LETTERS)
    .flatMap(([feature, letter]) => (offered.has(feature) ? [letter] : []))
    .join("");
}

/** The number of servers by source, most first. */
function sourcesOf(names: readonly string[]): string {
  const counted = sortedSet(names).map((name) => ({
    name,
    count: names.filter((one) => one === name).length,
  }));
  return sortBy(counted, ({ name, count }) => [-count, name])
    .map(({ name, count }) => `${count} from ${name}`)
    .join(", ");
}

function whyOf({ failure, probes, lastError, note: known }: JsonObject): string {
  if (typeof failure === "string") return failure;
  if (typeof known === "string") return known;
  const asked = (Array.isArray(probes) ? probes : []).filter(isTable) as JsonObject[];
  const bad = asked
    .filter(({ outcome }) => outcome === "wrong" || outcome === "refused" || outcome === "empty")
    .map(
      ({ probe, outcome, note }) => `${String(probe)} ${String(outcome)}${note ? ` (${String(note)})` : ""}`,
    );
  return [...bad, ...(typeof lastError === "string" ? [lastError] : [])].join(", ") || "no answer";
}
