/**
 * The last calls of a process, its sessions, and what they add up to. In memory only, and bounded whatever clients
 * send: so many rows, so many bytes of arguments and answers, names of a limited length.
 */
import type { Plan } from "../abi/plan.js";
import type { Json } from "../base/json.js";
import type {
  CallToolResult,
  CallWatch,
  Performed,
  WatchedCall,
  WatchedSession,
} from "../runtime/call-observer.js";
import type { CallDetail, CallRow, SessionRow } from "./api.js";
import {
  answerOf,
  callTarget,
  cut,
  endOf,
  type MeasuredResult,
  short,
  sizeOf,
  type TextResult,
} from "./call-row.js";
import { CallStatistics } from "./call-statistics.js";
import { Stopwatch, timedPool } from "./timed-pool.js";

const MAX_ROWS = 500;
/** Of the arguments or the answer of one call, and of all together. */
const MAX_KEPT_BYTES = 65_536;
const MAX_ALL_BYTES = 8 * 1024 * 1024;
/** The tool of a call that the plan does not have, where calls are added up. */
export const OTHER_TOOL = "(unknown)";

/** A call with its arguments and its answer as texts of JSON, whose size is known. */
interface RecordedCall {
  row: CallRow;
  arguments: string | undefined;
  result: TextResult | undefined;
  bytes: number;
  note: string | null;
}

interface RecordedSession
  extends Pick<SessionRow, "id" | "workspace" | "kind" | "openedAt" | "calls" | "errors"> {
  lastCallAt: number | null;
}

/** Where calls are recorded from. */
interface WatchedWorkspace {
  name: string;
  plan(): Plan;
  kind: SessionRow["kind"];
}

type CallListener = (row: CallRow) => void;

export class CallRecord {
  /** By id, the oldest first. */
  readonly #kept = new Map<number, RecordedCall>();
  readonly #sessions = new Map<WatchedSession, RecordedSession>();
  readonly #listeners = new Set<CallListener>();
  readonly statistics = new CallStatistics();
  #lastCall = 0;
  #lastSession = 0;
  #bytes = 0;

  constructor(private readonly keepsAnswers: boolean) {}

  /** Calls the listener when a call begins and when it ends, until the returned function is called. */
  readonly subscribe = (listener: CallListener): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The record of the calls of a workspace. */
  watch(workspace: WatchedWorkspace): CallWatch {
    return {
      opened: (session) => void this.#sessionOf(session, workspace),
      began: (session, tool, args) => this.#begin(session, workspace, tool, args),
    };
  }

  rows(): CallRow[] {
    return [...this.#kept.values()].map(({ row }) => row);
  }

  /** The bytes of all arguments and answers. */
  get bytes(): number {
    return this.#bytes;
  }

  detail(id: number): CallDetail | undefined {
    const kept = this.#kept.get(id);
    if (kept === undefined) return undefined;
    const { row, arguments: args, result, note } = kept;
    const parsed = (text: string | undefined) => (text === undefined ? null : JSON.parse(text));
    return {
      call: row,
      note,
      arguments: parsed(args) as Json | null,
      result: result === undefined ? null : { ...result, structured: parsed(result.structured) },
    };
  }

  /** The sessions that have sent their client's name, or a call. */
  sessions(): SessionRow[] {
    this.#forgetClosed();
    return [...this.#sessions].flatMap(([session, known]) => {
      const { client, roots, running } = session;
      if (client === undefined && known.calls === 0) return [];
      const named = { client: nameOf(client?.name), clientVersion: nameOf(client?.version) };
      return [{ ...known, ...named, roots: [...roots], running }];
    });
  }

