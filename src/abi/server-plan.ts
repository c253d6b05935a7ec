/** The part of the Plan that describes one language server: how to start it, talk to it and stop it. */
import type { Json, JsonObject } from "../base/json.js";

/** `connect`: it already runs. `start`: we start it and it listens. `listen`: we start it and it connects to us. */
export type TransportMode = "connect" | "start" | "listen";

export type TransportPlan =
  | { kind: "stdio" }
  | { kind: "tcp"; mode: TransportMode; host: string; port: number }
  | { kind: "pipe"; mode: TransportMode; path: string };

/** The restrictions of the sandbox for a server. */
export type SandboxName = "none" | "read_only" | "no_network" | "read_only_no_network";

/** A request that makes a server check one file. After its answer all diagnostics of the file are published. */
export interface CheckPlan {
  method: string;
  /** `<file>` and `<uri>` in strings are replaced by the file. */
  params: Json;
  /** An answer that arrives later than this after the change is ignored. */
  withinMs: number;
  /** How long after the answer the server may still publish diagnostics. */
  pauseMs: number;
}

/** A request that tells which project a file belongs to. */
export interface ProjectQueryPlan {
  method: string;
  /** `<file>` and `<uri>` in strings are replaced by the file. */
  params: Json;
  /** JSON Pointer in the answer to the name of the project. */
  field: string;
  /** Parts of names that mean that the file belongs to no project. */
  none: string[];
  /** Names of files whose folder is a project of its own. */
  markers?: string[];
}

/** A method outside the LSP specification. */
interface CustomMethodPlan {
  /** The dotted path of the capability that announces it; null when it is assumed. */
  capability: string | null;
  /** The JSON Schema of its result; null for any. */
  result: JsonObject | null;
}

/** One language server. Paths are relative to the workspace base. */
export interface ServerPlan {
  id: string;
  /** The program and, if it runs a script, the words before `args`. */
  command: string[];
  args: string[];
  extensions: string[];
  filenames: string[];
  globs: string[];
  languageId: string;
  /** Extension (or file name) → language id, for those that differ from `languageId`. */
  languageIds: { [match: string]: string };
  rootMarkers: string[];
  rootPick: "nearest" | "farthest";
  rootDir: string | null;
  cwd: string | null;
  workspaceFolders: string[];
  env: { [name: string]: string };
  transport: TransportPlan;
  initializeOptions: Json;
  clientCapabilities: JsonObject;
  settings: JsonObject;
  /** Whether to send `workspace/didChangeConfiguration` in addition to answering requests for settings. */
  pushSettings: boolean;
  initializeTimeoutMs: number;
  requestTimeoutMs: number;
  requestTimeoutOverridesMs: { [method: string]: number };
  /** Methods whose requests are not cancelled at the server. */
  neverCancel: string[];
  warmupTimeoutMs: number;
  /** Fixed answers to requests that the server sends. */
  replies: { [method: string]: Json };
  forward: ForwardPlan[];
  ready: {
    progress: boolean;
    notification: string | null;
    field: string | null;
    /** Substrings of the text at `field` that mean ready; empty if the field is a boolean. */
    text: string[];
    atOnce: boolean;
    /** Whether the server reports ready once for each workspace folder. */
    eachFolder: boolean;
  };
  check: CheckPlan | null;
  /** The most symbols of the workspace that the server reports for one query; null when it has no limit. */
  symbolLimit: number | null;
  /** Folders of dependencies and standard libraries, as patterns (see `workspace/library-roots.ts`). */
  libraryRoots: string[];
  /** For a server that knows only the projects of open files; null for others. */
  projectQuery: ProjectQueryPlan | null;
  /** The server knows the whole project only if one of these files is in a parent folder; empty if it needs none. */
  projectFiles: string[];
  /** Without one of the project files, answers about a single file are right only with one of these. */
  settingsFiles: string[];
  /** How to create the missing file, for people; null for no more than its name. */
  projectFix: string | null;
  idleShutdownMs: number;
  restartIntervalMinutes: number;
  restart: { max: number; windowMs: number; backoffMs: [number, number] };
  features: { only: string[] | null; except: string[] };
  priority: number;
  executeCommands: string[];
  /** Methods outside the LSP specification that it has. */
  customMethods: { [method: string]: CustomMethodPlan };
  limits: {
    memoryMb: number | null;
    openFiles: number | null;
    processes: number | null;
    nice: number | null;
  };
  sandbox: SandboxName;
  untrusted: UntrustedPlan;
  /** The server notices changes on disk only in open files. */
  openOnChange: boolean;
  /** How many files that a document imports are opened with it. */
  warmImports: number;
  /** `pull`: use pull diagnostics if offered. `onSave`: the server checks a file only when it is saved. */
  diagnostics: { pull: boolean; onSave: boolean };
  /** Use one process for several roots if the server supports adding workspace folders. */
  shareRoots: boolean;
  /** The oldest version of its program that works; an older one of the project is not used. */
  minVersion: string | null;
  install: string | null;
}

/** The differences for this server in an untrusted workspace. */
interface UntrustedPlan {
  /** Whether it may start without a sandbox. */
  start: boolean;
  /** JSON Pointer in its options → the file that must exist at that path, or in that folder. */
  loads: { [pointer: string]: string };
  /** JSON Pointers to options that make it load code. If one is set, it starts only in a sandbox. */
  without: string[];
  /** Merged over the normal options. */
  initializeOptions: JsonObject;
  settings: JsonObject;
}

/** Forwards a notification of one server to another as a request, and its answer back as a notification. */
export interface ForwardPlan {
  notification: string;
  /** The server and its command; without them the answer is null. */
  to?: string | undefined;
  request?: string | undefined;
  reply: string;
}
