/**
 * Output shapes as data: where the items stand, what one looks like, and in which order they come. The runtime builds
 * values to this table and the generator writes output schemas from it. `<place>` is `line, character`; `<range>` is
 * `line, character, end_line, end_character`; `path` is `uri` in a dialect of URIs; `?` marks what may be absent.
 *
 * | shape             | under         | each item                                                    | beside the list          |
 * |-------------------|---------------|--------------------------------------------------------------|--------------------------|
 * | locations         | `locations`   | path, <range>, text?                                         |                          |
 * | document_symbols  | `symbols`     | name, kind, <range>, container?                              |                          |
 * | workspace_symbols | `symbols`     | name, kind, path, <range>? (all four or none), container?    |                          |
 * | calls             | `calls`       | name, kind, path, <place>, sites: [<place>]                  |                          |
 * | diagnostics       | `diagnostics` | path, <range>, severity, code?, source?, message             | status, why?             |
 * | server_status     | `servers`     | see `serverFields`                                           |                          |
 * | hover             | `contents`    | a Markdown text                                              | range?: <range>          |
 * | text              | –             |                                                              | text (or null), language? |
 * | json              | –             |                                                              | value                    |
 */
import type { DialectPlan, OutputPlan, ShapeName } from "../abi/plan.js";
import type { JsonObject } from "../base/json.js";
import {
  closed,
  documentFields,
  type Fields,
  joinFields,
  optionalFields,
  pointFields,
  spanFields,
} from "./spelling.js";

/** A sort key of a shape's items; `range` stands for its four numbers, `document` for the path or URI. */
export type OrderKey =
  | "document"
  | "range"
  | "place"
  | "name"
  | "kind"
  | "container"
  | "severity"
  | "code"
  | "source"
  | "message"
  | "id"
  | "root";

export interface ShapeFacts {
  description: string;
  /** The member that holds the items; null when the answer is one value. */
  list: string | null;
  /** Whether the items are a result list, with counts, caps and an order of its own. */
  counted: boolean;
  /** Sort keys in order; the canonical text of an item decides last. Empty keeps the order found. */
  order: readonly OrderKey[];
  /** The schema of one item. */
  item(dialect: DialectPlan): JsonObject;
  /** Members beside the list. */
  beside(dialect: DialectPlan, output: OutputPlan): Fields;
}

const text: JsonObject = { type: "string" };
const none: Fields = { properties: {}, required: [] };
const optional = (properties: JsonObject): Fields => ({
  properties,
  required: [],
});
const required = (properties: JsonObject): Fields => ({
  properties,
  required: Object.keys(properties),
});

/** Severities as words, worst first: their order in a sorted list. */
export const severities = ["error", "warning", "information", "hint"] as const;

/** LSP's symbol kinds as words, in its own numbering from 1. */
export const symbolKinds = [
  "file",
  "module",
  "namespace",
  "package",
  "class",
  "method",
  "property",
  "field",
  "constructor",
  "enum",
  "interface",
  "function",
  "variable",
  "constant",
  "string",
  "number",
  "boolean",
  "array",
  "object",
  "key",
  "null",
  "enum_member",
  "struct",
  "event",
  "operator",
  "type_parameter",
] as const;

/** What is told of one server; `null` where nothing is known. */
const serverFields: Fields = required({
  id: text,
  root: { type: ["string", "null"] },
  state: {
    enum: ["idle", "starting", "running", "backoff", "broken", "stopped", "unavailable"],
  },
  readiness: { enum: ["ready", "indexing", "starting", "unknown"] },
  extensions: { type: "array", items: text },
  filenames: { type: "array", items: text },
  languages: { type: "array", items: text },
  features: { type: "array", items: text },
  version: { type: ["string", "null"] },
  encoding: { type: ["string", "null"] },
  pid: { type: ["integer", "null"] },
  uptime_ms: { type: ["integer", "null"] },
  last_used_ms: { type: ["integer", "null"] },
  restarts: { type: "integer" },
  open_documents: { type: "integer" },
  pending_requests: { type: "integer" },
  memory_mb: { type: ["number", "null"] },
  progress: { type: ["string", "null"] },
  last_error: { type: ["string", "null"] },
  stderr: { type: "array", items: text },
  install: { type: ["string", "null"] },
});

const symbolName = required({ name: text, kind: text });

/** The shapes that exist; a name of `ShapeName` that is absent here cannot be used yet. */
export const shapes: { readonly [shape in ShapeName]?: ShapeFacts } = {
  locations: {
    description: "Places in files.",
    list: "locations",
    counted: true,
    order: ["document", "range"],
    item: (dialect) => closed(joinFields(documentFields(dialect), spanFields(dialect), optional({ text }))),
    beside: () => none,
  },
  document_symbols: {
    description: "The symbols of one file.",
    list: "symbols",
    counted: true,
    order: ["range", "name", "kind", "container"],
    item: (dialect) => closed(joinFields(symbolName, spanFields(dialect), optional({ container: text }))),
    beside: () => none,
  },
  workspace_symbols: {
    description: "Symbols of the whole workspace.",
    list: "symbols",
    counted: true,
    order: ["document", "range", "name", "kind", "container"],
    item: (dialect) =>
      closed(
        joinFields(
          symbolName,
          documentFields(dialect),
          optionalFields(spanFields(dialect)),
          optional({ container: text }),
        ),
      ),
    beside: () => none,
  },
  calls: {
    description: "Callers or callees, each with the places of the calls.",
    list: "calls",
    counted: true,
    order: ["document", "place", "name", "kind"],
    item: (dialect) =>
      closed(
        joinFields(
          symbolName,
          documentFields(dialect),
          pointFields(dialect),
          required({
            sites: { type: "array", items: closed(pointFields(dialect)) },
          }),
        ),
      ),
    beside: () => none,
  },
  diagnostics: {
    description: "Errors and warnings, with what is known: `diagnostics`, `clean` or `unknown`.",
    list: "diagnostics",
    counted: true,
    order: ["document", "range", "severity", "code", "source", "message"],
    item: (dialect) =>
      closed(
        joinFields(
          documentFields(dialect),
          spanFields(dialect),
          required({ severity: { enum: [...severities] } }),
          optional({ code: text, source: text }),
          required({ message: text }),
        ),
      ),
    beside: () =>
      joinFields(
        required({ status: { enum: ["diagnostics", "clean", "unknown"] } }),
        optional({ why: text }),
      ),
  },
  hover: {
    description: "Type and documentation, as Markdown texts.",
    list: "contents",
    counted: false,
    order: [],
    item: () => text,
    beside: (dialect) => optional({ range: closed(spanFields(dialect)) }),
  },
  text: {
    description: "One text, or null when the server has none.",
    list: null,
    counted: false,
    order: [],
    item: () => text,
    beside: () => joinFields(required({ text: { type: ["string", "null"] } }), optional({ language: text })),
  },
  json: {
    description: "The value as the server or the steps gave it.",
    list: null,
    counted: false,
    order: [],
    item: () => ({}),
    beside: (_dialect, output) => required({ value: output.schema ?? {} }),
  },
  server_status: {
    description: "The language servers: state, readiness, features, last error.",
    list: "servers",
    counted: true,
    order: ["id", "root"],
    item: () => closed(serverFields),
    beside: () => none,
  },
};

/** The names of the shapes that exist. */
export const shapeNames = Object.keys(shapes) as ShapeName[];
