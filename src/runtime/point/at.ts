/**
 * Implements `At` (`abi/handler.ts`), through which a tool's generated handler asks servers about the call's file
 * or position: fills parameters, chooses the method, sends requests and runs commands.
 */
import type { At, EachOptions, Params, Reply, RequestOptions } from "../../abi/handler.js";
import type { Json, JsonObject } from "../../base/json.js";
import { Refusal } from "../../base/problem.js";
import type { TextFilter } from "../../lsp/documents/outside-files.js";
import type { LanguageServer } from "../../lsp/types.js";
import { methods } from "../../protocol/methods.js";
import { askCandidates, notSupported, replyParts, requestCandidates } from "../ask/ask.js";
import {
  type Attached,
  type CandidateServers,
  candidatesForWorkspace,
  isEmpty,
  loadProjects,
  openParams,
  openReply,
  type ParamsMaker,
  type ReplyData,
  type ReplyPart,
  sealParams,
  sealReply,
} from "../ask/candidates.js";
import { askDiagnostics, FoundDiagnostics } from "../ask/diagnose.js";
import { askEach } from "../ask/each.js";
import { notifyCandidates, offersCommand } from "../ask/notify.js";
import { retryPlanFor, warnOfRecentChanges } from "../ask/recent-changes.js";
import { askTree } from "../ask/tree.js";
import { checkReply } from "../bundle/validate.js";
import type { CallState } from "../call-state.js";
import { warnOfMissedUses } from "./missed-uses.js";
import { answersNearby } from "./nearby.js";
import { checkNewName } from "./new-name.js";
import { warnOfOtherSymbol } from "./other-symbol.js";
import { encodePlaces } from "./place-arguments.js";
import {
  type DocumentParams,
  documentBase,
  formattingBase,
  overlay,
  positionBase,
  positionsBase,
  rangeBase,
  rangeDiagnosticsBase,
  type Target,
} from "./target.js";
import { hasWord, wordAt } from "./words.js";

/** Asks servers about a target; without a target, about the whole workspace. */
export class PointedAt implements At {
  readonly #call: CallState;
  readonly #target: Target | undefined;
  readonly #candidates: CandidateServers;
  #diagnosed: FoundDiagnostics | undefined;
  /** Whether parameters may contain places, to be encoded for each server. */
  hasPlaces = false;

  constructor(call: CallState, target: Target | undefined) {
    this.#call = call;
    this.#target = target;
    this.#candidates = target?.candidates ?? candidatesForWorkspace(call);
    call.evidence.target = target;
  }

  get uri(): string {
    return this.#target?.document.uri ?? "";
  }

  get languageId(): string {
    return this.#target?.document.languageId ?? "";
  }

  get version(): number {
    return this.#target?.document.version ?? 0;
  }

