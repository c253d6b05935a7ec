/**
 * A message without the texts in it. What may be shown is listed, by name and by form: anything else (code, documentation,
 * settings, messages, keys that are nobody's names) becomes its length, so that the next server's field cannot tell either.
 */
import { codes } from "../base/codes.js";
import { isTable } from "../base/json.js";
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

/** The message with every text that is not known to be harmless as its length. */
export function veil(message: unknown, mayName: MayName): unknown {
  return veiled(message, mayName, top, top);
}

/** The same for a reply whose result may be anything: what a server asks us for may be its settings. */
export function veilResult(reply: { [key: string]: unknown }, mayName: MayName): unknown {
  if (!("result" in reply)) return veil(reply, mayName);
  return { ...(veil({ ...reply, result: null }, mayName) as object), result: closed(reply.result) };
}

function veiled(value: unknown, mayName: MayName, name: string, parent: string): unknown {
  if (typeof value === "string") return isShown(value, mayName, name, parent) ? value : lengthOf(value);
  if (Array.isArray(value)) return value.map((item) => veiled(item, mayName, name, parent));
  if (!isTable(value)) return value;
  const members = Object.entries(value).map(([key, member], index): [string, unknown] => [
    shownNames.has(key) ? key : `${lengthOf(key)} ${index}`,
    CLOSED.has(key) ? closed(member) : veiled(member, mayName, key, name),
  ]);
  return Object.fromEntries(members);
}

function isShown(text: string, mayName: MayName, name: string, parent: string): boolean {
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
