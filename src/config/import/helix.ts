/** Helix's `languages.toml`: servers are defined once, languages refer to them by name. */
import { isTable, type Json, type JsonObject } from "../../base/json.js";
import { sortBy } from "../../base/order.js";
import {
  command,
  type Format,
  type OtherServer,
  rename,
  seconds,
  serversIn,
  under,
  unsupported,
  withoutEmpty,
} from "./format.js";

export const helix: Format = {
  name: "helix",
  title: "languages.toml of Helix",
  matches: (tree) => isTable(tree["language-server"]) || Array.isArray(tree.language),
  lists: under("language-server"),
  servers,
  hasBuiltInServers: true,
  keys: {
    command,
    args: rename("args"),
    environment: rename("env"),
    // Helix sends its `config` both ways.
    config: (value) => ({
      initialize_options: value,
      ...(isTable(value) ? { workspace_configuration: value } : {}),
    }),
    timeout: seconds("request_timeout_ms"),
    "required-root-patterns": unsupported(
      "a server is started for its files; `root_markers` determine the root",
    ),
    // Collected from the languages that name the server.
    "file-types": rename("extensions"),
    filenames: rename("filenames"),
    globs: rename("globs"),
    language_id: rename("language_id"),
    language_ids: rename("language_ids"),
    roots: rename("root_markers"),
    features: rename("features"),
    // All its languages are served here anyway.
    "enable-languages": () => undefined,
  },
};

/** The servers, each with the files, roots and features of the languages that name it. */
function servers(tree: JsonObject): OtherServer[] {
  const languages = (Array.isArray(tree.language) ? tree.language : []).filter((language) =>
    isTable(language),
  );
  const own = under("language-server")(tree).flatMap(serversIn);
  const named = languages.flatMap((language) => references(language).map(({ name }) => String(name)));
  // Most servers are built into Helix, so that a file only names them.
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
    ...withoutEmpty({
      "file-types": plain.map(({ type }) => type),
      filenames: names,
      globs: globs.filter((glob) => !names.includes(glob)).map((glob) => `**/${glob}`),
      roots: [...new Set(roots)],
    }),
    // A language without file types is built into Helix; its files are those of the preset.
    ...(types.length > 0 ? { language_id: id } : {}),
    ...(others.length > 0
      ? { language_ids: Object.fromEntries(others.map((entry) => [String(entry.type), entry.id])) }
      : {}),
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
  return list.map((item) => (isTable(item) ? item : { name: item }));
}

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
