/**
 * Handles what a server sends by itself: answers its requests at once, also during `initialize`, and passes on its
 * notifications. Of 85 servers tried, 25 fail when these requests get errors and 23 when they get no answer.
 */
import { ErrorCodes, ResponseError } from "vscode-jsonrpc/node";
import type {
  ApplyWorkspaceEditParams,
  ApplyWorkspaceEditResult,
  ConfigurationItem,
  ConfigurationParams,
  ShowDocumentResult,
  WorkspaceFolder,
} from "vscode-languageserver-protocol";
import type { ForwardPlan } from "../../abi/plan.js";
import { fieldsOf, isTable, itemsOf, type Json, type JsonObject } from "../../base/json.js";
import { sortBy } from "../../base/order.js";
import { isInside, pathOfUri } from "../../base/paths.js";
import type { Capabilities } from "../capabilities.js";
import type { Diagnostics } from "../diagnostics/diagnostics.js";
import type { InstanceContext } from "../instance.js";
import type { LaunchSettings } from "../process/launch-settings.js";
import type { ReadinessState } from "../readiness.js";
import type { ApplyEdit } from "../types.js";

/** Items of one `workspace/configuration`. */
const MAX_ITEMS = 1_000;
/** Characters of a name that a server asks about. */
const MAX_NAME = 500;

interface ServerMessagesContext extends Pick<InstanceContext, "plan" | "command"> {
  capabilities: Capabilities;
  readiness: ReadinessState;
  diagnostics: Diagnostics;
  settings: LaunchSettings;
  folders: () => WorkspaceFolder[];
  /** Sends the replies of `forward` rules, whose methods are outside the specification. */
  notifyAny: (method: string, params: unknown) => void;
}

export class ServerMessages {
  /** Takers of edits, one for each command of ours that runs now. */
  readonly #editAppliers: ApplyEdit[] = [];

  constructor(private readonly context: ServerMessagesContext) {}

  /** Runs a command of ours. While it runs, the server's edits go to `applyEdit`. */
  async whileApplying<T>(applyEdit: ApplyEdit, run: () => Promise<T>): Promise<T> {
    this.#editAppliers.push(applyEdit);
    try {
      return await run();
    } finally {
      this.#editAppliers.splice(this.#editAppliers.indexOf(applyEdit), 1);
    }
  }

  /** The answer to a request of the server. The plan's own replies come first. */
  request(method: string, params: unknown): unknown {
    const { plan, capabilities, diagnostics, settings, folders } = this.context;
    if (Object.hasOwn(plan.replies, method)) return plan.replies[method];
    switch (method) {
      case "workspace/configuration":
        return configuration(settings, folders(), params);
      case "workspace/workspaceFolders":
        return folders();
      case "client/registerCapability":
        if (capabilities.register(params)) return null;
        throw new ResponseError(ErrorCodes.InvalidRequest, "There are too many registrations");
      case "client/unregisterCapability":
        capabilities.unregister(params);
        return null;
      case "window/workDoneProgress/create":
      case "window/showMessageRequest":
        return null;
      case "window/showDocument":
        return { success: false } satisfies ShowDocumentResult;
      case "workspace/applyEdit":
        return this.#applyEdit(params);
      case "workspace/diagnostic/refresh":
        diagnostics.refreshed();
        return null;
    }
    if (/^workspace\/\w+\/refresh$/.test(method)) return null;
    if (plan.forward.some(({ notification, to }) => notification === method && to === undefined)) return null;
    throw new ResponseError(ErrorCodes.MethodNotFound, `Unhandled method ${method.slice(0, MAX_NAME)}`);
  }

  async #applyEdit(params: unknown): Promise<ApplyWorkspaceEditResult> {
    const applyEdit = this.#editAppliers.at(-1);
    if (applyEdit !== undefined) return applyEdit(fieldsOf<ApplyWorkspaceEditParams>(params).edit);
    return {
      applied: false,
      failureReason: "this client applies edits only within a command that it sent",
    };
  }

  /** Applies the plan's `forward` rules: runs a command in another server and sends its result back. */
  forward(method: string, params: unknown): void {
    const { plan, command, notifyAny } = this.context;
    for (const rule of plan.forward.filter(({ notification }) => notification === method))
      void forward(rule, params, command).then((reply) => notifyAny(rule.reply, reply));
  }
}

/** One value for each item asked for, in the same order. Each may be all settings, so the items are bounded. */
function configuration(
  { settings, settingsFor }: LaunchSettings,
  folders: readonly WorkspaceFolder[],
  params: unknown,
): Json[] {
  const known = new Map<string, JsonObject>();
  const paths = folders.flatMap(({ uri }) => pathOfUri(uri) ?? []);
  /** The settings of the folder that an item is about, the innermost where several contain it. */
  const settingsAbout = (scope: unknown): JsonObject => {
    // Compared as paths: servers escape other characters in a URI than we do, such as `@`.
    const path = pathOfUri(scope);
    const containing = path === undefined ? [] : paths.filter((folder) => isInside(path, folder));
    const [folder] = sortBy(containing, ({ length }) => [-length]);
    if (folder === undefined) return settings;
    const found = known.get(folder) ?? settingsFor(folder);
    known.set(folder, found);
    return found;
  };
  const items = itemsOf(fieldsOf<ConfigurationParams>(params).items);
  if (items.length > MAX_ITEMS)
    throw new ResponseError(ErrorCodes.InvalidParams, `More than ${MAX_ITEMS} items`);
  return items.map((item) => {
    const { section, scopeUri } = fieldsOf<ConfigurationItem>(item);
    return settingsAt(settingsAbout(scopeUri), typeof section === "string" ? section : "");
  });
}

/** A missing first part gives `{}`, since unified-language-server crashes on null; a later one null, as in editors. */
export function settingsAt(settings: JsonObject, section: string): Json {
  if (section === "") return settings;
  if (section.length > MAX_NAME) return null;
  const whole = Object.hasOwn(settings, section) ? settings[section] : undefined;
  if (whole !== undefined) return whole;
  let current: Json = settings;
  for (const [index, part] of section.split(".").entries()) {
    const next: Json | undefined =
      isTable(current) && Object.hasOwn(current, part) ? (current as JsonObject)[part] : undefined;
    if (next === undefined) return index === 0 ? {} : null;
    current = next;
  }
  return current;
}

/** Vue's server asks its TypeScript server this way, and hangs on every request until it gets an answer. */
async function forward(
  rule: ForwardPlan,
  params: unknown,
  command: InstanceContext["command"],
): Promise<unknown[]> {
  // Sent as `[[id, command, args]]` or `[id, command, args]`.
  const list = itemsOf(params);
  const [id, ...args] = list.length === 1 && Array.isArray(list[0]) ? list[0] : list;
  const { to, request } = rule;
  const isAnswered = to !== undefined && request !== undefined;
  const result = isAnswered ? await command(to, request, args).catch(() => null) : null;
  const body = isTable(result) && "body" in result ? result.body : result;
  return [[id ?? null, body ?? null]];
}
