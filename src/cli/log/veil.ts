/**
 * A message without the texts in it. What may be shown is listed, by name and by form: anything else (code, documentation,
 * settings, messages, keys that are nobody's names) becomes its length, so that the next server's field cannot tell either.
 */
import { codes } from "../../base/codes.js";
import { isTable } from "../../base/json.js";
import { shownNames } from "./trace-names.js";

/** Members that may hold anything, secrets included. */
const CLOSED = new Set(["initializationOptions", "settings", "env"]);

const FILE_URI = /^file:\/\/\/\S*$/;
/** Numbers and hashes, as ids and tokens are, and our own tokens. */
const OPAQUE = /^(?:part-\d+|[0-9a-f-]{1,40})$/i;
const NAME = /^[a-z0-9_]{1,64}$/;
const METHOD = /^[$\w-]{1,40}(?:\/[$\w.-]{1,60}){0,4}$/;
const VERSION = /^v?\d+(?:\.\d+){0,3}(?:[-+][0-9a-z.]{1,20})?$/i;
const words = (...list: string[]): RegExp => new RegExp(`^(?:${list.join("|")})$`);

interface Rule {
  form: RegExp;
  /** The member that holds it; a list passes its own name on. Absent: any. */
  within?: readonly string[];
}

const top = "";
const forms: { [name: string]: Rule } = {
  jsonrpc: { form: words("2\\.0") },
  id: { form: OPAQUE, within: [top] },
  method: { form: METHOD, within: [top, "registrations", "unregisterations"] },
  name: { form: NAME, within: ["params"] },
  uri: { form: FILE_URI },
  targetUri: { form: FILE_URI },
  rootUri: { form: FILE_URI },
  oldUri: { form: FILE_URI },
  newUri: { form: FILE_URI },
  languageId: { form: /^[a-z][a-z0-9+#._-]{0,40}$/i, within: ["textDocument"] },
  kind: {
    form: words(
      ...["begin", "report", "end", "full", "unchanged", "markdown", "plaintext", "create", "rename"],
      ...["delete", "snippet", "region", "imports", "comment", "tool", "config", "command", "doc"],
    ),
  },
  token: { form: OPAQUE },
  progressToken: { form: OPAQUE },
  partialResultToken: { form: OPAQUE },
  workDoneToken: { form: OPAQUE },
  requestId: { form: OPAQUE },
  resultId: { form: OPAQUE },
  previousResultId: { form: OPAQUE },
  positionEncoding: { form: words("utf-8", "utf-16", "utf-32") },
  protocolVersion: { form: /^\d{4}-\d{2}-\d{2}$/ },
  version: { form: VERSION, within: ["serverInfo", "clientInfo"] },
  tool: { form: NAME, within: ["structuredContent"] },
  state: { form: words("idle", "starting", "running", "backoff", "broken", "stopped", "unavailable") },
  readiness: { form: words("ready", "indexing", "starting", "unknown") },
  status: { form: words("diagnostics", "clean", "unknown") },
  severity: { form: words("error", "warning", "information", "hint") },
  code: { form: words(...Object.keys(codes)) },
};

/** Whether the file of a URI may be named. */
type MayName = (uri: string) => boolean;

/** How much of a message is shown; of the rest, how much it is. */
const MOST_DEEP = 6;
const MOST_ITEMS = 20;
const MOST_KEYS = 40;
const MOST_TEXT = 160;

/** The message with every text that is not known to be harmless as its length; at most `depth` levels of it. */
export function veil(message: unknown, mayName: MayName, depth = MOST_DEEP): unknown {
  return new Veil(mayName).over(message, top, top, depth);
}

/** The same for a reply whose result may be anything: what a server asks us for may be its settings. */
export function veilResult(reply: { [key: string]: unknown }, mayName: MayName, depth = MOST_DEEP): unknown {
  if (!("result" in reply)) return veil(reply, mayName, depth);
  return { ...(veil({ ...reply, result: null }, mayName, depth) as object), result: closed(reply.result) };
}

/** The message as a line that is no longer than this: with fewer levels of it where need be. */
export function fitting(most: number, line: (depth: number) => string): string {
  for (let depth = MOST_DEEP; ; depth--) {
    const text = line(depth);
    if (depth === 0 || Buffer.byteLength(text) <= most) return text;
  }
}

class Veil {
  constructor(private readonly mayName: MayName) {}

  over(value: unknown, name: string, parent: string, depth: number): unknown {
    if (typeof value === "string")
      return isShown(value, this.mayName, name, parent) ? value : lengthOf(value);
    if (Array.isArray(value)) return this.#list(value, name, parent, depth);
    return isTable(value) ? this.#table(value, name, depth) : value;
  }

  #list(list: readonly unknown[], name: string, parent: string, depth: number): unknown {
    if (depth <= 0) return `<${list.length} items>`;
    const shown = list.slice(0, MOST_ITEMS).map((item) => this.over(item, name, parent, depth - 1));
    return list.length > MOST_ITEMS ? [...shown, `<${list.length - MOST_ITEMS} more>`] : shown;
  }

  #table(table: { [key: string]: unknown }, name: string, depth: number): unknown {
    const entries = Object.entries(table);
    if (depth <= 0) return `<${entries.length} members>`;
    const members = entries
      .slice(0, MOST_KEYS)
      .map(([key, member], index): [string, unknown] => [
        shownNames.has(key) ? key : `${lengthOf(key)} ${index}`,
        CLOSED.has(key) ? closed(member) : this.over(member, key, name, depth - 1),
      ]);
    const more = entries.length - members.length;
    return Object.fromEntries(more > 0 ? [...members, [`<${more} more>`, null]] : members);
  }
}

function isShown(text: string, mayName: MayName, name: string, parent: string): boolean {
  if (text.length > MOST_TEXT) return false;
  const rule = Object.hasOwn(forms, name) ? forms[name] : undefined;
  if (rule === undefined || !(rule.within?.includes(parent) ?? true) || !rule.form.test(text)) return false;
  return rule.form !== FILE_URI || mayName(text);
}

/** Not even the numbers in it are told. */
function closed(value: unknown): unknown {
  return value === null ? null : lengthOf(JSON.stringify(value) ?? "");
}

function lengthOf(text: string): string {
  return `<${text.length} characters>`;
}
