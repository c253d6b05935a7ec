/** Warns when a server lacks the files that describe the project, so that its answers may be incomplete. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ServerPlan } from "../../abi/plan.js";
import { type LspMethod, singleFileMethods } from "../../protocol/methods.js";
import type { CallState } from "../call-state.js";

/** Methods whose answers about one file need no more than the flags that it is compiled with. */
const ownFile: ReadonlySet<string> = new Set<LspMethod>([
  "textDocument/hover",
  "textDocument/diagnostic",
  "textDocument/completion",
  "textDocument/signatureHelp",
  "textDocument/documentHighlight",
]);

/** The project file that a server misses in a folder and those above it up to a root; undefined if there is one. */
export function missingProject(
  { id, projectFiles, settingsFiles, projectFix }: ServerPlan,
  folder: string,
  roots: readonly string[],
  method?: string,
): { message: string; fix: string } | undefined {
  if (projectFiles.length === 0 || (method !== undefined && singleFileMethods.has(method))) return undefined;
  const isOwnFile = method !== undefined && ownFile.has(method);
  const names = isOwnFile ? [...projectFiles, ...settingsFiles] : projectFiles;
  for (let at = folder; ; at = dirname(at)) {
    if (names.some((name) => existsSync(join(at, name)))) return undefined;
    if (roots.includes(at) || dirname(at) === at) break;
  }
  const effect = isOwnFile
    ? "does not know how this file is compiled; the answer may be wrong"
    : "knows only files that it was sent; places in others may be missing";
  const message = `There is no ${names.join(" or ")}, so the server ${id} ${effect}.`;
  return { message, fix: projectFix ?? `Create ${projectFiles[0]}.` };
}

/** Warns of it in the answer. */
export function warnOfMissingProject(
  call: CallState,
  { plan, root }: { plan: ServerPlan; root: string },
  method: string,
): void {
  const path = call.evidence.document?.admitted.path;
  const folder = path === undefined ? root : dirname(path);
  const missing = missingProject(plan, folder, call.gate.roots, method);
  if (missing === undefined) return;
  call.evidence.warn("answer/no-project", `${missing.message} ${missing.fix}`, { server_id: plan.id });
}
