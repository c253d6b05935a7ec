/**
 * Which symbols of a file an outline shows. Servers report everything that has a name: the variables inside functions,
 * unnamed callbacks, imported names. An agent that wants an overview asks for less.
 */
import type { AnswerOptions } from "../../abi/handler.js";
import { convertColumn, type Lines } from "../../base/text.js";
import { type Container, functionKinds, isInFunction, isKind } from "../point/symbol-names.js";
import type { FoundSymbol } from "../point/symbols.js";

type Filter = NonNullable<AnswerOptions["filter"]>;

/** Kinds of symbols that are shown even inside a function. */
const declarations: ReadonlySet<string> = new Set([
  ...functionKinds,
  "class",
  "interface",
  "struct",
  "enum",
  "module",
  "namespace",
]);
/** TypeScript's names for functions without one: `map() callback`, `<function>`. */
const unnamed = /\) callback$|^</;
/** How much text before a name may belong to its import. */
const IMPORT_CHARACTERS = 2_000;
/** From `import` to a name: on one line, or in brackets that are still open. */
const importBefore = /(?:^|[\n;])[ \t]*(?:from[ \t]+[\w.]+[ \t]+)?import\b[\w$ \t,*.]*(?:[{(][\w$\s,*]*)?$/;

/** Returns a function that says whether a symbol is shown. */
export function outlineFilter(
  { depth, kinds, locals, imports }: Filter,
  lines: Lines | undefined,
): (symbol: FoundSymbol) => boolean {
  const wanted = wordsIn(kinds);
  return (symbol) => {
    const { kind, container } = symbol.details;
    if (typeof depth === "number" && levelOf(container) > depth) return false;
    if (wanted.length > 0) return wanted.some((word) => isKind(kind, word));
    if (locals === false && isLocal(symbol)) return false;
    return imports !== false || !isImport(symbol, lines);
  };
}

/** The kinds as a list, or as one text with commas. */
function wordsIn(kinds: Filter["kinds"]): string[] {
  const words = typeof kinds === "string" ? kinds.split(",") : Array.isArray(kinds) ? kinds.map(String) : [];
  return words.map((word) => word.trim()).filter((word) => word !== "");
}

function levelOf(container: Container | undefined): number {
  let level = 1;
  for (let outer = container; outer !== undefined; outer = outer.outer) level += 1;
  return level;
}

function isLocal({ details: { name, kind, container } }: FoundSymbol): boolean {
  if (!isInFunction(container)) return false;
  if (!declarations.has(kind)) return true;
  return unnamed.test(name) && container !== undefined && !unnamed.test(container.name);
}

/** Servers report an imported name as a variable or a module; only the text tells. */
export function isImport(
  { server, details: { kind, container, selection } }: FoundSymbol,
  lines: Lines | undefined,
): boolean {
  if (lines === undefined || selection === undefined || container !== undefined) return false;
  if (declarations.has(kind) && kind !== "module" && kind !== "namespace") return false;
  const { line, character } = selection.start;
  if (line >= lines.count) return false;
  const end = lines.start(line) + convertColumn(lines.line(line), character, server.encoding, "utf-16");
  return importBefore.test(lines.text.slice(Math.max(0, end - IMPORT_CHARACTERS), end));
}
