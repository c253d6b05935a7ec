/**
 * Notifies servers of an applied edit and compares the errors of files before and after it. Nothing here throws:
 * a server that fails or is slow makes the result `unknown`, not the edit a failure.
 */
import { canonicalText, isTable, type JsonObject } from "../../base/json.js";
import { sortBy, sortedSet, uniqueBy } from "../../base/order.js";
import { pathAfterMove, pathOfUri } from "../../base/paths.js";
import { Refusal } from "../../base/problem.js";
import { Turns, untilAborted, withDeadline } from "../../base/timing.js";
import type { LanguageServer } from "../../lsp/types.js";
import { itemKey } from "../../protocol/item-order.js";
import { severities } from "../../protocol/kinds.js";
import { diagnosticsFacts } from "../../protocol/shapes/diagnostics.js";
import type { AppliedOperation, EditOutcome, Preview } from "../../workspace/edits/types.js";
import { Places } from "../answer/places.js";
import type { CallState } from "../call-state.js";
import { renderDiagnostic } from "../shapes/diagnostics.js";
import { operatedFilesIn } from "./file-edits.js";
import { filesUsing, type NamedPlace } from "./files-using.js";

const BEFORE_MS = 5000;
const NOTIFY_MS = 5000;
const AFTER_MS = 10_000;
/** Used when servers did not answer before the edit either. */
const SHORT_AFTER_MS = 2500;
/** Parts of the call's remaining time. */
const BEFORE_SHARE = 0.25;
const AFTER_SHARE = 0.8;
/** A file that is opened for the first time waits twice, so both waits must fit. */
const WAIT_SHARE = 0.4;
const SETTLE_MS = 150;

/** Errors of one file that are compared. */
const MAX_ERRORS = 5_000;
const ERROR_SEVERITY = 1;

interface ErrorSnapshot {
  /** By absolute path: the checked files, and others with errors. */
  errors: Map<string, JsonObject[]>;
  unknown: string[];
  /** Absolute paths of further files that are checked: they use the edited symbol. */
  users: string[];
}

/** The errors before an edit; `symbol` is the one whose declaration it changes. */
export async function errorsBefore(
  call: CallState,
  edit: Preview | EditOutcome,
  symbol?: NamedPlace,
): Promise<ErrorSnapshot> {
  const existing = edit.files.filter(({ beforeSha256 }) => beforeSha256 !== null).map(({ path }) => path);
  const limitMs = () => Math.min(BEFORE_MS, call.remainingMs() * BEFORE_SHARE);
  const most = Math.max(0, call.plan.limits.afterEditCheckedFiles - existing.length);
  let users: string[] = [];
  let why: string[] = [];
  if (symbol !== undefined && most > 0)
    try {
      users = await filesUsing(call, symbol, limitMs(), most);
    } catch (error) {
      why = [error instanceof Refusal ? error.message : "the uses of the symbol are not known"];
      call.log("debug", "uses of an edited symbol are not known", { cause: String(error) });
    }
  const snapshot = await new ErrorCollector(call, [...existing, ...users], limitMs()).collect();
  return { ...snapshot, unknown: [...why, ...snapshot.unknown], users };
}

/** Notifies servers of applied edits and compares errors. `unsureServers` do not know the whole project. */
export async function diagnosticsAfter(
  call: CallState,
  applied: readonly EditOutcome[],
  before: ErrorSnapshot,
  unsureServers: readonly string[] = [],
): Promise<{ diagnostics?: JsonObject }> {
  if (applied.length === 0) return {};
  const operations = applied.flatMap((edit) => edit.operations);
  await notifyServers(call, operations);
  const files = applied.flatMap((edit) => edit.files);
  const kept = files.filter(({ afterSha256 }) => afterSha256 !== null).map(({ path }) => path);
  const moved = operations.flatMap(({ to, folder }) => (to === undefined || folder ? [] : [to]));
  // The file that the call is about comes first.
  const own = call.evidence.document?.admitted.path;
  const edited = sortBy([...new Set([...kept, ...moved])], (path) => [path !== own]);
  const limitMs = before.unknown.length === 0 ? AFTER_MS : SHORT_AFTER_MS;
  const ms = Math.min(limitMs, call.remainingMs() * AFTER_SHARE);
  // An edit may cause errors in other files, so a server that is silent about them leaves that unknown.
  const changed = [...files.map(({ path }) => ({ path, folder: false })), ...operations];
  const concerned = changed.flatMap(({ path, folder }) =>
    folder ? call.pool.running().map(({ plan }) => plan.id) : call.pool.route(path).map(({ id }) => id),
  );
  const mustReport = new Set([...concerned, ...unsureServers]);
  const after = await new ErrorCollector(call, [...edited, ...before.users], ms, mustReport).collect();
  if ([before, after].every(({ errors, unknown }) => errors.size === 0 && unknown.length === 0)) return {};
  const why = [...new Set([...before.unknown, ...after.unknown])].join("; ");
  const status: JsonObject = why === "" ? { status: "known" } : { status: "unknown", why };
  const created = files.filter(({ beforeSha256 }) => beforeSha256 === null).map(({ path }) => path);
  return {
    diagnostics: { ...status, ...compareErrors(call, before, after, { edited, created, operations }) },
  };
}

