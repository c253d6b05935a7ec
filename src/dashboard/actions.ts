/**
 * The actions of the page: restart or stop a server, and call a tool. The playground is a session like that of an
 * agent: the same tools, the same gate, the same limits.
 */
import { toolSizes } from "../abi/tool-sizes.js";
import { isTable, type JsonObject } from "../base/json.js";
import { sortedSet } from "../base/order.js";
import { Refusal } from "../base/problem.js";
import { estimatedTokens } from "../base/token-estimate.js";
import { SessionCalls } from "../mcp/calls.js";
import { ProtocolError } from "../mcp/protocol-error.js";
import type { CallToolResult } from "../runtime/call-observer.js";
import type { ActionDone, ConfigInfo, RunAnswer, ToolInfo } from "./api.js";
import type { ShownWorkspace } from "./live.js";
import { placesIn } from "./places.js";
import type { CallRecord } from "./record.js";

/** Calls of the playground that run at once. */
const MAX_CALLS = 4;
/** Only the playground undoes what it edited. */
const HOLDER = "dashboard playground";
const CLIENT = "dashboard";

export class Playground {
  readonly #calls = new Map<ShownWorkspace, SessionCalls>();

  constructor(
    private readonly record: CallRecord,
    private readonly version: string,
  ) {}

  tools(workspace: ShownWorkspace): ToolInfo[] {
    const calls = this.#callsOf(workspace);
    const { tools } = calls.loaded.plan;
    return calls.list(undefined).map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema,
      effect: tools.find((tool) => tool.name === name)?.effect ?? "read",
    }));
  }

  async run(
    workspace: ShownWorkspace,
    tool: string,
    args: JsonObject,
    signal: AbortSignal,
  ): Promise<RunAnswer> {
    const calls = this.#callsOf(workspace);
    const { dialect } = calls.loaded.plan;
    const answered = calls.call(tool, args, { signal }, CLIENT);
    // The call has begun, so its row is the newest.
    const id = this.record.rows().at(-1)?.id;
    const { content, structuredContent, isError } = await answered.catch(asResult);
    const call = this.record.rows().find((row) => row.id === id) ?? null;
    const text = content.map((block) => block.text).join("\n");
    const structured = structuredContent ?? null;
    const asked = args[dialect.document.field];
    const places =
      structured === null ? [] : placesIn(structured, dialect, typeof asked === "string" ? asked : undefined);
    const result = { isError: isError === true, text, structured };
    return { call, result, places, columnUnit: dialect.position.unit };
  }

  close(): void {
    for (const calls of this.#calls.values()) calls.end();
    this.#calls.clear();
  }

  #callsOf(workspace: ShownWorkspace): SessionCalls {
    const known = this.#calls.get(workspace);
    if (known !== undefined) return known;
    const { name, runtime } = workspace;
    const watch = this.record.watch({ name, kind: "playground", plan: () => runtime.loaded.plan });
    const limit = () => ({ most: MAX_CALLS, setting: "calls of the playground", others: 0 });
    const session = runtime.openSession({ holder: HOLDER });
    const calls = new SessionCalls(runtime, session, { limit, watch });
    calls.client = { name: CLIENT, version: this.version };
    this.#calls.set(workspace, calls);
    return calls;
  }
}

/** The size of each tool in the list that a model reads. */
export function weightsOf({ runtime }: ShownWorkspace): Pick<ConfigInfo, "weights" | "total"> {
  const sizes = toolSizes(runtime.tools, runtime.loaded.plan);
  const weights = sizes.map((size) => ({ ...size, tokens: estimatedTokens(size.bytes) }));
  const bytes = sizes.reduce((sum, size) => sum + size.bytes, 0);
  return { weights, total: { bytes, tokens: estimatedTokens(bytes) } };
}

/** A protocol error in the form of a result: the page shows both in the same way. */
function asResult(error: unknown): CallToolResult {
  if (!(error instanceof ProtocolError)) throw error;
  const { message, data } = error;
  const structure = data === undefined ? {} : { structuredContent: data };
  return { content: [{ type: "text", text: message }], ...structure, isError: true };
}

/** Restarts or stops a server of a workspace, at all its roots. */
export async function actOnServer(
  action: "restart" | "stop",
  { runtime }: ShownWorkspace,
  server: string,
): Promise<ActionDone> {
  if (!runtime.loaded.plan.servers.some(({ id }) => id === server))
    throw new Refusal("guard/invalid-arguments", "There is no server of that id.");
  return { servers: sortedSet(await runtime.pool[action](server)) };
}

/** The table in the body of a request. Throws a Refusal for anything else. */
export function tableIn(value: unknown): JsonObject {
  if (isTable(value)) return value as JsonObject;
  throw new Refusal("guard/invalid-arguments", "The body is not a JSON object.");
}
