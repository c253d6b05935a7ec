/** What a call points at, as a handler sees it: it fills parameters and asks the servers that know the document. */
import type { At, EachOptions, Params, Reply, RequestOptions } from "../../abi/handler.js";
import type { RetryPlan, ServerPlan } from "../../abi/plan.js";
import type { Json, JsonObject } from "../../base/json.js";
import { Refusal } from "../../base/problem.js";
import { methods } from "../../protocol/methods.js";
import { notSupported, requestCircle } from "../ask/ask.js";
import { type Circle, workspaceCircle } from "../ask/circle.js";
import { askDiagnostics, Diagnosed } from "../ask/diagnose.js";
import { askEach } from "../ask/each.js";
import {
  type Attached,
  isEmpty,
  openParams,
  openReply,
  type ParamsMaker,
  type ReplyData,
  type ReplyPart,
  sealParams,
  sealReply,
} from "../ask/reply.js";
import type { CallState } from "../call-state.js";
import { patience, tellDigesting } from "../sharing/digest.js";
import { answersNearby } from "./nearby.js";
import { tellOtherSymbol } from "./other-symbol.js";
import {
  documentBase,
  formattingBase,
  overlay,
  positionBase,
  positionsBase,
  rangeBase,
  rangeDiagnosticsBase,
} from "./params.js";
import type { Target } from "./target.js";

/** The handler's view of a target; without one it is about the whole workspace. */
export function openAt(call: CallState, target: Target | undefined): At {
  const circle = target?.circle ?? workspaceCircle(call);
  /** Parameters that hold the position, and may be asked again beside it when nothing is there. */
  const positioned = new WeakSet<Params>();
  const diagnosed = new Diagnosed();
  call.evidence.target = target;

  const base = (fill: (target: Target, attached: Parameters<ParamsMaker>[0]) => JsonObject) => {
    if (target === undefined) throw new Refusal("point/incomplete", "This tool needs a file.");
    return (set?: JsonObject) => sealParams((attached) => overlay(fill(target, attached), set));
  };

  const atPlace = (params: Params) => {
    positioned.add(params);
    return params;
  };

  /** What a server knows of the whole workspace lags behind the files; what it knows of an open one does not. */
  const retryOf = (retry: RetryPlan) => (target === undefined ? patience(call, retry) : retry);

  const send = (method: string, make: ParamsMaker, options: RequestOptions): Promise<ReplyPart[]> =>
    requestCircle(
      call,
      circle,
      method,
      options.merge ?? "first",
      (attached, turn) => {
        const name = wordedFor(method, target, attached);
        const params = make(attached);
        mustBeNamed(method, params);
        return attached.server.request(name, name === method ? params : withRange(params, target, attached), {
          signal: turn.signal,
          timeoutMs: turn.timeoutMs,
          onProgress: call.onProgress,
          since: call.mark?.lookedAt,
          retryEmpty: options.retryEmpty && retryOf(options.retryEmpty),
        });
      },
      (attached, turn) =>
        attached.server.offers(wordedFor(method, target, attached), attached.document, turn),
    );

  return {
    uri: target?.document.uri ?? "",
    languageId: target?.document.languageId ?? "",
    version: target?.document.version ?? 0,
    plain: (set) => sealParams(() => overlay({}, set)),
    document: (set) => base((its) => documentBase(its))(set),
    position: (set) => atPlace(base(positionBase)(set)),
    positions: (set) => atPlace(base(positionsBase)(set)),
    formatting: (set) => base((its) => formattingBase(its))(set),
    range: (set) => base(rangeBase)(set),
    rangeDiagnostics(set) {
      if (diagnosed.why !== undefined)
        call.evidence.warn("answer/without-diagnostics", `The diagnostics are not known: ${diagnosed.why}.`);
      return base((its, attached) => rangeDiagnosticsBase(its, attached, diagnosed.of(attached.server)))(set);
    },
    async request(method, params, options = {}) {
      try {
        const make = openParams(params);
        let parts = await send(method, make, options);
        if (target === undefined) tellDigesting(call);
        if (target !== undefined && positioned.has(params)) {
          if (mayMove(method) && saysNothing(parts))
            parts = (await answersNearby(call, target, () => send(method, make, {}))) ?? parts;
          const telling = methods[method]?.declares ? tellOtherSymbol(call, target, parts) : undefined;
          if (telling instanceof Promise) await telling;
        }
        return expectAnswer({ parts, perItem: false }, options);
      } catch (error) {
        return skippedOrThrow(options, error);
      }
    },
    async each(method, items, options, params) {
      try {
        const from = openReply(items);
        const reply = await askEach(call, method, from, options, params);
        // Items that nobody was asked for are not items that do not exist.
        const { skipped } = from;
        return expectAnswer(skipped === undefined ? reply : { ...reply, skipped }, options);
      } catch (error) {
        return skippedOrThrow(options, error);
      }
    },
    diagnostics: async (options) => {
      const reply = await askDiagnostics(call, circle, options);
      diagnosed.keep(reply);
      return sealReply(reply);
    },
    command: async (name, args) => sealReply(await runCommand(call, circle, name, args)),
  };
}

/** The method, or the one that does the same for a range: where the call names one, or the server has nothing else. */
function wordedFor(method: string, target: Target | undefined, { server, document }: Attached): string {
  const { ranged, isNarrowed } = methods[method] ?? {};
  if (ranged === undefined || target === undefined) return method;
  const has = (name: string) => server.supports(name, document);
  // What changes a range must not change the whole; what only tells of it can be narrowed afterwards.
  if (target.range !== undefined) return has(ranged) || isNarrowed !== true ? ranged : method;
  return has(method) || !has(ranged) ? method : ranged;
}

/** Servers write down whatever they are given as a name. */
function mustBeNamed(method: string, params: JsonObject): void {
  const name = params[methods[method]?.named ?? ""];
  if (typeof name === "string" && !/^\S+$/.test(name))
    throw new Refusal("guard/invalid-arguments", "The new name is empty or has white space in it.");
}

function withRange(params: JsonObject, target: Target | undefined, attached: Attached): JsonObject {
  return target === undefined ? params : overlay(rangeBase(target, attached), params);
}

/** An optional step that nobody supports replies nothing. */
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

/** Whether a method asks about the symbol at a place, which may be beside it, rather than about the very place. */
function mayMove(method: string): boolean {
  return methods[method]?.exact !== true;
}

function saysNothing(parts: ReplyPart[]): boolean {
  return parts.every((part) => isEmpty(part.value));
}

/** The only road to a server's commands: the server must list the name in its config. */
async function runCommand(call: CallState, circle: Circle, name: string, args: Json[]) {
  const allows = (server: ServerPlan) => server.executeCommands.includes(name);
  const allowed: Circle = { ...circle, servers: circle.servers.filter(allows) };
  const method = "workspace/executeCommand";
  if (allowed.servers.length === 0) throw notSupported(name, circle.servers);
  const parts = await requestCircle(call, allowed, method, "first", ({ server }, turn) =>
    server.request(method, { command: name, arguments: args }, { ...turn, onProgress: call.onProgress }),
  );
  return { parts, perItem: false };
}