const operationNames = { create: "Create", rename: "Rename", delete: "Delete" } as const;

/** Sends new texts first, then file operations. */
async function notifyServers(call: CallState, operations: readonly AppliedOperation[]): Promise<void> {
  try {
    await withDeadline([], NOTIFY_MS, (signal) => untilAborted(signal, call.pool.checkFiles()));
    for (const { kind, path, to, folder } of operations) {
      const file = { path, isFolder: folder, ...(to === undefined ? {} : { newPath: to }) };
      const below = folder ? await operatedFilesIn(file, to ?? path) : [];
      for (const server of call.pool.running()) {
        const isRegistered = server.wantedFiles("did", operationNames[kind], [file]).length > 0;
        server.tellFiles(operationNames[kind], isRegistered ? [file] : below);
      }
    }
  } catch (error) {
    call.evidence.warn("answer/edit-incomplete", "Not every language server received the new texts.");
    call.log("warn", "servers were not notified of an edit", { cause: String(error) });
  }
}

/** Collects the errors of files, and of other files that servers report, within a time. */
class ErrorCollector {
  readonly #snapshot: ErrorSnapshot = { errors: new Map(), unknown: [], users: [] };
  readonly #call: CallState;

  /** The silence of the servers in `mustReport` about other files makes the result unknown. */
  constructor(
    call: CallState,
    private readonly paths: readonly string[],
    private readonly ms: number,
    private readonly mustReport: ReadonlySet<string> = new Set(),
  ) {
    this.#call = { ...call, places: new Places(call.gate, call.plan.dialect) };
  }

