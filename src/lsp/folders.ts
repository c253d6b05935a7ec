/**
 * Whether one process of a server can serve several roots. It can when the server takes folders while it runs, and when
 * nothing that it was started with names its first root.
 */
import type { ServerPlan } from "../abi/plan.js";
import { isTable } from "../base/json.js";
import type { Capabilities } from "./capabilities.js";

const NAMED_PATH = /<workspace>|<node_modules>/;

/** Whether a running server takes further roots. */
export function takesFolders(plan: ServerPlan, capabilities: Capabilities): boolean {
  if (!plan.shareRoots || isBoundToRoot(plan)) return false;
  const folders = capabilities.at("workspace", "workspaceFolders");
  const { supported, changeNotifications } = isTable(folders) ? folders : {};
  const heard = changeNotifications === true || typeof changeNotifications === "string";
  return supported === true && (heard || isRegistered(capabilities));
}

function isRegistered(capabilities: Capabilities): boolean {
  return capabilities.registered("workspace/didChangeWorkspaceFolders").length > 0;
}

function isBoundToRoot({ command, args, env, initializeOptions, settings }: ServerPlan): boolean {
  return NAMED_PATH.test(JSON.stringify([command, args, env, initializeOptions, settings]));
}
