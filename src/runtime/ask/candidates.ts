/**
 * The candidate servers of a call, their replies inside the opaque `Reply` of a handler, and how LSP values are read.
 */
import type { Position, Range } from "vscode-languageserver-protocol";
import type { Params, Reply } from "../../abi/handler.js";
import type { ServerPlan } from "../../abi/plan.js";
import { isTable, type Json, type JsonObject } from "../../base/json.js";
import { Fault, Refusal } from "../../base/problem.js";
import type { MakeTextFilter } from "../../lsp/documents/outside-files.js";
import type { LanguageServer, OpenDocument } from "../../lsp/types.js";
import type { Admitted } from "../../workspace/gate-types.js";
import type { CallState } from "../call-state.js";
import type { Normalized } from "../shapes/shape.js";

/** The servers that may be asked, and how each is started. */
export interface CandidateServers {
  /** In the order they are asked. */
  readonly servers: readonly ServerPlan[];
  /** Starts the server when needed and opens the document; several when it runs for several roots, none without a file. */
  attach(server: ServerPlan, signal: AbortSignal): Promise<Attached[]>;
  /** The refusal when no server was asked, because none has a file here. */
  noneHere?(): Promise<Refusal | undefined>;
}

/** The servers of one file. */
export async function candidatesForDocument(call: CallState, admitted: Admitted): Promise<CandidateServers> {
  const able = call.pool.route(admitted.path);
  const servers = able.filter((server) => mayAsk(call, server));
  if (servers.length === 0) {
    const { noServerFor, wrongServer } = await import("./no-server.js");
    throw able.length > 0 ? wrongServer(call, admitted) : await noServerFor(call, admitted);
  }
  const { path } = admitted;
  const open = async ({ id }: ServerPlan, signal: AbortSignal): Promise<Attached[]> => {
    const server = await (admitted.isLibrary
      ? libraryServer(call, id, signal)
      : runningServer(call, id, path, signal));
    const document = await server.ensureOpen(path, signal, call.fileCheck?.startedAt);
    call.evidence.asks(server, document);
    return [{ server, document }];
  };
  // Once per call, failures included: a server that does not start is waited for once, not in every step.
  const attached = new Map<string, Promise<Attached[]>>();
  return {
    servers,
    attach(plan, signal) {
      const known = attached.get(plan.id) ?? open(plan, signal);
      attached.set(plan.id, known);
      return known;
    },
  };
}

/** The server for a library's file, which belongs to no project: a server that runs knows it from its own. */
async function libraryServer(call: CallState, id: string, signal: AbortSignal) {
  const running = call.pool.running().find(({ plan }) => plan.id === id);
  if (running === undefined) return runningServer(call, id, await call.samples.find(id), signal);
  call.evidence.awaits(running);
  return running;
}

/** The servers of the whole workspace, or those of `only`: those that run, and those that have a file here. */
export function candidatesForWorkspace(
  call: CallState,
  only: readonly ServerPlan[] = call.plan.servers,
  makeFilter?: MakeTextFilter,
): CandidateServers {
  const asked = call.plan.servers.filter((server) => mayAsk(call, server) && only.includes(server));
  let isAttached = false;
  return {
    servers: asked,
    async attach({ id }, signal) {
      const running = call.pool.running().filter((server) => server.plan.id === id);
      for (const server of running) call.evidence.awaits(server);
      const sample = running.length > 0 ? undefined : await call.samples.find(id);
      const servers = sample === undefined ? running : [await runningServer(call, id, sample, signal)];
      for (const server of servers)
        if (!(await loadProjects(call, server, signal, makeFilter)))
          call.evidence.knowsNoProject(server.plan.id);
      if (servers.length > 0) isAttached = true;
      return servers.map((server) => ({ server, document: undefined }));
    },
    async noneHere() {
      if (isAttached || (asked.length === 0 && call.plan.servers.length > 0)) return undefined;
      return (await import("./no-server.js")).noServerHere(call, asked);
    },
  };
}

/** Makes a server know the workspace, where it knows only the projects of open files; whether it knows a project. */
export async function loadProjects(
  call: CallState,
  server: LanguageServer,
  signal: AbortSignal,
  makeFilter: MakeTextFilter = () => undefined,
): Promise<boolean> {
  const { hasProject, notSearched } = await server.openProjects(
    makeFilter,
    signal,
    call.fileCheck?.startedAt,
  );
  if (notSearched > 0) call.evidence.leavesOutFiles(server.plan.id, notSearched);
  return hasProject;
}

