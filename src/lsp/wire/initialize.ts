/** The `initialize` request: its parameters, and how the server's result is read. */
import { ResponseError } from "vscode-jsonrpc/node";
import type {
  InitializeParams,
  InitializeResult,
  ServerCapabilities,
  WorkspaceFolder,
} from "vscode-languageserver-protocol";
import type { ServerPlan } from "../../abi/plan.js";
import { fileUri } from "../../base/file-uri.js";
import { isTable, type Json } from "../../base/json.js";
import { Refusal } from "../../base/problem.js";
import type { PositionEncoding } from "../../base/text.js";
import { fieldsOf } from "../fields.js";
import type { InstanceContext } from "../instance.js";
import { runsElsewhere } from "../process/program.js";
import { CLIENT_PID_INSIDE } from "../process/sandbox.js";
import { clientCapabilities } from "./client-capabilities.js";
import type { ServerConnection } from "./connection.js";
import { refusalOf } from "./ready-request.js";
import { redact } from "./redact.js";

const ENCODINGS: readonly string[] = ["utf-8", "utf-16", "utf-32"];

export interface InitializeContext
  extends Pick<InstanceContext, "plan" | "root" | "roots" | "version" | "effects"> {
  /** `initializationOptions`; left out when null. */
  options: Json;
  folders: WorkspaceFolder[];
}

export interface Initialized {
  capabilities: unknown;
  encoding: PositionEncoding;
  serverVersion: string | null;
}

export async function initializeServer(
  connection: ServerConnection,
  context: InitializeContext,
  signal: AbortSignal,
): Promise<Initialized> {
  const { plan, roots } = context;
  let answer: unknown;
  try {
    const timeoutMs = plan.initializeTimeoutMs;
    answer = await connection.request("initialize", initializeParams(context), { timeoutMs, signal });
  } catch (error) {
    throw error instanceof ResponseError ? refusalOf({ name: plan.id, roots }, "initialize", error) : error;
  }
  const { capabilities, serverInfo } = fieldsOf<InitializeResult>(answer);
  const { version } = fieldsOf<NonNullable<InitializeResult["serverInfo"]>>(serverInfo);
  return {
    capabilities,
    encoding: chosenEncoding(fieldsOf<ServerCapabilities>(capabilities).positionEncoding, plan.id),
    serverVersion: typeof version === "string" ? redact(versionIn(version).slice(0, 100), roots) : null,
  };
}

/** Root, folders and process in every form that servers look for; 8 of 85 fail when one is missing. */
function initializeParams(context: InitializeContext): InitializeParams {
  const { plan, root, options, folders, version, effects } = context;
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

/** Servers end when they do not see their client's process. One that runs elsewhere may never see it. */
function clientProcess(plan: ServerPlan): number | null {
  if (runsElsewhere(plan)) return null;
  return plan.sandbox === "none" ? process.pid : CLIENT_PID_INSIDE;
}

function chosenEncoding(chosen: unknown, serverId: string): PositionEncoding {
  if (chosen === undefined || chosen === null) return "utf-16";
  if (typeof chosen === "string" && ENCODINGS.includes(chosen)) return chosen as PositionEncoding;
  throw new Refusal("lsp/start-failed", `server "${serverId}" counts columns in an unknown encoding`);
}

/** gopls sends its build information as JSON instead of a version. */
function versionIn(text: string): string {
  if (!text.startsWith("{")) return text;
  try {
    const build: unknown = JSON.parse(text);
    const version = isTable(build) ? (build.Version ?? build.version) : undefined;
    return typeof version === "string" && version !== "" ? version : text;
  } catch {
    return text;
  }
}
