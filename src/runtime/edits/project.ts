/** Whether a server can know all of a project: some learn what belongs to it from one file, and without it see open files only. */
import { dirname, join } from "node:path";
import { factsOf } from "../../base/facts.js";
import type { LanguageServer } from "../../lsp/types.js";
import type { CallState } from "../call-state.js";
import type { Draft } from "./draft.js";

/** Warns of a server that made an edit without knowing the whole project, and lets the edit be seen before it is applied. */
export async function tellProject(call: CallState, { plan }: LanguageServer, draft: Draft): Promise<void> {
  const path = call.evidence.document?.admitted.path;
  const { projectFiles: names } = plan;
  if (path === undefined || names.length === 0 || hasProject(call, names, path)) return;
  const said = `There is no ${names.join(" or ")}, so the server ${plan.id} knows only files that it was shown; others may use the symbol too.`;
  call.evidence.warn("answer/no-project", said, { server_id: plan.id });
  draft.doubts.push(said);
  draft.unsure.push(plan.id);
}

/** Looks in the folders above a file, up to its root. */
function hasProject({ gate }: CallState, names: readonly string[], path: string): boolean {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (names.some((name) => factsOf(join(folder, name)) !== undefined)) return true;
    if (gate.roots.includes(folder) || dirname(folder) === folder) return false;
  }
}
