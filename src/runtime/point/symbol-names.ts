/**
 * Names and name paths of symbols. An agent writes `Type/method`, `Type.method` or `Type::method`; servers write
 * `(*Type).method` (gopls), `impl Trait for Type` (rust-analyzer), `method(int)` (jdtls), `Type<T>`. All are brought
 * to the same plain segments before they are compared.
 */

/** A symbol as far as its name goes. */
export interface NamedSymbol {
  name: string;
  /** What it stands in; undefined for nothing. */
  container: Container | undefined;
}

/** What symbols stand in, shared by those that do. */
export interface Container {
  name: string;
  outer: Container | undefined;
  /** Its own name and those of what it stands in, as one text. */
  path: string;
}

/** A container of that name, in another one or in none. */
export function containerOf(name: string, outer?: Container): Container {
  return { name, outer, path: outer === undefined ? name : `${outer.path}/${name}` };
}

/** The names of what a symbol stands in and its own, outermost first. */
function namesOf({ name, container }: NamedSymbol): string[] {
  const names = [name];
  for (let outer = container; outer !== undefined; outer = outer.outer) names.push(outer.name);
  return names.reverse();
}

/** A name and which of its bearers is meant: `method[1]` is the second of that name, from the top of the file. */
export function nameAndIndex(wanted: string): { name: string; index: number | undefined } {
  const [, name, index] = /^(.+)\[(\d{1,4})\]$/.exec(wanted) ?? [];
  return name === undefined ? { name: wanted, index: undefined } : { name, index: Number(index) };
}

/** Whether a kind is the one that an agent means: `EnumMember`, `enum member` and `enum_member` are the same. */
export function isKind(kind: string, wanted: string): boolean {
  const plain = (word: string) => word.toLowerCase().replaceAll(/[^a-z]/g, "");
  return plain(kind) === plain(wanted);
}

/** Tells of a symbol whether it is one that a name or name path means. */
export function nameMatcher(wanted: string): (symbol: NamedSymbol) => boolean {
  const asked = segmentsOf(wanted);
  const last = asked.at(-1);
  return (symbol) => {
    if (symbol.name === wanted) return true;
    // Most of a file's symbols have nothing of the name in theirs.
    if (last === undefined || !symbol.name.includes(last)) return false;
    const has = namesOf(symbol).flatMap(segmentsOf);
    if (asked.length > has.length) return false;
    const tail = has.slice(has.length - asked.length);
    return asked.every((segment, index) => segment === tail[index]);
  };
}

/** The last plain segment: the identifier itself. */
export function identifierOf(name: string): string {
  return segmentsOf(name).at(-1) ?? name;
}

/** The plain segments of a name or name path. */
export function segmentsOf(name: string): string[] {
  return withoutBrackets(name.replace(/^impl\b.*\sfor\s+/, "").replace(/^impl\b\s*(?:<[^>]*>)?\s*/, ""))
    .split(/[/.#]|::/)
    .map((segment) => segment.trim())
    .filter((segment) => segment !== "");
}

/** `(*T).m` → `T.m`; `m(int, T<U>)` → `m`; `T<U>` → `T`. */
function withoutBrackets(name: string): string {
  const receiver = /^\(\*?([^()]+)\)\.(.*)$/.exec(name);
  const plain = receiver ? `${receiver[1]}.${receiver[2]}` : name;
  return plain.replace(/[(<].*$/s, "") || plain;
}
