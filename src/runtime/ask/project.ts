/**
 * Makes a server load the project before it is asked about the whole workspace: some know only the projects of files
 * that are open, and a file outside of all projects (a script, a config) tells them nothing.
 */
import type { ProjectQueryPlan } from "../../abi/plan.js";
import { fromPointer, getAt, type Json } from "../../base/json.js";
import { isInside } from "../../base/paths.js";
import { withDocument } from "../../base/placeholders.js";
import { Refusal } from "../../base/problem.js";
import type { LanguageServer, OpenDocument } from "../../lsp/types.js";
import type { CallState } from "../call-state.js";

/** Opens a file of a project in the server; false when none of the likely files belongs to one. */
export async function openProject(
  call: CallState,
  server: LanguageServer,
  signal: AbortSignal,
): Promise<boolean> {
  const { projectQuery } = server.plan;
  if (projectQuery === null) return true;
  const { id } = server.plan;
  const tried = new Set<string>();
  const isLoaded = async (path: string | undefined): Promise<boolean> => {
    if (path === undefined || tried.has(path) || !isInside(path, server.root)) return false;
    tried.add(path);
    const document = await server.ensureOpen(path, signal, call.files?.checkedAt);
    return isOfProject(server, projectQuery, document, signal);
  };
  if (await isLoaded(await call.samples.find(id))) return true;
  for (const path of await call.samples.likely(id)) {
    if (await isLoaded(path)) return true;
  }
  return tried.size === 0;
}

async function isOfProject(
  server: LanguageServer,
  { method, params, field, none }: ProjectQueryPlan,
  document: OpenDocument,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const { value } = await server.request(method, withDocument(params, document), { signal });
    const project = getAt(value as Json, fromPointer(field));
    return typeof project === "string" && project !== "" && !none.some((text) => project.includes(text));
  } catch (error) {
    signal.throwIfAborted();
    // If the server cannot answer, assume that the file belongs to a project.
    if (error instanceof Refusal) return true;
    throw error;
  }
}
