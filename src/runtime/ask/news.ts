/**
 * What an agent must know of a server beside its answer: one that was started anew has lost what it had indexed, and one
 * with more files than are watched may answer from old ones, and one that was kept from what a variable names may know less. A folder
 * is named once in a session.
 */
import type { LanguageServer } from "../../lsp/types.js";
import type { Evidence } from "../answer/evidence.js";
import type { CallState } from "../call-state.js";

const code = "answer/not-watched";
const foldersOf: ReadonlySet<string> = new Set([code, "answer/path-withheld"]);

/** Tells the news of a server that was asked. */
export function tellNews(call: CallState, server: LanguageServer): void {
  const { id } = server.plan;
  if (server.unwatched) {
    const message = `Not all files of ${id} are watched: there are too many. Changes of closed files may be missing.`;
    call.evidence.warn(code, message, { server_id: id });
  }
  for (const path of server.notWatched) {
    const folder = call.gate.place(path);
    if (folder instanceof Error || call.toldFolders.has(folder.shown)) continue;
    const message = `Files in ${folder.shown} are too many to be watched: one that is written in place may be missed.`;
    call.evidence.warn(code, message, { folder: folder.shown });
  }
  for (const { variable, folder: path } of server.withheld) {
    const folder = call.gate.place(path);
    if (folder instanceof Error || call.toldFolders.has(folder.shown)) continue;
    const message = `${variable} names ${folder.shown}, but the workspace is not trusted: ${id} was started without it and may know less, of an active virtual environment for one. The user can run \`lsp-proxy trust\`.`;
    call.evidence.warn("answer/path-withheld", message, { folder: folder.shown });
  }
  const reason = server.restartNews();
  if (reason === undefined) return;
  const message = `The server ${id} ${reason}; it was started anew.`;
  call.evidence.warn("answer/server-restarted", message, { server_id: id });
}

/** The folders that the evidence of a call names, which its session need not hear of again. */
export function foldersTold({ warnings }: Evidence): string[] {
  if (warnings.length === 0) return [];
  return warnings.flatMap(({ code: own, data }) =>
    foldersOf.has(own) && typeof data?.folder === "string" ? [data.folder] : [],
  );
}
