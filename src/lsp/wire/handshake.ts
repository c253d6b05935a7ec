/** The handshake: what a server is told in `initialize`, and how its answer is read. */

import { basename } from "node:path";
import { ResponseError } from "vscode-jsonrpc/node";
import type { Effect, ServerPlan } from "../../abi/plan.js";
import { fileUri } from "../../base/file-uri.js";
import { isTable, type Json } from "../../base/json.js";
import { Refusal } from "../../base/problem.js";
import type { PositionEncoding } from "../../base/text.js";
import { runsElsewhere } from "../process/program.js";
import { CLIENT_INSIDE } from "../process/sandbox.js";
import { clientCapabilities } from "./offer.js";
import { redact } from "./redact.js";
import { type Asking, refusalOf } from "./requests.js";

const ENCODINGS: readonly string[] = ["utf-8", "utf-16", "utf-32"];

/** A workspace folder as LSP writes it. */
export interface FolderParams {
  uri: string;
  name: string;
}

export function folderParams(path: string): FolderParams {
  return { uri: fileUri(path), name: basename(path) };
}

/** What a server is told of its client and its place. */
export interface About {
  root: string;
  /** `initializationOptions`; none when null. */
  options: Json;
  folders: FolderParams[];
  version: string;
  effects: readonly Effect[];
}

/** Root, folders and process in all the forms that servers look for; 8 of 85 fail when one is missing. */
export function initializeParams(
  plan: ServerPlan,
  { root, options, folders, version, effects }: About,
): object {
  return {
    processId: clientProcess(plan),
    clientInfo: { name: "lsp-proxy", version },
    rootUri: fileUri(root),
    rootPath: root,
    workspaceFolders: folders,
    capabilities: clientCapabilities(plan.clientCapabilities, effects),
    ...(options === null ? {} : { initializationOptions: options }),
    trace: "off",
  };
}

/** A server that looks after its client ends when it does not see it; from elsewhere it may never. */
function clientProcess(plan: ServerPlan): number | null {
  if (runsElsewhere(plan)) return null;
  return plan.sandbox === "none" ? process.pid : CLIENT_INSIDE;
}

/** The encoding that a server chose; none said means UTF-16. */
export function chosenEncoding(chosen: unknown, serverId: string): PositionEncoding {
  if (chosen === undefined || chosen === null) return "utf-16";
  if (typeof chosen === "string" && ENCODINGS.includes(chosen)) return chosen as PositionEncoding;
  throw new Refusal("lsp/start-failed", `server "${serverId}" counts columns in an unknown encoding`);
}

/** What a server says of itself. */
export interface Introduction {
  capabilities: unknown;
  encoding: PositionEncoding;
  serverVersion: string | null;
}

/** Sends `initialize` and reads the answer. */
export async function shakeHands(
  plan: ServerPlan,
  asking: Asking,
  about: About,
  signal: AbortSignal,
): Promise<Introduction> {
  const params = initializeParams(plan, about);
  const answered = await asking.wire
    .request("initialize", params, plan.initializeTimeoutMs, signal)
    .catch((error: unknown) => {
      throw error instanceof ResponseError ? refusalOf(asking, "initialize", error) : error;
    });
  const result = isTable(answered) ? answered : {};
  const capabilities = isTable(result.capabilities) ? result.capabilities : {};
  const version = isTable(result.serverInfo) ? result.serverInfo.version : undefined;
  return {
    capabilities,
    encoding: chosenEncoding(capabilities.positionEncoding, plan.id),
    serverVersion:
      typeof version === "string" ? redact(versionIn(version).slice(0, 100), asking.roots) : null,
  };
}

/** gopls tells how it was built, as JSON, where its version is asked for. */
function versionIn(text: string): string {
  if (!text.startsWith("{")) return text;
  try {
    const facts: unknown = JSON.parse(text);
    const named = isTable(facts) ? (facts.Version ?? facts.version) : undefined;
    return typeof named === "string" && named !== "" ? named : text;
  } catch {
    return text;
  }
}
