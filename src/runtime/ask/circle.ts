/** The servers that a call may ask, and how each becomes ready to be asked: running, with the document open. */

import type { ServerPlan } from "../../abi/plan.js";
import { Refusal } from "../../base/problem.js";
import type { Soon } from "../../base/soon.js";
import type { StopSignal } from "../../base/stop.js";
import type { LanguageServer, OpenDocument } from "../../lsp/types.js";
import type { Admitted } from "../../workspace/types.js";
import type { CallState } from "../call-state.js";
import type { Attached } from "./reply.js";

/** Servers that may be asked one question. */
export interface Circle {
  /** In the order they are asked. */
  readonly servers: readonly ServerPlan[];
  /** Starts the server when needed; several when it runs for several roots, none when it has nothing to do here. */
  attach(server: ServerPlan, signal: StopSignal): Soon<Attached[]>;
}

/** The servers of one document. */
export interface DocumentCircle extends Circle {
  /** A server that runs and has the document as it is, as far as is known: then there is nothing to wait for. */
  atHand(server: ServerPlan): Attached | undefined;
}

/** The servers of one file. */
export function documentCircle(call: CallState, admitted: Admitted): DocumentCircle {
  const able = call.pool.route(admitted.path);
  const servers = able.filter((server) => mayAsk(call, server));
  if (servers.length === 0 && able.length > 0) throw otherServers(call, admitted);
  if (servers.length === 0)
    throw new Refusal("route/no-server", `No configured language server handles ${admitted.shown}.`, {
      nextSteps: [{ kind: "config", text: "Add a server for this kind of file under `[[servers]]`." }],
    });
  const { path } = admitted;
  const since = call.mark?.lookedAt;
  const attached = new Map<string, Soon<Attached[]>>();
  const found = (server: LanguageServer, document: OpenDocument): Attached => {
    const one = { server, document };
    call.evidence.asks(server, document);
    attached.set(server.plan.id, [one]);
    return one;
  };
  const keep = ({ id }: ServerPlan, opening: Promise<Attached[]>) => {
    attached.set(id, opening);
    return opening;
  };
  const open = async ({ id }: ServerPlan, signal: StopSignal) => {
    const server = runningServer(call, id, path) ?? (await startedServer(call, id, path, signal));
    return [found(server, await server.sync(path, signal, since))];
  };
  const atHand = ({ id }: ServerPlan): Attached | undefined => {
    const server = runningServer(call, id, path);
    const document = server?.synced(path, since, isSeenSoon(call));
    return server && document && found(server, document);
  };
  return {
    servers,
    atHand,
    // Once per call, failures included: a server that does not start is waited for once, not in every step.
    attach(plan, signal) {
      const known = attached.get(plan.id);
      if (known !== undefined) return known;
      try {
        const ready = atHand(plan);
        if (ready !== undefined) return [ready];
      } catch (error) {
        return keep(plan, Promise.reject(error));
      }
      return keep(plan, open(plan, signal));
    },
  };
}

/** The servers of the whole workspace: those that run, and those that have a file here. */
export function workspaceCircle(call: CallState): Circle {
  const start = async ({ id }: ServerPlan, signal: StopSignal) => {
    const sample = await call.samples.find(id);
    if (sample === undefined) return [];
    return [{ server: await startedServer(call, id, sample, signal), document: undefined }];
  };
  return {
    servers: call.plan.servers.filter((server) => mayAsk(call, server)),
    attach(plan, signal) {
      const running = call.pool.running().filter((server) => server.plan.id === plan.id);
      for (const server of running) call.evidence.awaits(server);
      return running.length > 0
        ? running.map((server) => ({ server, document: undefined }))
        : start(plan, signal);
    },
  };
}

/** The refusal of a file that is some server's, but of none that the tool may ask. */
function otherServers({ tool }: CallState, { shown }: Admitted): Refusal {
  const ids = (tool.servers ?? []).join(", ");
  const whom = ids === "" ? "servers that do not run here" : ids;
  return new Refusal("route/no-server", `${tool.name} is only for files of ${whom}; ${shown} is none.`, {
    nextSteps: [{ kind: "doc", text: "Use a tool that is not limited to these servers." }],
  });
}

/** Whether files are looked at after this and before an answer is given: then a call that can be asked again takes them to be as they were. */
function isSeenSoon({ attempt, mark }: CallState): boolean {
  return attempt !== undefined && mark?.isAhead() === true;
}

/** The server, if it runs: then there is nothing to wait for. */
function runningServer({ pool, evidence }: CallState, id: string, path: string): LanguageServer | undefined {
  const server = pool.at(id, path);
  if (server !== undefined) evidence.awaits(server);
  return server;
}

/** The server, started when needed. A call that ends before that knows what it waited for, whatever ended the wait. */
export async function startedServer(
  { pool, evidence, onProgress }: CallState,
  id: string,
  path: string | undefined,
  signal: StopSignal,
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
