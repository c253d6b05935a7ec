/**
 * Interfaces of the LSP layer for the rest of the program. A `LanguageServer` is one running instance for one
 * root; the `ServerPool` starts, shares, restarts and stops them. Positions in requests and replies are raw LSP,
 * in the instance's own encoding; callers convert them.
 */
import type { Readable, Writable } from "node:stream";
import type { RetryPlan, ServerPlan } from "../abi/plan.js";
import type { Json } from "../base/json.js";
import type { Platform } from "../base/platform.js";
import type { Lines, PositionEncoding } from "../base/text.js";
import type { WalkedFiles } from "../workspace/walk.js";
import type { FileOperation, OperatedFile } from "./documents/file-operations.js";
import type { MakeTextFilter } from "./documents/outside-files.js";
import type { SearchableFiles } from "./documents/project-files.js";
import type { ProgramFolders } from "./process/search.js";
import type { Readiness, ServerState } from "./server-state.js";
import type { WatchOptions } from "./watch/watch-options.js";
import type { FileChange } from "./watch/workspace-changes.js";

export type { Readiness, ServerState };

/** A text document as the server has it now. */
export interface OpenDocument {
  /** Absolute real path. */
  path: string;
  uri: string;
  languageId: string;
  version: number;
  /** Grows when the text changes; `version` may also grow for an equal text. */
  edition: number;
  /** SHA-256 of the file's bytes. */
  hash: string;
  lines: Lines;
}

export interface ServerRequestOptions {
  signal: AbortSignal;
  /** Lowers the server's own timeout, never raises it. */
  timeoutMs?: number;
  /** The roots of a session that sees only a part of the workspace: server messages are redacted to them. */
  roots?: readonly string[] | undefined;
  /** How often the question is repeated while the answer is empty. */
  retryEmpty?: RetryPlan | undefined;
  /** Called with the server's progress ("indexing 45 %") while the answer is awaited. */
  onProgress?: (text: string) => void;
  /** Asks the server for partial results; their items are not repeated in the answer. */
  parts?: PartTaker;
  /** A check of the files that began after this time (`performance.now()`) is not repeated. */
  checkedAfter?: number | undefined;
  /** For a command: applies the edits that the server sends while it runs. Without it they are refused. */
  onApplyEdit?: ApplyEdit;
}

/** Receives partial results. The server may stop after any of them. */
export interface PartTaker {
  /** The question is asked, perhaps again: earlier parts no longer count. */
  begin(): void;
  take(part: unknown): void;
}

/** Applies the edit of a server's `workspace/applyEdit`, or says why not. */
export type ApplyEdit = (edit: unknown) => Promise<{ applied: boolean; failureReason?: string }>;

export interface ServerReply {
  value: unknown;
  /** How ready the server was for this answer. An answer about one file's own text needs no index and is `ready`. */
  readiness: Readiness;
}

/** How long to wait for diagnostics, and for which session. */
export interface DiagnosticsOptions extends Pick<ServerRequestOptions, "signal" | "roots"> {
  waitMs: number;
  /** The longest wait for the first report on a document; twice `waitMs`, up to 10 s, when absent. */
  firstWaitMs?: number;
  settleMs: number;
}

/** `unknown` is neither clean nor broken; `why` gives the reason. */
export interface DiagnosticsReport {
  status: "diagnostics" | "clean" | "unknown";
  why: string;
  /** Raw LSP diagnostics of the document. */
  items: Json[];
  readiness: Readiness;
}

/** The same for all files of a root; `files` holds only those with diagnostics, sorted by path. */
export interface WorkspaceDiagnosticsReport {
  status: DiagnosticsReport["status"];
  /** Why the report may be incomplete, also when something was found. */
  why: string;
  files: { uri: string; items: Json[] }[];
  readiness: Readiness;
}

/**
 * A folder or file that a server was started without: an environment variable names it, or it is the project's Python.
 */
export interface Withheld {
  /** Null for a Python environment, which no variable names. */
  variable: string | null;
  /** Absolute. */
  folder: string;
}

