/** The `initialize` request: its parameters with the client capabilities, and how the result is read. */
import { ResponseError } from "vscode-jsonrpc/node";
import type {
  ClientCapabilities,
  CompletionItemKind,
  InitializeParams,
  InitializeResult,
  ServerCapabilities,
  SymbolKind,
  WorkspaceFolder,
} from "vscode-languageserver-protocol";
import type { Effect, ServerPlan } from "../../abi/plan.js";
import { fieldsOf, isTable, type Json, type JsonObject, mergeOver } from "../../base/json.js";
import { fileUri } from "../../base/paths.js";
import { Refusal } from "../../base/problem.js";
import type { PositionEncoding } from "../../base/text.js";
import type { InstanceContext } from "../instance.js";
import { runsElsewhere } from "../process/program.js";
import { CLIENT_PID_INSIDE } from "../process/sandbox.js";
import type { ServerConnection } from "./connection.js";
import { refusalOf } from "./ready-request.js";
import { redact } from "./redact.js";

const ENCODINGS: readonly string[] = ["utf-8", "utf-16", "utf-32"];

interface InitializeContext extends Pick<InstanceContext, "plan" | "root" | "roots" | "version" | "effects"> {
  /** `initializationOptions`; left out when null. */
  options: Json;
  folders: WorkspaceFolder[];
}

interface Initialized {
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
    if (!(error instanceof ResponseError)) throw error;
    const refusal = refusalOf({ name: plan.id, roots }, "initialize", error);
    throw refusal.code === "lsp/not-supported"
      ? noLanguageServer(plan, "it does not know the request")
      : refusal;
  }
  const { capabilities, serverInfo } = fieldsOf<InitializeResult>(answer);
  if (!isTable(capabilities)) throw noLanguageServer(plan, "its reply has no capabilities");
  const { version } = fieldsOf<NonNullable<InitializeResult["serverInfo"]>>(serverInfo);
  return {
    capabilities,
    encoding: chosenEncoding(fieldsOf<ServerCapabilities>(capabilities).positionEncoding, plan.id),
    serverVersion: typeof version === "string" ? redact(versionIn(version).slice(0, 100), roots) : null,
  };
}

