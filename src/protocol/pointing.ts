/**
 * The arguments that point at code, with the dialect's names. The anchors of a tool are alternatives, so an argument is
 * required only if every anchor needs it. `query` is not an alternative but an additional argument.
 */
import type { Anchor, DialectPlan, ToolPlan } from "../abi/plan.js";
import type { JsonObject } from "../base/json.js";
import { spanNames } from "./dialect-format.js";
import { closed, type Fields, joinFields, none, optional, required } from "./schema-fields.js";
import { shapes } from "./shapes.js";

/** The argument that identifies a line by its text. */
export const lineTextName = "line_text";

/** Pointing arguments: name in references (`input.X`) → name in the dialect. */
export function pointingNames(input: readonly Anchor[], dialect: DialectPlan): { [name: string]: string } {
  const names: { [name: string]: string } = {};
  const { document, symbol, query } = dialect;
  const span = spanNames(dialect);
  const flat = dialect.position.form === "flat";
  if (input.some((anchor) => anchor !== "workspace" && anchor !== "query")) names.file_path = document.field;
  if (input.includes("position") || input.includes("range")) {
    if (flat) Object.assign(names, { line: span.line, character: span.character });
    else if (input.includes("position")) names.position = "position";
  }
  if (input.includes("range")) {
    if (flat) Object.assign(names, { end_line: span.endLine, end_character: span.endCharacter });
    else names.range = "range";
  }
  if (input.includes("symbol")) Object.assign(names, { symbol_name: symbol.name, symbol_kind: symbol.kind });
  if (input.includes("text")) names.line_text = lineTextName;
  if (input.includes("query")) names.query = query;
  return names;
}

/** The names of the paging arguments, or of the one that caps the list. */
export function listingNames(tool: Pick<ToolPlan, "page" | "output">, { listing }: DialectPlan): string[] {
  if (tool.page) return [listing.size, listing.cursor];
  return isCapped(tool) && listing.most !== "" ? [listing.most] : [];
}

/** The schema of the pointing arguments. */
export function pointingFields(input: readonly Anchor[], dialect: DialectPlan): Fields {
  const alternatives = input
    .filter((anchor) => anchor !== "query")
    .map((anchor) => anchorFields(anchor, dialect));
  const required = alternatives
    .flatMap((fields) => fields.required)
    .filter((name) => alternatives.every((fields) => fields.required.includes(name)));
  const pointing = {
    properties: joinFields(...alternatives).properties,
    required: [...new Set(required)],
  };
  return input.includes("query") ? joinFields(pointing, queryFields(dialect)) : pointing;
}

/** The schema of the arguments that page or cap a list. */
export function listingFields(
  tool: Pick<ToolPlan, "page" | "output" | "maxItems" | "defaultItems">,
  { listing, members }: DialectPlan,
): Fields {
  const size = (most: number, standard: number | null): JsonObject => ({
    type: "integer",
    minimum: 1,
    ...(listing.beyond === "refuse" ? { maximum: most } : {}),
    description: standard === null ? `1-${most}.` : `1-${most}, default ${standard}.`,
  });
  if (tool.page) {
    const description = `${members.next_cursor ?? "next_cursor"} of the page before.`;
    return optional({
      [listing.size]: size(tool.page.maxSize, tool.page.defaultSize),
      [listing.cursor]: { type: "string", maxLength: 1024, description },
    });
  }
  if (!isCapped(tool) || listing.most === "") return none;
  return optional({ [listing.most]: size(tool.maxItems, tool.defaultItems) });
}

function isCapped(tool: Pick<ToolPlan, "output">): boolean {
  const { shape } = tool.output;
  return shapes[shape].counted && !shapes[shape].uncapped && shape !== "server_status" && shape !== "batch";
}

function anchorFields(anchor: Anchor, dialect: DialectPlan): Fields {
  switch (anchor) {
    case "document":
      return documentArgument(dialect);
    case "position":
      return joinFields(documentArgument(dialect), positionArgument(dialect));
    case "range":
      return joinFields(documentArgument(dialect), rangeArgument(dialect));
    case "symbol":
      return symbolArgument(dialect);
    case "text":
      return joinFields(documentArgument(dialect), lineTextArgument);
    case "query":
      return queryFields(dialect);
    case "workspace":
      return none;
  }
}

export function documentArgument(dialect: DialectPlan): Fields {
  const description = dialect.document.form === "uri" ? "file: URI." : "Relative path or file: URI.";
  return required({ [dialect.document.field]: { type: "string", description } });
}

function positionArgument(dialect: DialectPlan): Fields {
  const { line, character } = spanNames(dialect);
  const point = pointArgument(line, character, dialect, "");
  const given = dialect.position.missing === "first" ? optional(point.properties) : point;
  if (dialect.position.form === "flat") return given;
  return required({ position: closed(given) });
}

function rangeArgument(dialect: DialectPlan): Fields {
  const names = spanNames(dialect);
  if (dialect.position.form === "flat")
    return joinFields(
      pointArgument(names.line, names.character, dialect, "Start: "),
      pointArgument(names.endLine, names.endCharacter, dialect, "End, exclusive: "),
    );
  const point = closed(pointArgument(names.line, names.character, dialect, ""));
  return required({ range: closed(required({ start: point, end: point })) });
}

/** A line and a character. */
export function pointArgument(line: string, character: string, dialect: DialectPlan, prefix: string): Fields {
  const { lineBase, characterBase, unit } = dialect.position;
  const counted = { "utf-8": "bytes", "utf-16": "UTF-16 units", "utf-32": "characters" }[unit];
  return required({
    [line]: { type: "integer", minimum: lineBase, description: `${prefix}${lineBase}-based.` },
    [character]: {
      type: "integer",
      minimum: characterBase,
      description: `${prefix}${characterBase}-based, in ${counted}.`,
    },
  });
}

export function symbolArgument(dialect: DialectPlan): Fields {
  const { name, kind } = dialect.symbol;
  return joinFields(
    optional(documentArgument(dialect).properties),
    required({ [name]: textArgument(512, "Or a name, such as Type/method.") }),
    optional({ [kind]: { type: "string", maxLength: 64, description: "Its kind, e.g. function." } }),
  );
}

const lineTextArgument = required({
  [lineTextName]: textArgument(2000, "Or the line's text, | before the symbol."),
});

function textArgument(maxLength: number, description: string): JsonObject {
  return { type: "string", minLength: 1, maxLength, description };
}

function queryFields(dialect: DialectPlan): Fields {
  const description = "Name or part of it, at most 512 characters.";
  return required({ [dialect.query]: { type: "string", maxLength: 512, description } });
}
