/**
 * Warnings about a server beside its answer: it was restarted and lost its index, not all of its files are watched, or
 * it was started without a folder that a variable names. A folder is named once in a session.
 */
import type { LanguageServer } from "../../lsp/types.js";
import type { Evidence } from "../answer/evidence.js";
import type { CallState } from "../call-state.js";

const NOT_WATCHED = "answer/not-watched";
const codesWithFolder: ReadonlySet<string> = new Set([NOT_WATCHED, "answer/path-withheld"]);

/** Adds the warnings of a server that was asked. */
export function addServerWarnings(call: CallState, server: LanguageServer): void {
  const { id } = server.plan;
  /** How a folder is shown; undefined when it is outside the roots or was named before. */
  const shownOnce = (path: string): string | undefined => {
    const folder = call.gate.place(path);
    return folder instanceof Error || call.warnedFolders.has(folder.shown) ? undefined : folder.shown;
  };
  if (server.unwatched) {
    const message = `Not all files of ${id} can be watched. Changes of files that are not open may be noticed late.`;
    call.evidence.warn(NOT_WATCHED, message, { server_id: id });
  }
  for (const path of server.notWatched) {
    const folder = shownOnce(path);
    if (folder === undefined) continue;
    const message = `${folder} has too many files to watch: a change in it may be missed.`;
    call.evidence.warn(NOT_WATCHED, message, { folder });
  }
  for (const { variable, folder: path } of server.withheld) {
    const folder = shownOnce(path);
    if (folder === undefined) continue;
    const message = `${variable} names ${folder}, but the workspace is not trusted: ${id} was started without it and may know less, for example of an active virtual environment. The user can run \`lsp-proxy trust\`.`;
    call.evidence.warn("answer/path-withheld", message, { folder });
  }
  const reason = server.restartNews();
  if (reason === undefined) return;
  const message = `The server ${id} ${reason}; it was restarted.`;
  call.evidence.warn("answer/server-restarted", message, { server_id: id });
}

/** The folders that the warnings of a call name; its session is not warned of them again. */
export function warnedFolders({ warnings }: Evidence): string[] {
  return warnings.flatMap(({ code, data }) =>
    codesWithFolder.has(code) && typeof data?.folder === "string" ? [data.folder] : [],
  );
}
