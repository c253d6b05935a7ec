/** Whether a running server can take in further roots. */
import type { ServerCapabilities } from "vscode-languageserver-protocol";
import type { ServerPlan } from "../abi/plan.js";
import { fieldsOf } from "../base/json.js";
import type { Capabilities } from "./capabilities.js";

type FolderCapabilities = NonNullable<NonNullable<ServerCapabilities["workspace"]>["workspaceFolders"]>;

const ROOT_PLACEHOLDER = /<workspace>|<node_modules>/;
/** The Python of a folder. A server that asks for its settings asks for each folder. */
const FOLDER_PLACEHOLDER = /<python>/;

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

function namesRoot({ command, args, env, initializeOptions, settings, pushSettings }: ServerPlan): boolean {
  const sent = JSON.stringify([initializeOptions, pushSettings ? settings : {}]);
  return (
    ROOT_PLACEHOLDER.test(JSON.stringify([command, args, env, initializeOptions, settings])) ||
    FOLDER_PLACEHOLDER.test(sent)
  );
}
