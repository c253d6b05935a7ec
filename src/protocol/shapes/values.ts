/** The shapes hover, completions, signatures, text, json, batch and server_status. */
import type { JsonObject } from "../../base/json.js";
import { spanSchema } from "../dialect-format.js";
import { closed, count, flag, joinFields, optional, required, text, texts } from "../schema-fields.js";
import type { ShapeFacts } from "./facts.js";

const markedText = closed(required({ kind: { enum: ["markdown", "plaintext"] }, value: text }));

const lspPoint = closed(required({ line: count, character: count }));

/** A hover as LSP has it; null for none. */
const rawHover: JsonObject = {
  oneOf: [
    closed(
      required({ contents: markedText }),
      optional({ range: closed(required({ start: lspPoint, end: lspPoint })) }),
    ),
    { type: "null" },
  ],
};

/** Type and documentation: Markdown texts, or `{ kind, value }` if the tool sets `marked`. */
export const hoverFacts: ShapeFacts = {
  list: "contents",
  counted: false,
  order: [],
  item: (_dialect, output) => (output.marked ? markedText : text),
  otherMembers: (dialect, { joined, raw }) =>
    optional({
      ...(joined === undefined ? {} : { [joined]: text }),
      ...(raw === undefined ? {} : { [raw]: rawHover }),
      range: spanSchema(dialect),
    }),
};

/** Completions at a position, in the order of the server. */
export const completionsFacts: ShapeFacts = {
  list: "completions",
  counted: true,
  // The shape sorts by the server's `sortText`, which the answer does not contain.
  order: [],
  item: () =>
    closed(
      required({ label: text, kind: text }),
      optional({ detail: text, documentation: text, insert: text, deprecated: { const: true } }),
    ),
  otherMembers: () => required({ prefix: text, incomplete: flag }),
};

const parameter = closed(required({ label: text }), optional({ documentation: text }));

/** The signatures of a call, the active one first. */
export const signaturesFacts: ShapeFacts = {
  list: "signatures",
  counted: true,
  order: [],
  item: () =>
    closed(
      required({ label: text, active: flag, parameters: { type: "array", items: parameter } }),
      optional({ active_parameter: count, documentation: text }),
    ),
};

/** One text, or null if the server has none. */
export const textFacts: ShapeFacts = {
  list: null,
  counted: false,
  order: [],
  item: () => text,
  otherMembers: () =>
    joinFields(required({ text: { type: ["string", "null"] } }), optional({ language: text })),
};

/** A JSON value; with a declared schema, one that fits it. */
export const jsonFacts: ShapeFacts = {
  list: null,
  counted: false,
  order: [],
  item: () => ({}),
  otherMembers: (_dialect, output) => required({ value: output.schema ?? {} }),
};

const mark = { const: true };
const byWord = joinFields(
  required({ outcome: { enum: ["done", "failed", "skipped"] } }),
  optional({ code: text, summary: text, answer: { type: "object" } }),
);
const bySuccess = joinFields(
  required({ success: flag }),
  optional({ result: { type: "object" }, error: text }),
);

/** The outcome of each operation of a batch, in order, and their counts. */
export const batchFacts: ShapeFacts = {
  list: "operations",
  counted: true,
  isWhole: true,
  order: [],
  item: (_dialect, output) =>
    closed(
      required({ index: count, tool: text }),
      optional({ id: text }),
      output.outcomes === "success" ? bySuccess : byWord,
      optional({ needs_disambiguation: mark, answer_dropped: mark }),
    ),
  otherMembers: () => required({ successful: count, failed: count, skipped: count }),
};

const textOrNull: JsonObject = { type: ["string", "null"] };
const integerOrNull: JsonObject = { type: ["integer", "null"] };
const integer: JsonObject = { type: "integer" };

/** The state of each language server; null means unknown or none. */
export const serverStatusFacts: ShapeFacts = {
  list: "servers",
  counted: true,
  order: ["id", "root"],
  item: () =>
    closed(
      required({
        id: text,
        root: textOrNull,
        other_roots: texts,
        state: {
          enum: ["idle", "starting", "running", "backoff", "broken", "stopped", "unavailable", "disabled"],
        },
        readiness: { enum: ["ready", "indexing", "starting", "unknown"] },
        extensions: texts,
        filenames: texts,
        languages: texts,
        features: texts,
        version: textOrNull,
        encoding: textOrNull,
        pid: integerOrNull,
        uptime_ms: integerOrNull,
        last_used_ms: integerOrNull,
        restarts: integer,
        open_documents: integer,
        pending_requests: integer,
        memory_mb: { type: ["number", "null"] },
        locked: { type: ["boolean", "null"] },
        progress: textOrNull,
        not_watched: texts,
        last_error: textOrNull,
        stderr: texts,
        install: textOrNull,
      }),
    ),
};
