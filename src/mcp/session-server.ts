/** Serves the calls of one session with SDK v1: protocol versions with sessions, up to 2025-11-25. */
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import {
  CallToolRequestSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  ResultSchema,
  RootsListChangedNotificationSchema,
  type ServerNotification,
  type ServerRequest,
  SubscribeRequestSchema,
  type Tool,
  UnsubscribeRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { INTERRUPTED, interruptedCall } from "../hub/interrupted.js";
import type { Log } from "../lsp/types.js";
import type { Runtime } from "../runtime/runtime.js";
import { acceptsStream } from "./accept-header.js";
import { progressReporter, type SessionCalls } from "./calls.js";
import { rootUris } from "./client-metadata.js";
import {
  getPrompt,
  listPrompts,
  listResources,
  listResourceTemplates,
  readResource,
} from "./prompts-and-resources.js";
import { sendListsChanged, serverInfo } from "./server-info.js";
import type { ResourceSubscriptions } from "./subscriptions.js";
import { isYes, takesForms, trustForm } from "./trust-question.js";

/** How long a client may take to answer `roots/list`. */
const ROOTS_TIMEOUT_MS = 5000;
/** How long the user may take to say whether the workspace is trusted. Clients wait a minute for a call, or longer. */
const TRUST_ANSWER_MS = 45_000;

type RequestContext = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** An MCP server for one session. With `narrow`, the session is limited to the roots of its client. */
export function createSessionServer(
  runtime: Runtime,
  calls: SessionCalls,
  options: { narrow: boolean; log: Log },
): Server {
  const mayChange = calls.rootsChoose || calls.trust.offer?.isRefused === true;
  const { implementation, options: serverOptions } = serverInfo(runtime, { mayChange, subscribe: true });
  const server = new Server(implementation, serverOptions);
  /** Settles when the session is limited to its client's roots; undefined when they must be requested. */
  let narrowed: Promise<void> | undefined;
  /** The last request for roots. The outcome of an earlier one is ignored. */
  let newest: Promise<void> | undefined;
  const showNothing = (cause: string): void => {
    options.log("info", "a client did not send its roots; it sees no files", { cause });
    calls.session.narrow([]);
  };

  const requestRoots = async (extra: RequestContext): Promise<string[] | undefined> => {
    const limits = { timeout: ROOTS_TIMEOUT_MS, signal: calls.aborted };
    const { roots } = await extra.sendRequest({ method: "roots/list" }, ResultSchema, limits);
    return rootUris(roots);
  };
  const narrowToRoots = (extra: RequestContext): Promise<void> => {
    const requested: Promise<void> = requestRoots(extra)
      .then((roots) => (requested === newest ? calls.narrow(roots) : newest))
      .catch((error: unknown) => {
        if (requested !== newest) return newest;
        showNothing(error instanceof Error ? error.name : "");
        narrowed = undefined;
      });
    newest = requested;
    return requested;
  };

  /** Limits the session to the roots of its client, and switches to the project that they name. */
  const applyRoots = async (extra: RequestContext): Promise<void> => {
    if (server.getClientCapabilities()?.roots === undefined) return;
    if (options.narrow) {
      // Over HTTP, `roots/list` travels on the stream of the call's answer. Without a stream it cannot be sent.
      if (acceptsStream(extra.requestInfo?.headers.accept)) narrowed ??= narrowToRoots(extra);
      if (narrowed === undefined) showNothing("it accepts no event stream");
      else await narrowed;
    }
    if (!calls.needsRoots) return;
    // A client that does not answer is served where the proxy was started.
    const roots = async () => (await requestRoots(extra).catch(() => undefined)) ?? [];
    await calls.switchProject(roots, (error) =>
      options.log("error", "the project of the client's roots cannot be opened", { cause: String(error) }),
    );
  };

  /** Before a list is sent: lists are the same for all roots, unless the roots choose the project. */
  const applyRootsToLists = async (extra: RequestContext): Promise<void> => {
    if (calls.rootsChoose) await applyRoots(extra);
  };

  server.setRequestHandler(ListToolsRequestSchema, async ({ params }, extra) => {
    await applyRootsToLists(extra);
    return { tools: calls.list(params?.cursor) as Tool[] };
  });
  server.setRequestHandler(CallToolRequestSchema, async (request, extra) => {
    const { name, arguments: args, _meta: meta } = request.params;
    const { signal } = extra;
    const onProgress = progressReporter(meta?.progressToken, signal, (params) =>
      extra.sendNotification({ method: "notifications/progress", params }),
    );
    await applyRoots(extra);
    const ask = async (question: string): Promise<boolean> => {
      if (!takesForms(server.getClientCapabilities()?.elicitation)) return false;
      onProgress("waiting for the user to say whether the workspace is trusted");
      const request = { method: "elicitation/create", params: trustForm(question) };
      const limits = { timeout: TRUST_ANSWER_MS, signal: calls.aborted };
      // A client that fails to ask, or whose user does not answer in time, has not said yes.
      return extra.sendRequest(request as ServerRequest, ResultSchema, limits).then(isYes, () => false);
    };
    const client = server.getClientVersion()?.name;
    const refusal = meta?.[INTERRUPTED] === true ? interruptedCall() : undefined;
    return calls.call(name, args, { signal, onProgress, refusal }, client, ask);
  });
  const { prompts, resources } = runtime.loaded.plan;
  if (prompts.length > 0 || mayChange) {
    server.setRequestHandler(ListPromptsRequestSchema, async (_, extra) => {
      await applyRootsToLists(extra);
      return { prompts: listPrompts(calls) };
    });
    server.setRequestHandler(GetPromptRequestSchema, async ({ params }, extra) => {
      await applyRootsToLists(extra);
      return getPrompt(calls, params.name, params.arguments);
    });
  }
  if (resources.length > 0 || mayChange) {
    server.setRequestHandler(ListResourcesRequestSchema, async (_, extra) => {
      await applyRootsToLists(extra);
      return { resources: listResources(calls) };
    });
    server.setRequestHandler(ListResourceTemplatesRequestSchema, async (_, extra) => {
      await applyRootsToLists(extra);
      return { resourceTemplates: listResourceTemplates(calls) };
    });
    server.setRequestHandler(ReadResourceRequestSchema, async ({ params }, extra) => {
      await applyRoots(extra);
      return readResource(calls, params.uri, { signal: extra.signal });
    });
    let subscriptions: Promise<ResourceSubscriptions> | undefined;
    server.setRequestHandler(SubscribeRequestSchema, async ({ params }, extra) => {
      await applyRoots(extra);
      const notify = (uri: string) => void server.sendResourceUpdated({ uri }).catch(() => undefined);
      subscriptions ??= import("./subscriptions.js").then(
        (module) => new module.ResourceSubscriptions(calls, notify),
      );
      await (await subscriptions).add(params.uri, extra.signal);
      return {};
    });
    server.setRequestHandler(UnsubscribeRequestSchema, async ({ params }) => {
      (await subscriptions)?.remove(params.uri);
      return {};
    });
  }
  server.oninitialized = () => {
    const { name, version } = server.getClientVersion() ?? {};
    calls.client = name === undefined ? undefined : { name, version };
  };
  calls.onToolsChanged(() => sendListsChanged(server, serverOptions.capabilities));
  server.setNotificationHandler(RootsListChangedNotificationSchema, () => {
    narrowed = undefined;
  });
  return server;
}
