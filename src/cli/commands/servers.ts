/** `servers`: lists the language servers of the catalogue, or shows the details of one. */
import { sortBy } from "../../base/order.js";
import type { Preset } from "../../config/catalogue/catalogue.js";
import { languageNamed } from "../../config/catalogue/language-names.js";
import { type PresetFacts, presetFacts } from "../../config/catalogue/preset-index.js";
import { type Command, exitCodes, failure, printJson } from "../command.js";
import { configFlags, toggle } from "../flags.js";
import { installLine } from "../installed.js";
import {
  findInstalled,
  isPreferred,
  openCatalogue,
  type Presence,
  presetNamed,
  presetsFor,
} from "../presets.js";
import { plural, some, table } from "../terminal/text.js";

export const servers: Command = {
  name: "servers",
  summary: "Lists the language servers of the catalogue, or shows the details of one.",
  usage: "[SEARCH]",
  description:
    "A table of servers with their languages, which of them is preferred for a language, and which are installed.\n" +
    "SEARCH is a part of a server's name or of a language, or an extension; preferred servers come first. The full name of\n" +
    "a server shows its details.",
  flags: {
    workspace: configFlags.workspace,
    "trust-workspace": toggle("Also searches the workspace's node_modules/.bin."),
    installed: toggle("Lists only installed servers."),
    json: toggle("Prints JSON."),
  },
  words: { min: 0, max: 1 },
  examples: ["lsp-proxy servers python", "lsp-proxy servers .rs", "lsp-proxy servers pyright"],
  async run(input, io) {
    const catalogue = openCatalogue();
    const facts = catalogue.facts();
    const [search] = input.words;
    const matching = facts.filter((preset) => search === undefined || matches(preset, search));
    const presence = await findInstalled(matching, input, io);
    const onlyInstalled = input.isOn("installed");
    const found = matching.filter((preset) => !onlyInstalled || presence(preset) === "installed");
    const language = languageIn(search, facts);
    const isFirst = (preset: PresetFacts) => isPreferred(preset, facts, language);
    const rank = (preset: PresetFacts) => (search !== undefined && isFirst(preset) ? 0 : 1);
    const presets = sortBy(found, (preset) => [rank(preset), preset.id]);
    const roleOf = (preset: PresetFacts) =>
      preset.companion ? "companion" : isFirst(preset) ? "preferred" : "";
    if (input.isOn("json")) {
      const rows = presets.map((preset) => ({
        id: preset.id,
        languages: preset.languages ?? [],
        role: roleOf(preset),
        installed: presence(preset) === "installed",
        in_node_modules: presence(preset) === "untrusted",
        install: installLine(preset),
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
        if (value) io.stdout.write(`${name?.padEnd(9)}  ${value}\n`);
      return exitCodes.ok;
    }
    const [first] = presets;
    if (first === undefined) return failure(io, `nothing in the catalogue matches \`${search ?? ""}\``);
    const cells = presets.map((preset) => [
      preset.id,
      some(preset.languages ?? [], 4),
      roleOf(preset),
      presenceWords[presence(preset)],
    ]);
    io.stdout.write(table(["server", "languages", "role", "here"], cells));
    const why =
      language && roleOf(first) === "preferred" ? catalogue.preset(first.id)?.config.preferred : undefined;
    if (why !== undefined) io.stdout.write(`\n${first.id} is preferred for ${language}: ${why}\n`);
    const here = presets.filter((preset) => presence(preset) === "installed").length;
    const counts = `${plural(presets.length, "server")}, ${here} installed here`;
    io.stdout.write(`\n${counts}. \`lsp-proxy servers NAME\` shows the details of one.\n`);
  },
};

const presenceWords: { readonly [presence in Presence]: string } = {
  installed: "installed",
  incomplete: "installed, but not what it loads",
  untrusted: "in node_modules/.bin, not trusted",
  missing: "",
};

/** The language whose whole name or alias was searched for. */
function languageIn(search: string | undefined, facts: readonly PresetFacts[]): string | undefined {
  const word = search === undefined ? undefined : languageNamed(search);
  return facts.some(({ languages = [] }) => word !== undefined && languages.includes(word))
    ? word
    : undefined;
}

function matches({ id, kinds = [], languages = [], extensions = [] }: PresetFacts, search: string): boolean {
  const word = search.toLowerCase();
  if (/^\*?\./.test(word)) return extensions.includes(word.replace(/^\*?\./, ""));
  return (
    [id, ...kinds, ...languages].some((name) => name.toLowerCase().includes(word)) ||
    extensions.includes(word)
  );
}

function detailsOf({ config, about }: Preset, presence: Presence): [string, string | undefined][] {
  const { loads = [], harmless } = presetFacts(config);
  const extensions = (config.extensions ?? []).map((extension) => `.${extension}`);
  const files = [...extensions, ...(config.filenames ?? []), ...(config.globs ?? [])];
  const here =
    presence === "incomplete"
      ? `installed without ${loads.join(", ")}, which it loads`
      : presenceWords[presence] || "not installed";
  return [
    ["server", [config.id, ...(config.kinds ?? [])].join(", ")],
    ["about", about],
    ["languages", config.languages?.join(", ")],
    ["role", config.companion ? "companion: it is added beside a language's main server" : undefined],
    ["preferred", config.preferred],
    ["starts", [config.command ?? [], config.args ?? []].flat(2).join(" ") || "nothing: it runs elsewhere"],
    ["files", files.join(" ")],
    ["here", here],
    [
      "trust",
      harmless
        ? "it is known to run no code of a project, and needs no trust"
        : "it may run code of the project, and is started only after `lsp-proxy trust`",
    ],
    ["install", installLine(config)],
    ["homepage", config.homepage],
  ];
}
