/**
 * Names and name paths of symbols. An agent writes `Type/method`, `Type.method` or `Type::method`; servers write
 * `(*Type).method` (gopls), `impl Trait for Type` (rust-analyzer), `method(int)` (jdtls), `Type<T>`. All are
 * split into the same plain segments before they are compared.
 */
import { compareText } from "../../base/order.js";
import { cutCharacters, detached } from "../../base/text.js";
import { kindWords, symbolKinds } from "../../protocol/kinds.js";

/** A symbol's name and container. */
export interface NamedSymbol {
  name: string;
  /** The enclosing symbol, if any. */
  container: Container | undefined;
}

/** An enclosing symbol, shared by all its members. */
export interface Container {
  name: string;
  outer: Container | undefined;
  /** Undefined when the server gave only the container's name. */
  kind?: string | undefined;
}

/** Characters of a symbol's name, and of a container path. No name that is written by hand is longer. */
const MAX_NAME = 1_000;
const MAX_PATH = 2_000;
/** Containers that are compared with a qualified name. */
const MAX_DEPTH = 20;

/** A server's name for a symbol, cut where it is too long. */
export function boundedName(name: string): string {
  return name.length <= MAX_NAME ? name : detached(`${cutCharacters(name, MAX_NAME).text}…`);
}

/**
 * The names from the outermost symbol to this one, joined by slashes. Where that is too long, the outer names are left
 * out. It is built when it is shown: the paths of all symbols of a deeply nested file are far larger than the file.
 */
export function containerPath(container: Container): string {
  const names: string[] = [];
  let length = 0;
  for (let one: Container | undefined = container; one !== undefined; one = one.outer) {
    length += one.name.length + 1;
    if (length > MAX_PATH && names.length > 0) {
      names.push("…");
      break;
    }
    names.push(one.name);
  }
  return names.reverse().join("/");
}

/**
 * Compares two containers by their names from the outermost on;
 * none comes last. Builds no paths: sorting compares often.
 */
export function compareContainers(a: Container | undefined, b: Container | undefined): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  const surplus = depthOf(a) - depthOf(b);
  let left = a;
  let right = b;
  for (let up = 0; up < surplus; up++) left = left.outer ?? left;
  for (let up = 0; up < -surplus; up++) right = right.outer ?? right;
  // Both are as deep now. The difference that is found last is the outermost; a shared container has none.
  let lastDifference = surplus;
  while (left !== right) {
    lastDifference = compareText(left.name, right.name) || lastDifference;
    if (left.outer === undefined || right.outer === undefined) break;
    left = left.outer;
    right = right.outer;
  }
  return lastDifference;
}

export const functionKinds: readonly string[] = ["function", "method", "constructor"];

/** Whether a container is a function or is inside one. */
export function isInFunction(container: Container | undefined): boolean {
  for (let outer = container; outer !== undefined; outer = outer.outer)
    if (outer.kind !== undefined && functionKinds.includes(outer.kind)) return true;
  return false;
}

function depthOf(container: Container): number {
  let depth = 0;
  for (let outer = container.outer; outer !== undefined; outer = outer.outer) depth++;
  return depth;
}

/** The last plain segments of a symbol's name path, at least `count` where it has as many. */
function lastSegments({ name, container }: NamedSymbol, count: number): string[] {
  let segments = segmentsOf(name);
  for (let outer = container; outer !== undefined && segments.length < count; outer = outer.outer)
    segments = [...segmentsOf(outer.name), ...segments];
  return segments;
}

/** The words before a declared name, as an agent copies them: `export async function foo`. */
const declarationWords =
  /^(?:(?:abstract|async|class|const|constructor|def|default|enum|export|extern|final|fn|fun|func|function|interface|let|macro|method|mod|module|namespace|object|private|protected|protocol|pub|public|record|static|struct|trait|type|union|val|var)\s+)+(?=\S)/;
/** `src/app.py:Flask`: a file before the name. */
const fileBefore = /^([^\s:]+\.\w+):(?=[^\s:])/;

/**
 * The name that an agent means, without words and a file that are no part of it, and the index of `method[1]`, the
 * second symbol of that name from the top of the file.
 */
export function nameAndIndex(wanted: string): { name: string; index: number | undefined } {
  const cleaned = wanted.trim().replace(declarationWords, "").replace(fileBefore, "$1/");
  const [, name, index] = /^(.+)\[(\d{1,4})\]$/.exec(cleaned) ?? [];
  return name === undefined ? { name: cleaned, index: undefined } : { name, index: Number(index) };
}

/** Whether a symbol has the wanted kind: in any spelling (`EnumMember`, `enum member`), or in a language's own word. */
export function isKind(kind: string, wanted: string): boolean {
  const word = normalizedKind(wanted);
  const known = Object.hasOwn(kindWords, word) ? kindWords[word] : undefined;
  return normalizedKind(kind) === word || known?.includes(kind) === true;
}

/** All words that name a kind. */
export const knownKinds: readonly string[] = [...symbolKinds, ...Object.keys(kindWords)];

function normalizedKind(word: string): string {
  return word.toLowerCase().replaceAll(/[^a-z]/g, "");
}

/** Returns a function that says whether a symbol matches a name or name path. */
export function nameMatcher(wanted: string): (symbol: NamedSymbol) => boolean {
  const asked = segmentsOf(wanted);
  const last = asked.at(-1);
  return (symbol) => {
    if (symbol.name === wanted) return true;
    // A cheap test first: most symbols of a file do not match.
    if (last === undefined || !symbol.name.includes(last)) return false;
    const has = lastSegments(symbol, asked.length);
    if (asked.length > has.length) return false;
    const tail = has.slice(has.length - asked.length);
    return asked.every((segment, index) => segment === tail[index]);
  };
}

/** First segments of a path that stand for the project itself. */
const projectWords: ReadonlySet<string> = new Set(["crate", "self", "super"]);

/**
 * Returns a function that says whether a symbol in a file has a qualified name such as `flask.app.Flask`: the last part
 * is its name, and the others are, in this order, folders, the file or containers.
 */
export function pathMatcher(wanted: string): (symbol: NamedSymbol, file: string) => boolean {
  const asked = segmentsOf(wanted);
  const last = asked.pop();
  while (asked[0] !== undefined && projectWords.has(asked[0])) asked.shift();
  return (symbol, file) => {
    if (last === undefined || asked.length === 0 || identifierOf(symbol.name) !== last) return false;
    const has = [...segmentsOf(file), ...lastSegments(symbol, MAX_DEPTH).slice(0, -1)];
    let at = 0;
    for (const segment of has) if (segment === asked[at]) at++;
    return at === asked.length;
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

/** `(*T).m` → `T.m`; `m(int, T<U>)` → `m`; `T<U>` → `T`. Words after the brackets make it a description. */
function withoutBrackets(name: string): string {
  // TypeScript calls an unnamed function `merge() callback`: it is not `merge`.
  if (/\) \w+$/.test(name)) return name;
  const receiver = /^\(\*?([^()]+)\)\.(.*)$/.exec(name);
  const path = receiver ? `${receiver[1]}.${receiver[2]}` : name;
  return path.replace(/[(<].*$/s, "") || path;
}