export interface LanguageServer {
  readonly plan: ServerPlan;
  /** Absolute root of this instance. */
  readonly root: string;
  readonly encoding: PositionEncoding;
  /** Counts starts: an answer from an older generation may be stale. */
  readonly generation: number;
  readonly readiness: Readiness;
  /** Whether files under its roots may have changed unnoticed: too many to watch, or a network file system. */
  readonly hasUnwatchedFiles: boolean;
  /**
   * Absolute folders that are ignored and too large, or could not be read: files in them may have changed unnoticed.
   */
  readonly partlyWatchedFolders: readonly string[];
  /** Folders and files withheld from the server, because the workspace is not trusted. */
  readonly withheld: readonly Withheld[];
  /** Whether the server offers the method now, statically or by registration, for this document. */
  supports(method: string, document?: OpenDocument): boolean;
  /** The same, after waiting for a server that registers its features only once it has loaded. */
  offers(
    method: string,
    document: OpenDocument | undefined,
    options: { signal: AbortSignal; timeoutMs: number },
  ): Promise<boolean>;
  /** The options that the server gave for the method, from `initialize` first, then by registration. */
  options(method: string, document?: OpenDocument): unknown[];
  /**
   * Opens the document, or updates it when the file changed. With `checkedAfter`, a check of the other files that began
   * after that time is not repeated; the document itself is always checked.
   */
  ensureOpen(path: string, signal: AbortSignal, checkedAfter?: number): Promise<OpenDocument>;
  /** Where the server knows only the projects of open files: opens a file of each, and other files that have the name. */
  openProjects(
    makeFilter: MakeTextFilter,
    signal: AbortSignal,
    checkedAfter?: number,
  ): Promise<SearchableFiles>;
  /** The document as the server has it now; undefined when it is not open there. */
  opened(path: string): OpenDocument | undefined;
  /** The document's text in the workspace, open or not: for converting positions of replies. */
  textOf(uri: string): Promise<Lines | undefined>;
  /** Waits for the server's own evidence that it has indexed, at most until the signal or `timeoutMs`. */
  waitUntilReady(timeoutMs: number, signal: AbortSignal): Promise<Readiness>;
  request(method: string, params: unknown, options: ServerRequestOptions): Promise<ServerReply>;
  /** Sends a notification of a tool: the config gives the method and the parameters. */
  notifyAny(method: string, params: unknown): void;
  diagnostics(document: OpenDocument, options: DiagnosticsOptions): Promise<DiagnosticsReport>;
  /** Diagnostics of every file that the server reports on, pulled where it offers that. */
  workspaceDiagnostics(options: DiagnosticsOptions): Promise<WorkspaceDiagnosticsReport>;
  /** The files whose operations the server subscribed to, before (`will`) or after (`did`) they happen. */
  wantedFiles(when: "will" | "did", operation: FileOperation, files: readonly OperatedFile[]): OperatedFile[];
  /** Notifies the server of file operations that it subscribed to. */
  tellFiles(operation: FileOperation, files: readonly OperatedFile[]): void;
  /** Why the server crashed and was restarted: for every call during which it happened, else once for the next call. */
  crashNotice(): string | undefined;
}

/** The state of a server, running or not; no paths outside the roots, no environment values. */
export interface ServerStatus {
  id: string;
  /** Absolute root of the instance, or null when none was started. */
  root: string | null;
  /** Absolute further roots that the same process serves, sorted. */
  otherRoots: string[];
  state: ServerState;
  readiness: Readiness;
  pid: number | null;
  version: string | null;
  uptimeMs: number | null;
  lastUsedMs: number | null;
  restarts: number;
  openDocuments: number;
  pendingRequests: number;
  memoryMb: number | null;
  /** True when the running program is the one that the user locked; null when it was not checked. */
  locked: true | null;
  encoding: PositionEncoding | null;
  /** LSP features offered, sorted. */
  features: string[];
  progress: string | null;
  /** Absolute folders that are ignored and too large to be followed, or could not be read. */
  partlyWatchedFolders: string[];
  lastError: string | null;
  /** Whether installing it may help: it could not be started, and not because the workspace is not trusted. */
  advisesInstall: boolean;
  stderr: string[];
}

/** What a check of the files on disk found. */
export interface FileCheck {
  /** When the check began (`performance.now()`). */
  startedAt: number;
  /** The number of the latest change of a source: of a file that a server handles, or of a project marker. */
  sourcesCursor: number;
  /** When such a change was last seen (`Date.now()`), or null. */
  changedAt: number | null;
}

