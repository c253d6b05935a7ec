/**
 * Serves calls with SDK v2 (protocol 2026-07-28, no sessions).
 * Only this file imports it, for the first client that needs it.
 */
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  createMcpHandler,
  inputRequired,
  inputResponse,
  type McpHttpHandler,
  Server,
  type ServerContext,
  type Tool,
} from "@modelcontextprotocol/server";
import { type StdioServerHandle, serveStdio } from "@modelcontextprotocol/server/stdio";
import { INTERRUPTED, interruptedCall } from "../hub/interrupted.js";
import type { Runtime } from "../runtime/runtime.js";
import { progressReporter, type SessionCalls } from "./calls.js";
import { clientInfoIn, declaredIn, rootUris } from "./client-metadata.js";
import {
  getPrompt,
  listPrompts,
  listResources,
  listResourceTemplates,
  readResource,
} from "./prompts-and-resources.js";
import { sendListsChanged, serverInfo } from "./server-info.js";
import { isYes, TrustNeeded, takesForms, trustForm } from "./trust-question.js";

interface CallSource {
  /** The calls limited to these roots; undefined for a client without roots. */
  callsFor(roots: readonly string[] | undefined): SessionCalls;
  /** Whether calls are limited to the roots of their client. */
  narrow: boolean;
  /** Whether the roots choose one of several workspaces. */
  rootsChoose: boolean;
}

/** The name of the question about trust, which the client repeats with its answer. */
const TRUST = "trust";

function createModernServer(runtime: Runtime, { callsFor, narrow, rootsChoose }: CallSource): Server {
  const { implementation, options } = serverInfo(runtime, { mayChange: rootsChoose, subscribe: false });
  const server = new Server(implementation, options);
  // This protocol version cannot ask for roots before a list: it shows the first workspace's.
  server.setRequestHandler("tools/list", async ({ params }) => ({
    tools: callsFor(undefined).list(params?.cursor) as Tool[],
  }));
  server.setRequestHandler("tools/call", async (request, { mcpReq }) => {
    const { name, arguments: args } = request.params;
    const { signal } = mcpReq;
    const onProgress = progressReporter(mcpReq._meta?.progressToken, signal, (params) =>
      mcpReq.notify({ method: "notifications/progress", params }),
    );
    const roots = narrow ? rootsOf(mcpReq) : undefined;
    if (roots === "missing") return askForRoots();
    const info = clientInfoIn(mcpReq.envelope);
    const client = info?.name ?? server.getClientVersion()?.name;
    const calls = callsFor(roots);
    calls.client ??= info;
    const answer = mcpReq.inputResponses?.[TRUST];
    if (answer !== undefined) await calls.trust.answer(isYes(answer));
    const canAsk = takesForms(declaredIn(mcpReq.envelope, "elicitation"));
    try {
      const refusal = mcpReq._meta?.[INTERRUPTED] === true ? interruptedCall() : undefined;
      const options = { signal, onProgress, refusal };
      return await calls.call(name, args, options, client, canAsk ? "later" : undefined);
    } catch (error) {
      if (!(error instanceof TrustNeeded)) throw error;
      return inputRequired({ inputRequests: { [TRUST]: inputRequired.elicit(trustForm(error.question)) } });
    }
  });
  const { prompts, resources } = runtime.loaded.plan;
  if (prompts.length > 0 || rootsChoose) {
    server.setRequestHandler("prompts/list", async () => ({
      prompts: listPrompts(callsFor(undefined)),
    }));
    server.setRequestHandler("prompts/get", async ({ params }, { mcpReq }) => {
      const roots = rootsChoose ? rootsOf(mcpReq) : undefined;
      if (roots === "missing") return askForRoots();
      return getPrompt(callsFor(roots), params.name, params.arguments);
    });
  }
  if (resources.length > 0 || rootsChoose) {
    server.setRequestHandler("resources/list", async () => ({
      resources: listResources(callsFor(undefined)),
    }));
    server.setRequestHandler("resources/templates/list", async () => ({
      resourceTemplates: listResourceTemplates(callsFor(undefined)),
    }));
    server.setRequestHandler("resources/read", async ({ params }, { mcpReq }) => {
      const roots = narrow ? rootsOf(mcpReq) : undefined;
      if (roots === "missing") return askForRoots();
      return readResource(callsFor(roots), params.uri, { signal: mcpReq.signal });
    });
  }
  return server;
}

/**
 * The roots that came with a call; undefined for a client without any. One that declares roots and did not send them is
 * asked, and calls again with its answer; an answer without a list of roots gives access to nothing.
 */
function rootsOf({
  envelope,
  inputResponses,
}: Pick<ServerContext["mcpReq"], "envelope" | "inputResponses">): string[] | "missing" | undefined {
  if (!declaredIn(envelope, "roots")) return undefined;
  if (inputResponses === undefined) return "missing";
  const response = inputResponse(inputResponses, "roots");
  return response.kind === "roots" ? rootUris(response.roots) : [];
}

const askForRoots = () => inputRequired({ inputRequests: { roots: inputRequired.listRoots() } });

/** Serves one client on a transport, also one that falls back to the handshake of older versions. */
export function serveModernTransport(
  runtime: Runtime,
  calls: SessionCalls,
  transport: Transport,
  onerror: (error: Error) => void,
): StdioServerHandle {
  const source: CallSource = { callsFor: () => calls, narrow: false, rootsChoose: false };
  const open = () => {
    const server = createModernServer(runtime, source);
    calls.onToolsChanged(() => sendListsChanged(server, server.getCapabilities()));
    return server;
  };
  return serveStdio(open, { transport, onerror });
}

/** An HTTP handler that answers each request on its own, and tells the clients that listen of a changed config. */
export function createModernHandler(
  runtime: Runtime,
  options: CallSource & { maxSubscriptions: number; onerror: (error: Error) => void },
): McpHttpHandler {
  const { maxSubscriptions, onerror } = options;
  const handler = createMcpHandler(() => createModernServer(runtime, options), {
    legacy: "reject",
    maxSubscriptions,
    onerror,
  });
  const unlisten = runtime.onUpdated(() => {
    handler.notify.toolsChanged();
    handler.notify.promptsChanged();
    handler.notify.resourcesChanged();
  });
  const close = async () => {
    unlisten();
    await handler.close();
  };
  return { ...handler, close };
}