/** The running server, started when needed. The evidence records what the call waits for, whatever ends the wait. */
export async function runningServer(
  { pool, evidence, onProgress }: CallState,
  id: string,
  path: string | undefined,
  signal: AbortSignal,
): Promise<LanguageServer> {
  if (!pool.running().some(({ plan }) => plan.id === id)) onProgress(`starting ${id}`);
  evidence.awaitsStart(id);
  try {
    const server = await pool.get(id, path, signal);
    evidence.awaits(server);
    return server;
  } catch (error) {
    const isWaitOver =
      error === signal.reason || (error instanceof Refusal && error.code === "call/cancelled");
    if (!isWaitOver) evidence.awaitsNoMore(id);
    throw error;
  }
}

function mayAsk({ tool, input }: CallState, { id }: ServerPlan): boolean {
  const chosen = tool.serverArgument === null ? undefined : input[tool.serverArgument];
  return (tool.servers === null || tool.servers.includes(id)) && (chosen === undefined || chosen === id);
}

/** A running server with the call's document open in it; without a document for calls about the workspace. */
export interface Attached {
  server: LanguageServer;
  document: OpenDocument | undefined;
}

export interface ReplyPart {
  /** The server that replied; undefined for a reply of the runtime or of another tool. */
  server: LanguageServer | undefined;
  value: unknown;
  /** The item that was asked about, when the request was sent once per item. */
  item?: unknown;
}

/** A whole reply, from one server or several. */
export interface ReplyData {
  parts: ReplyPart[];
  /** Whether the parts are a list (one per item) rather than one answer of several servers. */
  perItem: boolean;
  /** The reply that resolved items came from. */
  source?: ReplyData;
  /** Why there is no reply: no server supports an optional step. */
  skipped?: Refusal;
  /** Whether the step did not run because the call lacks the argument that it needs. */
  isAbsent?: true;
  /** The replies that stand side by side in the answer, by member. */
  members?: { [member: string]: ReplyData };
  diagnostics?: { status: "diagnostics" | "clean" | "unknown"; why: string };
  /** For a tool that edits: the preview, or what was applied or undone. */
  edit?: Normalized;
}

export type ParamsMaker = (attached: Attached) => JsonObject;

class ReplyBox {
  constructor(readonly data: ReplyData) {}
}

class ParamsBox {
  constructor(
    readonly make: ParamsMaker,
    /** Whether they contain the position that the call points at. */
    readonly isPlaced: boolean,
  ) {}
}

export function sealReply(data: ReplyData): Reply {
  return new ReplyBox(data) as unknown as Reply;
}

/** Unwraps a reply that a handler passed back. */
export function openReply(reply: Reply): ReplyData {
  if (reply instanceof ReplyBox) return reply.data;
  throw new Fault("a handler passed something that is not a reply");
}

export function sealParams(make: ParamsMaker, isPlaced = false): Params {
  return new ParamsBox(make, isPlaced) as unknown as Params;
}

export function openParams(params: Params): ParamsBox {
  if (params instanceof ParamsBox) return params;
  throw new Fault("a handler passed something that is not parameters");
}

/** Whether a value is null or an empty list. */
export function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}

/** The reply as one JSON value: one server's value, or a list for several servers or items. */
export function wholeValue(reply: ReplyData): Json {
  const values = reply.parts.map((part) => (part.value ?? null) as Json);
  if (reply.perItem) return values;
  if (values.length <= 1) return values[0] ?? null;
  const lists = values.filter((value) => value !== null);
  return lists.every((value) => Array.isArray(value)) ? lists.flat() : lists;
}

export function isPosition(value: unknown): value is Position {
  return isTable(value) && isCount(value.line) && isCount(value.character);
}

export function isRange(value: unknown): value is Range {
  return isTable(value) && isPosition(value.start) && isPosition(value.end);
}

/** Whether a value is a non-negative integer. */
export function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}

/** The place of a `Location` or `LocationLink`; of a link the range of the name. */
export function locationIn(entry: unknown): { uri: string; range: Range } | undefined {
  if (!isTable(entry)) return undefined;
  const uri = entry.uri ?? entry.targetUri;
  const range = entry.range ?? entry.targetSelectionRange ?? entry.targetRange;
  return typeof uri === "string" && isRange(range) ? { uri, range } : undefined;
}

/** The items of a reply: a list as it is, null as none, anything else as the only item. */
export function listOf(value: unknown): unknown[] {
  if (value === null || value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

/** A text, plain or in markup; undefined when it is empty. */
export function markupText(value: unknown): string | undefined {
  const text = isTable(value) ? value.value : value;
  return typeof text === "string" && text.trim() !== "" ? text : undefined;
}

/** The refusal of a reply of the wrong form; `expected` names the right one. */
export function invalidReply(server: LanguageServer | undefined, expected: string): Refusal {
  const who = server === undefined ? "A step" : `The server ${server.plan.id}`;
  return new Refusal("lsp/invalid-reply", `${who} answered with something that is not ${expected}.`);
}
