/** What docs/languages.md shows: the catalogue by language, and what the last run of the matrix saw. */
import { isTable, type JsonObject } from "../base/json.js";
import { sortBy, sortedSet } from "../base/order.js";
import type { PresetFacts } from "../config/preset-index.js";
import type { LanguagesView } from "../emit/docs.js";
import { presetsFor } from "./presets.js";

const MARKS: { readonly [outcome: string]: string } = { "not asked": "–", "not offered": "–" };

/** The view of a catalogue and the matrix's results, by server. */
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
    languageCount: languages.length,
    rightCount: good.length,
    triedCount: cards.filter(({ card }) => Array.isArray(card.probes)).length,
    tried: good.map(({ server, card }) => ({
      server,
      version: versionOf(card.version),
      ...outcomesOf(card.probes),
      time: typeof card.firstAnswerMs === "number" ? `${(card.firstAnswerMs / 1000).toFixed(1)} s` : "–",
    })),
    hasFailures: bad.length > 0,
    failures: bad.map(({ server, card }) => ({ server, why: whyOf(card) })),
    languages: languages.flatMap((name) => {
      const mine = presetsFor(name, own).map(({ id }) => `\`${id}\``);
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

/** The number in what a server calls its version. */
function versionOf(version: unknown): string {
  return typeof version === "string" ? (/\d+(?:\.\d+)+\S{0,20}/.exec(version)?.[0] ?? "") : "";
}

function whyOf({ failure, probes, lastError }: JsonObject): string {
  if (typeof failure === "string") return failure;
  const asked = (Array.isArray(probes) ? probes : []).filter(isTable) as JsonObject[];
  const bad = asked
    .filter(({ outcome }) => outcome === "wrong" || outcome === "refused" || outcome === "empty")
    .map(
      ({ probe, outcome, note }) => `${String(probe)} ${String(outcome)}${note ? ` (${String(note)})` : ""}`,
    );
  return [...bad, ...(typeof lastError === "string" ? [lastError] : [])].join(", ") || "no answer";
}
