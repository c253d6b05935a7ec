/** `servers`: the catalogue as a table, or all that it says of one server. */
import { sortBy } from "../../base/order.js";
import type { Preset } from "../../config/catalogue/catalogue.js";
import { languageNamed } from "../../config/catalogue/language-names.js";
import { type PresetFacts, presetFacts } from "../../config/catalogue/preset-index.js";
import { type Command, exitCodes, isOn, type Surroundings } from "../command.js";
import { configFlags } from "../flags.js";
import {
  isPreferred,
  lookAround,
  openCatalogue,
  type Presence,
  presetNamed,
  presetsFor,
} from "../presets.js";
import { some, table } from "../terminal/table.js";
import { installLine } from "../trial/install-line.js";

export const servers: Command = {
  name: "servers",
  summary: "Lists the language servers of the catalogue; tells all of one.",
  usage: "[SEARCH]",
  description:
    "A table of servers with their languages, which of them is preferred for a language, and which are installed here.\n" +
    "SEARCH is a part of a server's name or of a language, or an extension; those that are preferred come first. The whole\n" +
    "name of a server shows all that the catalogue says of it.",
  flags: {
    workspace: configFlags.workspace as Command["flags"][string],
    "trust-workspace": {
      type: "boolean",
      description: "Also looks into the workspace's node_modules/.bin.",
    },
    installed: { type: "boolean", description: "Only those that are installed here." },
    json: { type: "boolean", description: "Prints JSON." },
  },
  words: { min: 0, max: 1 },
  examples: [
    "lsp-proxy servers",
    "lsp-proxy servers python",
    "lsp-proxy servers .rs",
    "lsp-proxy servers pyright",
  ],
  async run(input, io) {
    const catalogue = openCatalogue();
    const facts = catalogue.facts();
    const [search] = input.words;
    const matching = facts.filter((preset) => search === undefined || matches(preset, search));
    const presence = await lookAround(matching, input, io);
    const isHere = (preset: PresetFacts) => presence(preset) === "installed";
    const found = matching.filter((preset) => !isOn(input, "installed") || isHere(preset));
    const language = languageIn(search, facts);
    const isFirst = (preset: PresetFacts) => isPreferred(preset, facts, language);
    const place = (preset: PresetFacts) => (search !== undefined && isFirst(preset) ? 0 : 1);
    const rows = sortBy(found, (preset) => [place(preset), preset.id]).map((preset) => ({
      id: preset.id,
      languages: preset.languages ?? [],
      role: preset.companion ? "companion" : isFirst(preset) ? "preferred" : "",
      installed: isHere(preset),
      in_node_modules: presence(preset) === "untrusted",
      install: installLine(preset),
    }));
    if (isOn(input, "json")) {
      io.stdout.write(`${JSON.stringify({ servers: rows }, null, 2)}\n`);
      return rows.length > 0 ? exitCodes.ok : exitCodes.no;
    }
    const exact = search === undefined ? undefined : presetNamed(search, facts);
    const preset = exact && catalogue.preset(exact.id);
    if (preset && !isOn(input, "installed")) {
      const rivals = language === undefined ? [] : presetsFor(language, facts);
      show(preset, presence(preset.config), io);
      const others = rivals.filter(({ id, companion }) => id !== preset.config.id && !companion);
      if (others.length > 0) tellOne("others", others.map(({ id }) => id).join(", "), io);
      return exitCodes.ok;
    }
    if (rows.length === 0) {
      io.stderr.write(`lsp-proxy: nothing in the catalogue matches \`${search ?? ""}\`\n`);
      return exitCodes.no;
    }
    const standing = new Map(found.map((entry) => [entry.id, HERE[presence(entry)]]));
    const cells = rows.map(({ id, languages, role }) => [
      id,
      some(languages, 4),
      role,
      standing.get(id) ?? "",
    ]);
    io.stdout.write(table(["server", "languages", "role", "here"], cells));
    const [first] = rows;
    const why =
      language && first?.role === "preferred" ? catalogue.preset(first.id)?.config.preferred : undefined;
    if (why !== undefined) io.stdout.write(`\n${first?.id} is preferred for ${language}: ${why}\n`);
    const here = rows.filter(({ installed }) => installed).length;
    io.stdout.write(
      `\n${rows.length} server${rows.length === 1 ? "" : "s"}, ${here} installed here. \`lsp-proxy servers NAME\` tells all of one.\n`,
    );
    return exitCodes.ok;
  },
};

const HERE: { readonly [presence in Presence]: string } = {
  installed: "installed",
  incomplete: "installed, but not what it loads",
  untrusted: "in node_modules/.bin, not trusted",
  missing: "",
};

/** The language that a search names as a whole. */
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

/** One server as its file has it, with what this machine adds. */
function show({ config, about }: Preset, presence: Presence, io: Surroundings): void {
  const files = [
    ...(config.extensions ?? []).map((extension) => `.${extension}`),
    ...(config.filenames ?? []),
  ];
  const facts: [string, string | undefined][] = [
    ["server", [config.id, ...(config.kinds ?? [])].join(", ")],
    ["about", about],
    ["languages", config.languages?.join(", ")],
    ["role", config.companion ? "companion: it is added beside a language's own server" : undefined],
    ["preferred", config.preferred],
    ["starts", [config.command ?? [], config.args ?? []].flat(2).join(" ") || "nothing: it runs elsewhere"],
    ["files", [...files, ...(config.globs ?? [])].join(" ")],
    ["here", standingText(config, presence)],
    [
      "trust",
      presetFacts(config).harmless
        ? "it is known to run nothing of a project, and needs none"
        : "it may run code of the project, and waits for `lsp-proxy trust` there",
    ],
    ["install", installLine(config)],
    ["homepage", config.homepage],
  ];
  for (const [name, value] of facts) if (value) tellOne(name, value, io);
}

function standingText(config: Preset["config"], presence: Presence): string {
  const { loads = [] } = presetFacts(config);
  return presence === "incomplete"
    ? `installed without ${loads.join(", ")}, which it loads`
    : HERE[presence] || "not installed";
}

function tellOne(name: string, value: string, io: Surroundings): void {
  io.stdout.write(`${name.padEnd(9)}  ${value}\n`);
}