  async collect(): Promise<ErrorSnapshot> {
    try {
      await withDeadline([], this.ms, (signal) => untilAborted(signal, this.#collectAll(signal)));
    } catch (error) {
      this.#notKnown("the language servers did not answer in time", error);
    }
    const unique = [...this.#snapshot.errors].map(
      ([path, list]) => [path, uniqueBy(list, canonicalText)] as const,
    );
    return { ...this.#snapshot, errors: new Map(unique) };
  }

  async #collectAll(signal: AbortSignal): Promise<void> {
    const { afterEditCheckedFiles: most } = this.#call.plan.limits;
    const checked = this.paths.slice(0, most);
    if (checked.length < this.paths.length)
      this.#snapshot.unknown.push(`only ${most} of ${this.paths.length} files were checked`);
    await Promise.all(checked.map((path) => this.#collectFile(path, signal)));
    for (const server of this.#call.pool.running()) await this.#collectOtherFiles(server, signal);
  }

  async #collectFile(path: string, signal: AbortSignal): Promise<void> {
    const { pool, savedPreviews } = this.#call;
    const running = new Set(pool.running().map(({ plan }) => plan.id));
    // A session asks running servers only; in `lsp-proxy call` no earlier call can have started one.
    for (const { id } of pool
      .route(path)
      .filter((plan) => savedPreviews !== undefined || running.has(plan.id)))
      try {
        const server = await pool.get(id, path, signal);
        const document = await server.ensureOpen(path, signal);
        const wait = { waitMs: this.ms * WAIT_SHARE, settleMs: SETTLE_MS, signal };
        const report = await server.diagnostics(document, wait);
        if (report.status === "unknown") this.#snapshot.unknown.push(`${id}: ${report.why}`);
        else await this.#addErrors(path, server, report.items);
      } catch (error) {
        this.#notKnown(`${id} failed`, error);
      }
  }

  async #collectOtherFiles(server: LanguageServer, signal: AbortSignal): Promise<void> {
    const { id } = server.plan;
    try {
      const wait = { waitMs: this.ms / 4, settleMs: SETTLE_MS, signal };
      const { files, why } = await server.workspaceDiagnostics(wait);
      for (const { uri, items } of files) {
        const path = pathOfUri(uri);
        if (path !== undefined && !this.paths.includes(path)) await this.#addErrors(path, server, items);
      }
      if (this.mustReport.has(id) && why !== "") this.#snapshot.unknown.push(`${id}: ${why}`);
    } catch (error) {
      if (this.mustReport.has(id)) this.#notKnown(`${id} failed`, error);
    }
  }

  async #addErrors(path: string, server: LanguageServer, items: readonly unknown[]): Promise<void> {
    const { gate, places, plan } = this.#call;
    const known = this.#snapshot.errors.get(path) ?? [];
    this.#snapshot.errors.set(path, known);
    const mildest = severities.indexOf(plan.limits.afterEditSeverity) + ERROR_SEVERITY;
    const turns = new Turns(this.#call.signal);
    const admitted = items.length === 0 ? undefined : await gate.admit(path);
    for (const item of items) {
      if (turns.isDue) await turns.yield();
      if (!isTable(item) || severityOf(item) > mildest || admitted === undefined) continue;
      if (known.length >= MAX_ERRORS) {
        this.#snapshot.unknown.push(`only ${MAX_ERRORS} errors of a file are compared`);
        return;
      }
      const rendered = await renderDiagnostic(this.#call, server, admitted.uri, item);
      known.push({ ...places.document(admitted), ...rendered });
    }
  }

  #notKnown(why: string, error: unknown): void {
    this.#snapshot.unknown.push(why);
    this.#call.log("debug", "errors are not known", { cause: String(error) });
  }
}

/** LSP leaves a missing severity to the client; it counts as an error. */
function severityOf({ severity }: { [member: string]: unknown }): number {
  return typeof severity === "number" ? severity : ERROR_SEVERITY;
}

interface ChangedFiles {
  /** Absolute paths after the edit, and those of them that did not exist before. */
  edited: readonly string[];
  created: readonly string[];
  operations: readonly AppliedOperation[];
}

function compareErrors(
  call: CallState,
  before: ErrorSnapshot,
  after: ErrorSnapshot,
  { edited, created, operations }: ChangedFiles,
): JsonObject {
  const movedPath = (path: string) =>
    operations.reduce((at, { path: from, to = from }) => pathAfterMove(at, from, to), path);
  const old = new Map([...before.errors].map(([path, errors]) => [movedPath(path), errors]));
  const introduced: JsonObject[] = [];
  const resolved: JsonObject[] = [];
  const checked = new Set([...edited, ...before.users]);
  for (const path of sortedSet([...old.keys(), ...after.errors.keys()])) {
    const was = created.includes(path) ? [] : old.get(path);
    const is = after.errors.get(path);
    // A checked file that only one snapshot knows cannot be compared; other files are listed only with errors.
    if (checked.has(path) && (was === undefined || is === undefined)) continue;
    for (const error of errorsWithout(is ?? [], was ?? [])) introduced.push(error);
    for (const error of errorsWithout(was ?? [], is ?? [])) resolved.push(error);
  }
  const most = call.plan.limits.afterEditTotal;
  const errors = selectErrors(call, after, edited);
  const total = [...after.errors.values()].flat().length;
  return {
    introduced: introduced.slice(0, most),
    resolved: resolved.slice(0, most),
    errors,
    not_shown: total - errors.length,
  };
}

/** The errors of one list that are not in the other. Positions are ignored, because an edit moves lines. */
function errorsWithout(errors: readonly JsonObject[], others: readonly JsonObject[]): JsonObject[] {
  const keyOf = ({ code, source, message }: JsonObject) =>
    canonicalText([code ?? null, source ?? null, message ?? null]);
  const remaining = new Map<string, number>();
  for (const key of others.map(keyOf)) remaining.set(key, (remaining.get(key) ?? 0) + 1);
  return errors.filter((error) => {
    const key = keyOf(error);
    const count = remaining.get(key) ?? 0;
    remaining.set(key, count - 1);
    return count <= 0;
  });
}

/** The errors to show: those of edited files first, then of a few others. */
function selectErrors(call: CallState, { errors }: ErrorSnapshot, edited: readonly string[]): JsonObject[] {
  const { afterEditPerFile, afterEditOtherFiles, afterEditTotal } = call.plan.limits;
  const others = sortedSet([...errors.keys()].filter((path) => !edited.includes(path)));
  const withErrors = others
    .filter((path) => (errors.get(path) ?? []).length > 0)
    .slice(0, afterEditOtherFiles);
  return [...edited, ...withErrors]
    .flatMap((path) => {
      const sorted = sortBy(errors.get(path) ?? [], (item) => [
        ...itemKey(diagnosticsFacts, item, call.plan.dialect),
        canonicalText(item),
      ]);
      return sorted.slice(0, afterEditPerFile);
    })
    .slice(0, afterEditTotal);
}