/** The refusal of a program that answers, but not as a language server does. */
function noLanguageServer({ id, command }: ServerPlan, why: string): Refusal {
  const program = command[0] === undefined ? "the program" : `\`${command[0]}\``;
  const message = `server "${id}" cannot be used: ${program} is not a language server, because of its answer to initialize: ${why}`;
  const text = `Write a command into \`command\` of the server "${id}" that starts a language server.`;
  return new Refusal("lsp/start-failed", message, { nextSteps: [{ kind: "config", text }] });
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

const registered = { dynamicRegistration: true };
const linked = { dynamicRegistration: true, linkSupport: true };
const refreshed = { refreshSupport: true };
/** Every kind of the protocol: 1 to `last`. */
const kindsUpTo = <Kind extends number>(last: Kind): Kind[] =>
  Array.from({ length: last }, (_, index) => (index + 1) as Kind);
const symbolKind = { valueSet: kindsUpTo<SymbolKind>(26) };
const prose: ("markdown" | "plaintext")[] = ["markdown", "plaintext"];

const workspace: ClientCapabilities["workspace"] = {
  workspaceEdit: {
    documentChanges: true,
    resourceOperations: ["create", "rename", "delete"],
    failureHandling: "abort",
    normalizesLineEndings: true,
    changeAnnotationSupport: { groupsOnLabel: false },
  },
  didChangeConfiguration: registered,
  didChangeWatchedFiles: { dynamicRegistration: true, relativePatternSupport: true },
  symbol: {
    dynamicRegistration: true,
    symbolKind,
    tagSupport: { valueSet: [1] },
    resolveSupport: { properties: ["location.range"] },
  },
  executeCommand: registered,
  workspaceFolders: true,
  configuration: true,
  codeLens: refreshed,
  semanticTokens: refreshed,
  inlayHint: refreshed,
  inlineValue: refreshed,
  diagnostics: refreshed,
  foldingRange: refreshed,
};

const textDocument: ClientCapabilities["textDocument"] = {
  synchronization: { dynamicRegistration: true, didSave: true },
  publishDiagnostics: {
    relatedInformation: true,
    tagSupport: { valueSet: [1, 2] },
    versionSupport: true,
    codeDescriptionSupport: true,
    dataSupport: true,
  },
  diagnostic: { dynamicRegistration: true, relatedDocumentSupport: true },
  hover: { dynamicRegistration: true, contentFormat: prose },
  definition: linked,
  declaration: linked,
  typeDefinition: linked,
  implementation: linked,
  references: registered,
  documentHighlight: registered,
  documentSymbol: {
    dynamicRegistration: true,
    hierarchicalDocumentSymbolSupport: true,
    symbolKind,
    tagSupport: { valueSet: [1] },
    labelSupport: false,
  },
  completion: {
    dynamicRegistration: true,
    contextSupport: true,
    completionItem: {
      snippetSupport: false,
      documentationFormat: prose,
      deprecatedSupport: true,
      tagSupport: { valueSet: [1] },
      labelDetailsSupport: true,
      resolveSupport: { properties: ["documentation", "detail"] },
    },
    completionItemKind: { valueSet: kindsUpTo<CompletionItemKind>(25) },
  },
  signatureHelp: {
    dynamicRegistration: true,
    contextSupport: true,
    signatureInformation: {
      documentationFormat: prose,
      parameterInformation: { labelOffsetSupport: true },
      activeParameterSupport: true,
    },
  },
  codeAction: {
    dynamicRegistration: true,
    isPreferredSupport: true,
    disabledSupport: true,
    dataSupport: true,
    honorsChangeAnnotations: true,
    resolveSupport: { properties: ["edit"] },
    codeActionLiteralSupport: {
      codeActionKind: {
        valueSet: [
          "",
          "quickfix",
          "refactor",
          "refactor.extract",
          "refactor.inline",
          "refactor.rewrite",
          "source",
          "source.organizeImports",
          "source.fixAll",
        ],
      },
    },
  },
  codeLens: registered,
  documentLink: { dynamicRegistration: true, tooltipSupport: true },
  colorProvider: registered,
  formatting: registered,
  rangeFormatting: registered,
  onTypeFormatting: registered,
  rename: {
    dynamicRegistration: true,
    prepareSupport: true,
    prepareSupportDefaultBehavior: 1,
    honorsChangeAnnotations: true,
  },
  foldingRange: { dynamicRegistration: true, lineFoldingOnly: false },
  selectionRange: registered,
  linkedEditingRange: registered,
  callHierarchy: registered,
  typeHierarchy: registered,
  moniker: registered,
  inlayHint: { dynamicRegistration: true, resolveSupport: { properties: ["tooltip", "label.tooltip"] } },
  inlineValue: registered,
  semanticTokens: {
    dynamicRegistration: true,
    requests: { range: true, full: { delta: false } },
    tokenTypes:
      "namespace type class enum interface struct typeParameter parameter variable property enumMember event function method macro keyword modifier comment string number regexp operator decorator".split(
        " ",
      ),
    tokenModifiers:
      "declaration definition readonly static deprecated abstract async modification documentation defaultLibrary".split(
        " ",
      ),
    formats: ["relative"],
    overlappingTokenSupport: true,
    multilineTokenSupport: true,
  },
};

const fileOperations: NonNullable<ClientCapabilities["workspace"]>["fileOperations"] = {
  dynamicRegistration: true,
  willCreate: true,
  didCreate: true,
  willRename: true,
  didRename: true,
  willDelete: true,
  didDelete: true,
};

/** The capabilities that the allowed effects permit, with the plan's own laid over them. */
export function clientCapabilities(overlay: JsonObject, effects: readonly Effect[]): ClientCapabilities {
  const edits = effects.includes("edit");
  const own: ClientCapabilities = {
    workspace: {
      ...workspace,
      // A server's own edits are applied only during a command of ours.
      applyEdit: edits && effects.includes("command"),
      ...(edits ? { fileOperations } : {}),
    },
    textDocument,
    window: {
      workDoneProgress: true,
      showMessage: { messageActionItem: { additionalPropertiesSupport: false } },
      showDocument: { support: false },
    },
    general: {
      positionEncodings: ["utf-8", "utf-16"],
      staleRequestSupport: { cancel: true, retryOnContentModified: [] },
      markdown: { parser: "commonmark" },
    },
  };
  return mergeOver(own as JsonObject, overlay);
}
