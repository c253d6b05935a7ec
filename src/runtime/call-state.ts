/** The state that every part of one call shares. Calls never share it with each other. */

import type { Plan, ToolPlan } from "../abi/plan.js";
import type { JsonObject } from "../base/json.js";
import type { FileCheck, Log, ServerPool } from "../lsp/types.js";
import type { Edits } from "../workspace/edits/edits.js";
import type { Gate } from "../workspace/gate-types.js";
import type { ToolTexts } from "./answer/answer-text.js";
import type { Evidence } from "./answer/evidence.js";
import type { Pages } from "./answer/pages.js";
import type { Places } from "./answer/places.js";
import type { Attempt } from "./ask/retry-on-change.js";
import type { LoadedBundle } from "./bundle/load.js";
import type { SavedPreviews } from "./edits/saved-previews.js";
import type { SessionPreviews } from "./edits/session-previews.js";
import type { SampleFiles } from "./sample-files.js";

/** Names of servers of the catalogue where no server of the plan can be asked. */
export interface ServerSuggestions {
  /** Whether the config lists its servers, so that a further one must be added. */
  isListed: boolean;
  /** The one for a file. */
  file(path: string): Promise<string | undefined>;
  /** The servers that the files of a folder need. */
  workspace(root: string): Promise<string[]>;
}

/** Looks for the servers of the workspace again, where its files choose them. A plan with others is used at once. */
export interface ServerFinder {
  lookAgain(): Promise<void>;
  /** When they are looked for, if a call that finds none may be answered before; otherwise undefined. */
  laterLook(): string | undefined;
}

export interface CallState {
  /** The bundle, for its validators of servers' replies. */
  readonly loaded: Pick<LoadedBundle, "replyValidator">;
  readonly plan: Plan;
  readonly tool: ToolPlan;
  /** The checked arguments, defaults filled in. */
  readonly input: JsonObject;
  readonly pool: ServerPool;
  readonly gate: Gate;
  readonly samples: SampleFiles;
  readonly places: Places;
  readonly texts: ToolTexts;
  readonly evidence: Evidence;
  readonly pages: Pages;
  /** The edit engine; undefined where the config allows no edits. */
  readonly edits: Edits | undefined;
  readonly previews: SessionPreviews;
  /** The session's owner, where the proxy serves several; only the same owner can undo an edit. */
  readonly holder: string | undefined;
  /** Where previews are stored for later processes; undefined where a session outlives its calls. */
  readonly savedPreviews: SavedPreviews | undefined;
  /** Folders that the session was warned of before. */
  readonly warnedFolders: ReadonlySet<string>;
  /** The change cursor when an editing call began: files that changed after it are not what was asked about. */
  readonly changeCursor: number;
  readonly log: Log;
  /** Why a changed config is not used, if one is not. */
  readonly configProblem: string | undefined;
  readonly suggestServers?: ServerSuggestions | undefined;
  readonly finder: ServerFinder;
  /** Why this proxy serves its client alone, where it should share its servers. */
  readonly notShared?: string | undefined;
  /** The check of the files before the question; undefined when it took too long. */
  readonly fileCheck: FileCheck | undefined;
  /** Which attempt this is; undefined for a call that must not run twice. */
  readonly attempt: Attempt | undefined;
  /** Aborts when the client cancels or the deadline passes. */
  readonly signal: AbortSignal;
  /** Milliseconds until the deadline. */
  remainingMs(): number;
  onProgress(message: string): void;
}
