/** The servers that a call may ask, and how each is made ready: started, with the document open. */
import type { ServerPlan } from "../../abi/plan.js";
import { Refusal } from "../../base/problem.js";
import type { LanguageServer } from "../../lsp/types.js";
import type { Admitted } from "../../workspace/types.js";
import type { CallState } from "../call-state.js";
import type { Attached } from "./reply.js";

/** Servers that may be asked one question. */
export interface CandidateServers {
  /** In the order they are asked. */
  readonly servers: readonly ServerPlan[];
  /** Starts the server when needed; several when it runs for several roots, none when it has nothing to do here. */
  attach(server: ServerPlan, signal: AbortSignal): Promise<Attached[]>;
}

/** The servers of one file. */
export function candidatesForDocument(call: CallState, admitted: Admitted): CandidateServers {
  const able = call.pool.route(admitted.path);
  const servers = able.filter((server) => mayAsk(call, server));
  if (servers.length === 0 && able.length > 0) throw wrongServer(call, admitted);
  if (servers.length === 0)
    throw new Refusal("route/no-server", `No configured language server handles ${admitted.shown}.`, {
      nextSteps: [{ kind: "config", text: "Add a server for this kind of file under `[[servers]]`." }],
    });
  const { path } = admitted;
  const open = async ({ id }: ServerPlan, signal: AbortSignal): Promise<Attached[]> => {
    const server = await startServer(call, id, path, signal);
    const document = await server.ensureOpen(path, signal, call.files?.checkedAt);
    call.evidence.asks(server, document);
    return [{ server, document }];
  };
  // Once per call, failures included: a server that does not start is waited for once, not in every step.
  const attached = new Map<string, Promise<Attached[]>>();
  return {
    servers,
    attach(plan, signal) {
      const known = attached.get(plan.id) ?? open(plan, signal);
      attached.set(plan.id, known);
      return known;
    },
  };
}

/** The servers of the whole workspace: those that run, and those that have a file here. */
export function candidatesForWorkspace(call: CallState): CandidateServers {
  return {
    servers: call.plan.servers.filter((server) => mayAsk(call, server)),
    async attach({ id }, signal) {
      const running = call.pool.running().filter((server) => server.plan.id === id);
      for (const server of running) call.evidence.awaits(server);
      if (running.length > 0) return running.map((server) => ({ server, document: undefined }));
      const sample = await call.samples.find(id);
      if (sample === undefined) return [];
      return [{ server: await startServer(call, id, sample, signal), document: undefined }];
    },
  };
}

/** The refusal for a file that has servers, but none that the tool may ask. */
function wrongServer({ tool }: CallState, { shown }: Admitted): Refusal {
  const ids = (tool.servers ?? []).join(", ");
  const which = ids === "" ? "servers that do not run here" : ids;
  return new Refusal("route/no-server", `${tool.name} is only for files of ${which}; ${shown} is none.`, {
    nextSteps: [{ kind: "doc", text: "Use a tool that is not limited to these servers." }],
  });
}

/** The running server, started when needed. The evidence records what the call waits for, whatever ends the wait. */
export async function startServer(
  { pool, evidence, onProgress }: CallState,
  id: string,
  path: string | undefined,
  signal: AbortSignal,
): Promise<LanguageServer> {
  if (!pool.runs(id)) onProgress(`starting ${id}`);
  evidence.awaitsStart(id);
  try {
    const server = await pool.get(id, path, signal);
    evidence.awaits(server);
    return server;
  } catch (error) {
    const isWaitOver =
      error === signal.reason || (error instanceof Refusal && error.code === "call/cancelled");
    if (!isWaitOver) evidence.awaitsNoMore(id);
    throw error;
  }
}

function mayAsk(call: CallState, server: ServerPlan): boolean {
  return call.tool.servers === null || call.tool.servers.includes(server.id);
}