  #sessionOf(session: WatchedSession, { name, kind }: WatchedWorkspace): RecordedSession {
    const known = this.#sessions.get(session);
    if (known !== undefined) return known;
    this.#forgetClosed();
    const added: RecordedSession = {
      id: `s${++this.#lastSession}`,
      workspace: name,
      kind,
      openedAt: Date.now(),
      calls: 0,
      errors: 0,
      lastCallAt: null,
    };
    this.#sessions.set(session, added);
    return added;
  }

  #forgetClosed(): void {
    for (const session of this.#sessions.keys()) {
      if (session.isClosed) this.#sessions.delete(session);
    }
  }

  #begin(session: WatchedSession, workspace: WatchedWorkspace, tool: string, args: unknown): WatchedCall {
    const stopwatch = new Stopwatch();
    const known = this.#sessionOf(session, workspace);
    const { dialect, mcp } = workspace.plan();
    const row: CallRow = {
      id: ++this.#lastCall,
      at: Date.now(),
      workspace: workspace.name,
      session: known.id,
      client: nameOf(session.client?.name),
      tool: short(tool),
      target: callTarget(args, dialect),
      server: null,
      outcome: "running",
      code: null,
      time: null,
      items: null,
      bytes: null,
      tokens: null,
      readiness: null,
    };
    known.calls++;
    known.workspace = workspace.name;
    known.lastCallAt = row.at;
    this.#add(row, args);
    let performed: Performed | undefined;
    const end = (result: CallToolResult | undefined, error?: unknown) => {
      const time = stopwatch.read();
      const answer = result && answerOf(result);
      const ended = { ...row, ...endOf(performed, error), ...sizeOf(answer), time };
      if (ended.outcome === "error") known.errors++;
      const isListed = mcp.listed.includes(tool);
      this.statistics.add({ ...ended, tool: isListed ? tool : OTHER_TOOL });
      this.#replace(ended, answer);
    };
    return {
      observer: {
        timed: (pool) => timedPool(pool, stopwatch),
        ended: (found) => {
          performed = found;
        },
      },
      ended: (result) => end(result),
      failed: (error) => end(undefined, error),
    };
  }

  #add(row: CallRow, args: unknown): void {
    const text = this.keepsAnswers ? (JSON.stringify(args ?? {}) ?? "{}") : undefined;
    const bytes = text === undefined ? 0 : Buffer.byteLength(text);
    const isKept = bytes <= MAX_KEPT_BYTES;
    let note: string | null = null;
    if (!isKept) note = "The arguments are too large to be kept.";
    if (!this.keepsAnswers) note = "Arguments and answers are not kept: `dashboard.keep_answers` is false.";
    const kept: RecordedCall = {
      row,
      arguments: isKept ? text : undefined,
      result: undefined,
      bytes: isKept ? bytes : 0,
      note,
    };
    this.#kept.set(row.id, kept);
    this.#bytes += kept.bytes;
    for (const [id, { bytes }] of this.#kept) {
      if (this.#kept.size <= MAX_ROWS) break;
      this.#kept.delete(id);
      this.#bytes -= bytes;
    }
    this.#shrink();
    this.#tell(row);
  }

  #replace(row: CallRow, answer: MeasuredResult | undefined): void {
    const kept = this.#kept.get(row.id);
    if (kept !== undefined) {
      kept.row = row;
      if (this.keepsAnswers && answer !== undefined) this.#keepAnswer(kept, answer);
    }
    this.#tell(row);
  }

  #keepAnswer(
    kept: RecordedCall,
    { isError, text: whole, textBytes, structured, structuredBytes }: MeasuredResult,
  ): void {
    const isLong = textBytes > MAX_KEPT_BYTES;
    const isLarge = structuredBytes > MAX_KEPT_BYTES;
    if (isLong || isLarge) kept.note = "The answer is too large to be kept whole.";
    const text = isLong ? cut(whole, MAX_KEPT_BYTES / 4) : whole;
    kept.result = { isError, text, structured: isLarge ? undefined : structured };
    const added = (isLong ? Buffer.byteLength(text) : textBytes) + (isLarge ? 0 : structuredBytes);
    kept.bytes += added;
    this.#bytes += added;
    this.#shrink();
  }

  /** Drops the arguments and answers of the oldest calls until the rest is small enough. */
  #shrink(): void {
    for (const kept of this.#kept.values()) {
      if (this.#bytes <= MAX_ALL_BYTES) return;
      if (kept.bytes === 0) continue;
      this.#bytes -= kept.bytes;
      kept.bytes = 0;
      kept.arguments = undefined;
      kept.result = undefined;
      kept.note = "Newer calls needed the room.";
    }
  }

  #tell(row: CallRow): void {
    for (const listener of [...this.#listeners]) listener(row);
  }
}

function nameOf(name: string | undefined): string | null {
  return name === undefined ? null : short(name);
}
