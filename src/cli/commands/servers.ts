/** `servers`: lists the language servers of the catalogue, or shows the details of one. */
import { escapeLine } from "../../base/hidden-characters.js";
import { sortBy } from "../../base/order.js";
import { plural } from "../../base/words.js";
import type { Preset } from "../../config/catalogue/catalogue.js";
import { languageNamed } from "../../config/catalogue/language-names.js";
import { type PresetFacts, presetFacts } from "../../config/catalogue/preset-index.js";
import { type Command, exitCodes, failure, printJson } from "../command.js";
import { configFlags, toggle } from "../flags.js";
import { installCommand, waysText } from "../install/ways.js";
import {
  extensionIn,
  findInstalled,
  isPreferred,
  openCatalogue,
  type Presence,
  presenceText,
  presetNamed,
  presetsFor,
} from "../presets.js";
import { table } from "../terminal/layout.js";
import { some } from "../terminal/text.js";

export const servers: Command = {
  name: "servers",
  summary: "Lists the language servers of the catalogue, or shows the details of one.",
  usage: "[SEARCH]",
  description:
    "SEARCH is a language, an extension, or a part of a name; the best servers come first. The full name of a server\n" +
    "shows its details.",
  flags: {
    workspace: configFlags.workspace,
    "trust-workspace": toggle("Also searches the workspace's node_modules/.bin."),
    installed: toggle("Lists only installed servers."),
    json: toggle("Prints JSON."),
  },
  words: { min: 0, max: 1 },
  completes: "servers",
  examples: [
    "lsp-proxy servers python",
    "lsp-proxy servers c#",
    "lsp-proxy servers .rs",
    "lsp-proxy servers pyright",
  ],
  async run(input, io) {
    const catalogue = openCatalogue();
    const facts = catalogue.facts();
    const [search] = input.words;
    const language = languageIn(search, facts);
    const matching = facts.filter((preset) => search === undefined || matches(preset, search, language));
    const presence = await findInstalled(matching, input, io, { isForProject: false });
    const onlyInstalled = input.isOn("installed");
    const found = matching.filter((preset) => !onlyInstalled || presence(preset) === "installed");
    const isFirst = (preset: PresetFacts) => isPreferred(preset, facts, language);
    const presets = sortBy(found, (preset) => [
      ...(search === undefined ? [] : relevance(preset, search, isFirst(preset))),
      preset.id,
    ]);
    const roleOf = (preset: PresetFacts) =>
      preset.companion ? "companion" : isFirst(preset) ? "preferred" : "";
    if (input.isOn("json")) {
      const rows = presets.map((preset) => ({
        id: preset.id,
        languages: preset.languages ?? [],
        role: roleOf(preset),
        installed: presence(preset) === "installed",
        in_node_modules: presence(preset) === "untrusted",
        install: installCommand(preset),
      }));
      printJson(io, { servers: rows });
      return rows.length > 0 ? exitCodes.ok : exitCodes.no;
    }
    const exact = search === undefined ? undefined : presetNamed(search, facts);
    const preset = exact && catalogue.preset(exact.id);
    if (preset && !onlyInstalled) {
      const rivals = language === undefined ? [] : presetsFor(language, facts);
      const others = rivals.filter(({ id, companion }) => id !== preset.config.id && !companion);
      const details = detailsOf(preset, presence(preset.config));
      for (const [name, value] of [...details, ["others", others.map(({ id }) => id).join(", ")]])
        if (value) io.stdout.writeText(`${name?.padEnd(9)}  ${escapeLine(value)}\n`, 11);
      return exitCodes.ok;
    }
    const [first] = presets;
    if (first === undefined) return failure(io, `nothing in the catalogue matches \`${search ?? ""}\``);
    const cells = presets.map((preset) => {
      const state = presence(preset);
      const here = state === "missing" ? "" : presenceText(state, installCommand(preset), preset.loads);
      const about = catalogue.summary(preset.id);
      return [preset.id, about, some(preset.languages ?? [], 4), roleOf(preset), here];
    });
    io.stdout.write(table(["server", "about", "languages", "role", "here"], cells, io.stdout.columns));
    const why =
      language && roleOf(first) === "preferred" ? catalogue.preset(first.id)?.config.preferred : undefined;
    if (why !== undefined) io.stdout.writeText(`\n${first.id} is preferred for ${language}: ${why}\n`);
    const here = presets.filter((preset) => presence(preset) === "installed").length;
    const counts = `${plural(presets.length, "server")}, ${here} installed here`;
    io.stdout.writeText(`\n${counts}. \`lsp-proxy servers NAME\` shows the details of one.\n`);
  },
};

/** The language whose whole name or alias was searched for. */
function languageIn(search: string | undefined, facts: readonly PresetFacts[]): string | undefined {
  const word = languageNamed(search ?? "");
  return facts.some(({ languages = [] }) => languages.includes(word)) ? word : undefined;
}

/** A language's name finds its servers and those with the word in their name: `java` is no part of `javascript`. */
function matches(
  { id, kinds = [], languages = [], extensions = [] }: PresetFacts,
  search: string,
  language: string | undefined,
): boolean {
  const word = search.toLowerCase();
  if (extensions.includes(extensionIn(word))) return true;
  if (/^\*?\./.test(word)) return false;
  const names = [id, ...kinds].map((name) => name.toLowerCase());
  if (language === undefined) return [...names, ...languages].some((name) => name.includes(word));
  return languages.includes(language) || names.some((name) => name.split(/[-_]/).includes(word));
}

/** The server of that name comes first, then the preferred one, then the others, companions last. */
function relevance({ id, kinds = [], companion }: PresetFacts, search: string, isFirst: boolean): number[] {
  const isNamed = [id, ...kinds].includes(search.toLowerCase());
  return [isNamed ? 0 : 1, isFirst ? 0 : 1, companion === true ? 1 : 0];
}

function detailsOf({ config, about }: Preset, presence: Presence): [string, string | undefined][] {
  const { loads = [], harmless } = presetFacts(config);
  const extensions = (config.extensions ?? []).map((extension) => `.${extension}`);
  const files = [...extensions, ...(config.filenames ?? []), ...(config.globs ?? [])];
  return [
    ["server", [config.id, ...(config.kinds ?? [])].join(", ")],
    ["about", about],
    ["languages", config.languages?.join(", ")],
    ["role", config.companion ? "companion: it is added beside a language's main server" : undefined],
    ["preferred", config.preferred],
    ["starts", [config.command ?? [], config.args ?? []].flat(2).join(" ") || "nothing: it runs elsewhere"],
    ["files", files.join(" ")],
    ["here", presenceText(presence, "", loads)],
    [
      "trust",
      harmless ? "not needed: it runs no code of a project" : "needed: it may run code of the project",
    ],
    ["install", `${installCommand(config)} (${waysText(config.install ?? {})})`],
    ["homepage", config.homepage],
  ];
}