  plain(set?: JsonObject): Params {
    return sealParams(({ server }) => overlay({}, this.#encoded(set, server)));
  }

  document(set?: JsonObject): Params {
    return this.#params(documentBase, set);
  }

  position(set?: JsonObject): Params {
    return this.#params(positionBase, set, true);
  }

  positions(set?: JsonObject): Params {
    return this.#params(positionsBase, set, true);
  }

  formatting(set?: JsonObject): Params {
    return this.#params(formattingBase, set);
  }

  range(set?: JsonObject): Params {
    return this.#params(rangeBase, set);
  }

  rangeDiagnostics(set?: JsonObject): Params {
    const why = this.#diagnosed?.why;
    if (why !== undefined)
      this.#call.evidence.warn("answer/without-diagnostics", `The diagnostics are not known: ${why}.`);
    const fill = (target: Target, attached: Attached) =>
      rangeDiagnosticsBase(target, attached, this.#diagnosed?.of(attached.server) ?? []);
    return this.#params(fill, set);
  }

  async request(method: string, params: Params, options: RequestOptions = {}): Promise<Reply> {
    const call = this.#call;
    const target = this.#target;
    try {
      const { make, isPlaced } = openParams(params);
      let parts = await this.#send(method, make, options);
      if (target === undefined) warnOfRecentChanges(call);
      else if (isPlaced) {
        // The symbol at a position may be nearby, unless the method asks about the exact position.
        if (methods[method]?.exact !== true && parts.every(({ value }) => isEmpty(value)))
          parts = (await answersNearby(call, target, () => this.#send(method, make, {}))) ?? parts;
        if (methods[method]?.declares) await warnOfOtherSymbol(call, target, parts);
        if (methods[method]?.named) await warnOfMissedUses(call, target, parts);
      }
      return expectAnswer({ parts, perItem: false }, options);
    } catch (error) {
      return skippedOrThrow(options, error);
    }
  }

  async each(
    method: string,
    items: Reply,
    options: EachOptions,
    params: (item: Json) => JsonObject,
  ): Promise<Reply> {
    try {
      const from = openReply(items);
      const { depth } = options;
      const make = (item: Json, server: LanguageServer) => this.#encoded(params(item), server);
      const reply =
        depth === undefined
          ? await askEach(this.#call, method, from, options, make)
          : await askTree(this.#call, method, from, { ...options, depth }, make);
      // Items of a skipped step are unknown, not missing.
      const { skipped } = from;
      return expectAnswer(skipped === undefined ? reply : { ...reply, skipped }, options);
    } catch (error) {
      return skippedOrThrow(options, error);
    }
  }

  async diagnostics(options: Parameters<At["diagnostics"]>[0]): Promise<Reply> {
    const reply = await askDiagnostics(this.#call, this.#candidates, options);
    this.#diagnosed ??= new FoundDiagnostics();
    this.#diagnosed.keep(reply);
    return sealReply(reply);
  }

  /** Runs a command for a `command` step. The server's `execute_commands` must list it. */
  async command(name: string, args: Json[]): Promise<Reply> {
    const { servers } = this.#candidates;
    const { onProgress, plan } = this.#call;
    if (!plan.allow.effects.includes("command"))
      throw new Refusal("guard/effect-not-allowed", "The config does not allow the effect `command`.");
    const allowed = servers.filter((server) => server.executeCommands.includes(name));
    if (allowed.length === 0) throw notSupported(name, servers);
    const candidates = { ...this.#candidates, servers: allowed };
    const method = "workspace/executeCommand";
    const parts = await requestCandidates(this.#call, candidates, method, "first", ({ server }, limit) =>
      server.request(method, this.#encoded({ command: name, arguments: args }, server), {
        ...limit,
        onProgress,
      }),
    );
    return sealReply({ parts, perItem: false });
  }

  async notify(method: string, params: Params): Promise<Reply> {
    const { make } = openParams(params);
    return sealReply(await notifyCandidates(this.#call, this.#candidates, method, make));
  }

  /** Why a step that needs a method or a command does not run; undefined when a server offers it. */
  async whyNotOffered({ capability, command }: { capability?: string; command?: string }) {
    const { servers } = this.#candidates;
    const found = await askCandidates(this.#call, this.#candidates, "first", async (attached, limit) => {
      const { server, document } = attached;
      const isOffered = capability === undefined || (await server.offers(capability, document, limit));
      return isOffered && (command === undefined || offersCommand(server, command)) ? true : undefined;
    });
    return found.length > 0 ? undefined : notSupported(capability ?? command ?? "", servers);
  }

  /** Parameters about the target. If they contain its position and nothing is found there, places nearby are tried. */
  #params(
    fill: (target: Target, attached: Attached) => DocumentParams,
    set: JsonObject | undefined,
    isPlaced = false,
  ): Params {
    const target = this.#target;
    if (target === undefined) throw new Refusal("point/incomplete", "This tool needs a file.");
    return sealParams(
      (attached) => overlay(fill(target, attached), this.#encoded(set, attached.server)),
      isPlaced,
    );
  }

  /** The parameters in the server's position encoding, where they may have places. */
  #encoded<T extends JsonObject | undefined>(set: T, { encoding }: LanguageServer): T {
    return set === undefined || !this.hasPlaces ? set : (encodePlaces(set, encoding) as T);
  }

  async #send(method: string, make: ParamsMaker, options: RequestOptions): Promise<ReplyPart[]> {
    const call = this.#call;
    const target = this.#target;
    const candidates = this.#candidates;
    const { merge = "first", retryEmpty: retry } = options;
    const answers = await askCandidates(call, candidates, merge, async (attached, limit) => {
      const { server, document } = attached;
      const name = methodFor(method, target, attached);
      if (!(await server.offers(name, document, limit))) return undefined;
      const params = make(attached);
      const newName = params[methods[method]?.named ?? ""];
      if (typeof newName === "string") checkNewName(call, target, newName);
      const isRanged = name !== method && target !== undefined;
      const sent = isRanged ? overlay(rangeBase(target, attached), params) : params;
      if (methods[method]?.isWide)
        await loadProjects(call, server, limit.signal, () => nameFilter(target, sent));
      const reply = await server.request(name, sent, {
        signal: limit.signal,
        timeoutMs: limit.timeoutMs,
        onProgress: call.onProgress,
        checkedAfter: call.fileCheck?.startedAt,
        // A server's index of the workspace lags behind the files; its text of an open file does not.
        retryEmpty: retry && target === undefined ? retryPlanFor(call, retry) : retry,
      });
      await checkReply(call, server, name, reply.value);
      return reply;
    });
    return replyParts(call, candidates, method, answers);
  }
}

/** The method, or its variant for a range: where the call gives a range, or the server offers nothing else. */
function methodFor(method: string, target: Target | undefined, { server, document }: Attached): string {
  const { ranged, isNarrowed } = methods[method] ?? {};
  if (ranged === undefined || target === undefined) return method;
  const has = (name: string) => server.supports(name, document);
  // An edit of a range must not change the whole file; a result that only reads can be narrowed afterwards.
  if (target.range !== undefined) return has(ranged) || isNarrowed !== true ? ranged : method;
  return has(method) || !has(ranged) ? method : ranged;
}

/** Finds the texts that contain the name in question: the word at the position, or the query. */
function nameFilter(target: Target | undefined, { query }: JsonObject): TextFilter | undefined {
  if (target?.place !== undefined) {
    const { document, place } = target;
    const name = wordAt(document.lines.line(place.line), place.character)?.text;
    return name === undefined ? undefined : hasWord(name);
  }
  if (typeof query !== "string" || query === "") return undefined;
  const wanted = query.toLowerCase();
  return (text) => text.toLowerCase().includes(wanted);
}

/** An optional step that no server supports gives an empty reply. */
function skippedOrThrow({ optional }: RequestOptions, error: unknown): Reply {
  if (optional && error instanceof Refusal && error.code === "lsp/not-supported")
    return sealReply({ parts: [], perItem: false, skipped: error });
  throw error;
}

function expectAnswer(reply: ReplyData, { expect }: RequestOptions | EachOptions): Reply {
  if (expect === undefined) return sealReply(reply);
  const isNothing = expect === "some" ? isEmpty : (value: unknown) => value === null;
  if (reply.parts.every(({ value }) => isNothing(value)))
    throw new Refusal("lsp/no-answer", "The language server has nothing for this place.");
  return sealReply(reply);
}