/** The names of files under the roots, as far as they were read. */
export interface KnownNames {
  /** How many roots were read. */
  readRoots: number;
  /** The number of the latest change; `since` returns the changes after it, without what git ignores. */
  cursor: number;
  since(cursor: number): FileChange[];
  /** A root for a walk, without what git ignores; undefined when it was not read yet or has too many files. */
  filesOf(root: string): WalkedFiles | undefined;
}

export interface ServerPool {
  /** The servers of a file, in the order in which they are asked. */
  route(path: string): ServerPlan[];
  /** The running instance for a file, or for the first root; started on demand, once. */
  get(serverId: string, path: string | undefined, signal: AbortSignal): Promise<LanguageServer>;
  /** Instances that run now. */
  running(): LanguageServer[];
  /** Checks the disk and notifies every running server of what changed. */
  checkFiles(): Promise<FileCheck>;
  /** The number of the latest change on disk, for `changedSince`. */
  changeCursor(): Promise<number>;
  /** Absolute paths of the files under the roots that anyone has changed after a cursor; without what git ignores. */
  changedSince(cursor: number): Promise<ReadonlySet<string>>;
  /** The names under the roots at the last check, without access to the disk. */
  names(): KnownNames;
  status(): ServerStatus[];
  restart(serverId: string | undefined): Promise<string[]>;
  stop(serverId: string | undefined): Promise<string[]>;
  /** The pool for a session that sees only these folders; messages of servers are hidden from it. */
  within(roots: readonly string[]): ServerPool;
  /** Stops every server and its child processes; resolves when they are gone. */
  close(): Promise<void>;
}

export type Log = (
  level: "debug" | "info" | "warn" | "error",
  message: string,
  data?: { [key: string]: Json },
) => void;

/** Called with every message on the wire, with a language server or with the client. */
export type Trace = (entry: {
  side: "lsp" | "mcp";
  /** The language server's id. */
  server?: string;
  direction: "sent" | "received";
  message: unknown;
}) => void;

/** A server process whose messages are held in memory. */
export interface StartedServer {
  id: string;
  transport: { input: Readable; output: Writable; ended: Promise<string> };
  /** Kills it; that counts as a crash, and waiting calls are refused with this reason. */
  end(why: string): void;
}

/** The context that the pool needs. */
export interface PoolContext extends ProgramFolders {
  /** Absolute real paths of the roots; the first is the default. */
  roots: string[];
  /** Absolute folder that relative paths of a plan start from. */
  base: string;
  env: { [name: string]: string | undefined };
  log: Log;
  trace?: Trace | undefined;
  /** Called with each server as soon as its process runs. */
  onStarted?: ((server: StartedServer) => void) | undefined;
  /** Extra folders searched for a bare command before PATH (a trusted workspace's `node_modules/.bin`). */
  binFolders: string[];
  /** Real paths of folders that the user trusts; any other root is untrusted. */
  trusted?: readonly string[] | undefined;
  /** Real paths of folders whose programs are not used: untrusted workspaces and the folders around them. */
  avoid: string[];
  /** Our own folders, which decide what may be started; a sandboxed server can neither write nor create them. */
  ownFolders?: readonly string[] | undefined;
  /** Further files and folders of that kind, where they exist. */
  ownFiles?: readonly string[] | undefined;
  /** The server of the catalogue for the project's version, where the one that this command installs is for another. */
  otherServer?: ((install: string) => string | undefined) | undefined;
  /** The record of locked programs; without it nothing is locked. */
  lockFile?: string | undefined;
  /** Called when a file under the roots has changed, or a server has sent or recalled diagnostics. */
  onActivity?: (() => void) | undefined;
  /** Texts that count instead of those on disk, by absolute real path. */
  unsaved?: ReadonlyMap<string, string> | undefined;
  /** Our version for `clientInfo`. */
  version: string;
  /** How the workspace is watched, where that differs from the defaults. */
  watchOptions?: Partial<WatchOptions> | undefined;
  /** The running one, except in tests. */
  platform?: Platform | undefined;
}
