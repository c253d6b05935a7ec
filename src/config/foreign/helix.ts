/** Helix's `languages.toml`: servers are named once, languages refer to them. */
import { isTable, type Json, type JsonObject } from "../../base/json.js";
import { sortBy } from "../../base/order.js";
import {
  as,
  command,
  entriesIn,
  type ForeignList,
  type ForeignServer,
  type Format,
  known,
  lost,
  seconds,
} from "./format.js";

export const helix: Format = {
  name: "helix",
  title: "languages.toml of Helix",
  matches: (tree) => isTable(tree["language-server"]) || Array.isArray(tree.language),
  lists,
  servers,
  hasOwnServers: true,
  keys: {
    command,
    args: as("args"),
    environment: as("env"),
    // Helix sends its `config` both ways.
    config: (value) => ({
      initialize_options: value,
      ...(isTable(value) ? { workspace_configuration: value } : {}),
    }),
    timeout: seconds("request_timeout_ms"),
    "required-root-patterns": lost("a server is started where its files are; `root_markers` find the root"),
    // Made of the languages that name the server.
    "file-types": as("extensions"),
    filenames: as("filenames"),
    globs: as("globs"),
    language_id: as("language_id"),
    language_ids: as("language_ids"),
    roots: as("root_markers"),
    features: as("features"),
    "enable-languages": known,
  },
};

function lists(tree: JsonObject): ForeignList[] {
  return [{ value: tree["language-server"], at: "language-server" }];
}

/** The servers, each with what the languages that name it say of files, roots and features. */
function servers(tree: JsonObject): ForeignServer[] {
  const languages = (Array.isArray(tree.language) ? tree.language : []).filter(isTable) as JsonObject[];
  const own = lists(tree).flatMap(entriesIn);
  const named = languages.flatMap((language) => references(language).map(({ name }) => String(name)));
  // Helix knows most servers itself: a file then only names them.
  const builtIn = [...new Set(named)]
    .filter((name) => !own.some((server) => server.name === name))
    .map((name) => ({ name, at: `language-servers "${name}"`, entry: {} }));
  const order = new Map(named.toReversed().map((name, at) => [name, named.length - at]));
  return sortBy([...own, ...builtIn], ({ name }) => [order.get(name ?? "") ?? Number.MAX_SAFE_INTEGER]).map(
    (server) => ({ ...server, entry: { ...server.entry, ...filesOf(languages, server.name ?? "") } }),
  );
}

function filesOf(languages: readonly JsonObject[], server: string): JsonObject {
  const mine = languages.filter((language) => references(language).some(({ name }) => name === server));
  const [first] = mine;
  if (first === undefined) return {};
  const id = idOf(first);
  const types = mine.flatMap((language) => fileTypes(language).map((type) => ({ type, id: idOf(language) })));
  const plain = types.filter(({ type }) => typeof type === "string");
  const globs = types.flatMap(({ type }) =>
    isTable(type) && typeof type.glob === "string" ? [type.glob] : [],
  );
  const names = globs.filter((glob) => !/[*?[{/]/.test(glob));
  const others = plain.filter((entry) => entry.id !== id);
  const roots = mine.flatMap(({ roots: markers }) => (Array.isArray(markers) ? markers : []));
  const reference = references(first).find(({ name }) => name === server);
  return {
    ...(plain.length > 0 ? { "file-types": plain.map(({ type }) => type) } : {}),
    ...(names.length > 0 ? { filenames: names } : {}),
    ...(globs.length > names.length
      ? { globs: globs.filter((glob) => !names.includes(glob)).map((glob) => `**/${glob}`) }
      : {}),
    // Without types of its own a language is one that Helix knows, and its files are those that the preset has.
    ...(types.length > 0 ? { language_id: id } : {}),
    ...(others.length > 0
      ? { language_ids: Object.fromEntries(others.map((entry) => [String(entry.type), entry.id])) }
      : {}),
    ...(roots.length > 0 ? { roots: [...new Set(roots)] } : {}),
    ...featuresOf(reference),
  };
}

function fileTypes({ "file-types": types }: JsonObject): Json[] {
  return Array.isArray(types) ? types : [];
}

function idOf({ "language-id": id, name }: JsonObject): string {
  return String(id ?? name ?? "plaintext");
}

function references({ "language-servers": list }: JsonObject): JsonObject[] {
  if (!Array.isArray(list)) return [];
  return list.map((item) => (isTable(item) ? (item as JsonObject) : { name: item }));
}

/** Helix's feature names that are spelt otherwise here. */
const FEATURES: { readonly [name: string]: string } = {
  "goto-definition": "definition",
  "goto-declaration": "declaration",
  "goto-type-definition": "type_definition",
  "goto-reference": "references",
  "goto-implementation": "implementation",
  format: "formatting",
  "rename-symbol": "rename",
  "inlay-hints": "inlay_hint",
  "document-symbols": "document_symbol",
  "workspace-symbols": "workspace_symbol",
};

function featuresOf(reference: JsonObject | undefined): JsonObject {
  const only = names(reference?.["only-features"]);
  const except = names(reference?.["except-features"]);
  if (only.length > 0) return { features: { only } };
  return except.length > 0 ? { features: { except } } : {};
}

function names(value: Json | undefined): string[] {
  return (Array.isArray(value) ? value : []).map(
    (name) => FEATURES[String(name)] ?? String(name).replaceAll("-", "_"),
  );
}
