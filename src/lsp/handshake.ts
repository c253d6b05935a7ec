/** What a server is told in `initialize`, and how its choice of column encoding is read. */
import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import type { Effect, ServerPlan } from "../abi/plan.js";
import { Refusal } from "../base/problem.js";
import type { PositionEncoding } from "../base/text.js";
import { withNamedPaths } from "./launch.js";
import { clientCapabilities } from "./offer.js";

const ENCODINGS: readonly string[] = ["utf-8", "utf-16", "utf-32"];

/** A workspace folder as LSP writes it. */
export interface FolderParams {
  uri: string;
  name: string;
}

export function folderParams(path: string): FolderParams {
  return { uri: pathToFileURL(path).href, name: basename(path) };
}

/** Root, folders and process in all the forms that servers look for; 8 of 85 fail when one is missing. */
export function initializeParams(
  plan: ServerPlan,
  root: string,
  folders: FolderParams[],
  version: string,
  effects: readonly Effect[],
): object {
  const options = plan.initializeOptions;
  return {
    processId: process.pid,
    clientInfo: { name: "lsp-proxy", version },
    rootUri: pathToFileURL(root).href,
    rootPath: root,
    workspaceFolders: folders,
    capabilities: clientCapabilities(plan.clientCapabilities, effects),
    ...(options === null ? {} : { initializationOptions: withNamedPaths(options, root) }),
    trace: "off",
  };
}

/** The encoding that a server chose; none said means UTF-16. */
export function chosenEncoding(chosen: unknown, serverId: string): PositionEncoding {
  if (chosen === undefined || chosen === null) return "utf-16";
  if (typeof chosen === "string" && ENCODINGS.includes(chosen)) return chosen as PositionEncoding;
  throw new Refusal("lsp/start-failed", `server "${serverId}" counts columns in an unknown encoding`);
}
