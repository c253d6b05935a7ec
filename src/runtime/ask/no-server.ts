/** The refusals of questions that no language server can be asked, and what to install or add. */
import type { ServerPlan } from "../../abi/plan.js";
import { sortedSet } from "../../base/order.js";
import { type NextStep, Refusal } from "../../base/problem.js";
import type { Admitted } from "../../workspace/gate-types.js";
import type { CallState, ServerSuggestions } from "../call-state.js";

type Step = Exclude<NextStep, { kind: "tool" }>;

const MOST_SUGGESTED = 3;

/** The refusal for a file that no server of the plan handles. It names the catalogue's server for such files. */
export async function noServerFor(call: CallState, { path, shown }: Admitted): Promise<Refusal> {
  const name = await call.suggestServers?.file(path);
  const message = `No configured language server handles ${shown}`;
  if (name === undefined)
    return new Refusal("route/no-server", `${message}.`, {
      nextSteps: [{ kind: "config", text: "Add a server for this kind of file under `[[servers]]`." }],
    });
  return new Refusal("route/no-server", `${message}. \`${name}\` would.`, {
    nextSteps: [...installing(name), ...adding(name, call.suggestServers), ...callingAgain(call)],
  });
}

/** The refusal for a file that has servers, but none that the tool may ask. */
export function wrongServer({ tool, input }: CallState, { shown }: Admitted): Refusal {
  const chosen = tool.serverArgument === null ? undefined : input[tool.serverArgument];
  const ids = typeof chosen === "string" ? chosen : (tool.servers ?? []).join(", ");
  const which = ids === "" ? "servers that do not run here" : ids;
  return new Refusal("route/no-server", `${tool.name} is only for files of ${which}; ${shown} is none.`, {
    nextSteps: [{ kind: "doc", text: "Use a tool that is not limited to these servers." }],
  });
}

/**
 * The refusal for a question about the whole workspace where no server has a file: an empty answer would read as
 * searched.
 */
export async function noServerHere(call: CallState, asked: readonly ServerPlan[]): Promise<Refusal> {
  const { why, would, nextSteps } = await missingServers(call, asked);
  return new Refusal("route/no-server", `${why}, so nothing was searched.${would}`, {
    nextSteps: [...nextSteps, ...callingAgain(call)],
  });
}

/** Why no server can be asked, and which servers of the catalogue the files of the workspace need. */
export async function missingServers({ gate, suggestServers }: CallState, asked: readonly ServerPlan[]) {
  const [root = ""] = gate.roots;
  const found = (await suggestServers?.workspace(root)) ?? [];
  const names = found.filter((id) => !asked.some((server) => server.id === id)).slice(0, MOST_SUGGESTED);
  const why =
    asked.length === 0
      ? "No language server is configured or was found for this workspace"
      : `The workspace has no file for ${sortedSet(asked.map(({ id }) => id)).join(", ")}`;
  const quoted = names.map((name) => `\`${name}\``).join(" and ");
  const would = names.length === 0 ? "" : ` ${quoted} would serve files that are here.`;
  const steps = names.flatMap((name) => [...installing(name), ...adding(name, suggestServers)]);
  return { why, would, nextSteps: steps.length > 0 ? steps : [anyServer] };
}

const anyServer: Step = {
  kind: "config",
  text: "`lsp-proxy servers` lists the known servers, `lsp-proxy add NAME` adds one; or write another one under `[[servers]]` in `lspi.toml`.",
};

function installing(name: string): Step[] {
  return [{ kind: "command", text: `lsp-proxy install ${name}` }];
}

/** Where the config lists no servers, one is used as soon as it is installed. */
function adding(name: string, suggestions: ServerSuggestions | undefined): Step[] {
  if (suggestions?.isListed !== true) return [];
  return [{ kind: "command", text: `lsp-proxy add ${name}` }];
}

/** A server that is installed already may not be used yet: the workspace is not looked at for every call. */
function callingAgain({ finder }: CallState): Step[] {
  const when = finder.laterLook();
  if (when === undefined) return [];
  const text = `If one is installed already, call again: the workspace is looked at again ${when}.`;
  return [{ kind: "doc", text }];
}
