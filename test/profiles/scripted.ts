/** A profile over a scripted server, called as a client would: what it reads of an answer or of a refusal. */
import type { JsonObject } from "../../src/base/json.js";
import { toolResult } from "../../src/mcp/calls.js";
import type { CallOutcome } from "../../src/runtime/session.js";
import type { Scenario } from "../fake-server/index.js";
import { openTestWorkspace, type TestWorkspace } from "../runtime/test-workspace.js";

export interface Scripted {
  work: TestWorkspace;
  /** The outcome of a call, before the dialect has made a result of it. */
  call(tool: string, args: JsonObject): Promise<CallOutcome>;
  /** The texts of a result, one per block. */
  texts(tool: string, args: JsonObject): Promise<string[]>;
  close(): Promise<void>;
}

/** Opens a profile on files of its own; `config` is laid over it. */
export async function openProfile(
  profile: string,
  files: { [path: string]: string },
  scenario: Scenario,
  config: JsonObject = {},
): Promise<Scripted> {
  const { mcp = {}, ...rest } = config;
  const work = await openTestWorkspace({
    files,
    servers: { fake: { scenario } },
    config: { extends: [], mcp: { context: profile, ...(mcp as JsonObject) }, ...rest },
  });
  const call = (tool: string, args: JsonObject) =>
    work.session.call(tool, args, { signal: new AbortController().signal });
  return {
    work,
    call,
    async texts(tool, args) {
      const { content } = toolResult(await call(tool, args), work.runtime.loaded.plan.dialect);
      return content.map((block) => (block.type === "text" ? block.text : ""));
    },
    close: () => work.close(),
  };
}
