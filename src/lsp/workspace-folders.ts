/** Workspace folders of a server, and whether one process of it can serve several roots. */
import { basename } from "node:path";
import type { ServerCapabilities, WorkspaceFolder } from "vscode-languageserver-protocol";
import type { ServerPlan } from "../abi/plan.js";
import { fileUri } from "../base/paths.js";
import type { Capabilities } from "./capabilities.js";
import { fieldsOf } from "./fields.js";

type FolderCapabilities = NonNullable<NonNullable<ServerCapabilities["workspace"]>["workspaceFolders"]>;

const ROOT_PLACEHOLDER = /<workspace>|<node_modules>/;

/** A folder as LSP writes it. */
export function workspaceFolder(path: string): WorkspaceFolder {
  return { uri: fileUri(path), name: basename(path) };
}

/** Whether a running server accepts further roots: it must support it, and its start must not name its first root. */
export function acceptsFolders(plan: ServerPlan, capabilities: Capabilities): boolean {
  if (!plan.shareRoots || namesRoot(plan)) return false;
  const offered = capabilities.at("workspace", "workspaceFolders");
  const { supported, changeNotifications } = fieldsOf<FolderCapabilities>(offered);
  const isNotified =
    changeNotifications === true ||
    typeof changeNotifications === "string" ||
    capabilities.registered("workspace/didChangeWorkspaceFolders").length > 0;
  return supported === true && isNotified;
}

function namesRoot({ command, args, env, initializeOptions, settings }: ServerPlan): boolean {
  return ROOT_PLACEHOLDER.test(JSON.stringify([command, args, env, initializeOptions, settings]));
}
