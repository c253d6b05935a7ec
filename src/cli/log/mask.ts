/**
 * Removes texts from a traced message. Only listed field names and value forms are shown; everything else (code,
 * documentation, settings, unknown keys) becomes its length, so that a field of a new server leaks nothing either.
 */
import { codes } from "../../base/codes.js";
import { isTable } from "../../base/json.js";
import { protocolNames } from "./protocol-names.js";

/** Fields that may hold secrets. Their whole value is masked. */
const MASKED_FIELDS = new Set(["initializationOptions", "settings", "env"]);

const FILE_URI = /^file:\/\/\/\S*$/;
/** Ids and tokens: numbers, hashes, and this program's own tokens. */
const OPAQUE = /^(?:part-\d+|[0-9a-f-]{1,40})$/i;
const NAME = /^[a-z0-9_]{1,64}$/;
const METHOD = /^[$\w-]{1,40}(?:\/[$\w.-]{1,60}){0,4}$/;
const VERSION = /^v?\d+(?:\.\d+){0,3}(?:[-+][0-9a-z.]{1,20})?$/i;
const words = (...list: string[]): RegExp => new RegExp(`^(?:${list.join("|")})$`);

interface FieldRule {
  form: RegExp;
  /** The parent fields that the rule applies in (a list has the name of its own field); default: any. */
  within?: readonly string[];
}

const top = "";

function each(form: RegExp, ...names: string[]): { [name: string]: FieldRule } {
  return Object.fromEntries(names.map((name) => [name, { form }]));
}

const rules: { [name: string]: FieldRule } = {
  ...each(FILE_URI, "uri", "targetUri", "rootUri", "oldUri", "newUri"),
  ...each(OPAQUE, "token", "progressToken", "partialResultToken", "workDoneToken"),
  ...each(OPAQUE, "requestId", "resultId", "previousResultId"),
  jsonrpc: { form: words("2\\.0") },
  id: { form: OPAQUE, within: [top] },
  method: { form: METHOD, within: [top, "registrations", "unregisterations"] },
  name: { form: NAME, within: ["params"] },
  languageId: { form: /^[a-z][a-z0-9+#._-]{0,40}$/i, within: ["textDocument"] },
  kind: {
    form: words(
      "begin",
      "report",
      "end",
      "full",
      "unchanged",
      "markdown",
      "plaintext",
      "create",
      "rename",
      "delete",
      "snippet",
      "region",
      "imports",
      "comment",
      "tool",
      "config",
      "command",
      "doc",
    ),
  },
  positionEncoding: { form: words("utf-8", "utf-16", "utf-32") },
  protocolVersion: { form: /^\d{4}-\d{2}-\d{2}$/ },
  version: { form: VERSION, within: ["serverInfo", "clientInfo"] },
  tool: { form: NAME, within: ["structuredContent"] },
  state: {
    form: words("idle", "starting", "running", "backoff", "broken", "stopped", "unavailable", "disabled"),
  },
  readiness: { form: words("ready", "indexing", "starting", "unknown") },
  status: { form: words("diagnostics", "clean", "unknown") },
  severity: { form: words("error", "warning", "information", "hint") },
  code: { form: words(...Object.keys(codes)) },
};

type MayShow = (uri: string) => boolean;

/** How much of a message is shown. Of the rest only the amount is shown. */
const MOST_DEEP = 6;
const MOST_ITEMS = 20;
const MOST_KEYS = 40;
const MOST_TEXT = 160;

/** Replaces every text that is not known to be harmless by its length, and cuts below `depth` levels. */
export function mask(message: unknown, mayShow: MayShow, depth = MOST_DEEP): unknown {
  return maskValue(message, top, top, mayShow, depth);
}

/** Masks a reply of ours to a server. Its whole result is masked: it may be the server's settings. */
export function maskReply(reply: { [key: string]: unknown }, mayShow: MayShow, depth = MOST_DEEP): unknown {
  if (!("result" in reply)) return mask(reply, mayShow, depth);
  return { ...(mask({ ...reply, result: null }, mayShow, depth) as object), result: masked(reply.result) };
}

/** The line with as many levels of the message as fit into `most` bytes. */
export function fitting(most: number, line: (depth: number) => string): string {
  for (let depth = MOST_DEEP; ; depth--) {
    const text = line(depth);
    if (depth === 0 || Buffer.byteLength(text) <= most) return text;
  }
}

/** Masks the value of the field `name` in the field `parent`, down to `depth` levels. */
function maskValue(value: unknown, name: string, parent: string, mayShow: MayShow, depth: number): unknown {
  if (typeof value === "string") return isShown(value, name, parent, mayShow) ? value : lengthOf(value);
  if (Array.isArray(value)) {
    if (depth <= 0) return `<${value.length} items>`;
    const shown = value.slice(0, MOST_ITEMS).map((item) => maskValue(item, name, parent, mayShow, depth - 1));
    return value.length > MOST_ITEMS ? [...shown, `<${value.length - MOST_ITEMS} more>`] : shown;
  }
  if (!isTable(value)) return value;
  const entries = Object.entries(value);
  if (depth <= 0) return `<${entries.length} members>`;
  const members = entries
    .slice(0, MOST_KEYS)
    .map(([key, member], index): [string, unknown] => [
      protocolNames.has(key) ? key : `${lengthOf(key)} ${index}`,
      MASKED_FIELDS.has(key) ? masked(member) : maskValue(member, key, name, mayShow, depth - 1),
    ]);
  const more = entries.length - members.length;
  return Object.fromEntries(more > 0 ? [...members, [`<${more} more>`, null]] : members);
}

function isShown(text: string, name: string, parent: string, mayShow: MayShow): boolean {
  if (text.length > MOST_TEXT) return false;
  const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
  if (rule === undefined || !(rule.within?.includes(parent) ?? true) || !rule.form.test(text)) return false;
  return rule.form !== FILE_URI || mayShow(text);
}

/** Masks a whole value, numbers included. */
function masked(value: unknown): unknown {
  return value === null ? null : lengthOf(JSON.stringify(value) ?? "");
}

function lengthOf(text: string): string {
  return `<${text.length} characters>`;
}
