/**
 * The options and settings that a server gets when it is started for a root, with placeholders filled in. In an
 * untrusted workspace they are those with which the server runs none of the workspace's code; a server that has no such
 * settings is not started.
 */
import { existsSync } from "node:fs";
import { basename, isAbsolute, join } from "node:path";
import type { ServerPlan } from "../../abi/plan.js";
import { isTable, type Json, type JsonObject, laidOver } from "../../base/json.js";
import { withNamedPaths } from "../../base/named-paths.js";
import { fromPointer, getAt } from "../../base/pointer.js";
import { type NextStep, Refusal } from "../../base/problem.js";
import { missingPackage, namedPathsOf } from "./named-paths.js";
import { confinesUntrusted } from "./sandbox.js";
import { isTrustedStart, type TrustContext, trustStep } from "./trusted.js";

export interface LaunchSettings {
  /** `initializationOptions`. */
  options: Json;
  settings: JsonObject;
}

/** The settings of a server. Throws a Refusal when it would run code of an untrusted workspace. */
export function launchSettings(
  server: ServerPlan,
  root: string,
  program: string | undefined,
  context: TrustContext,
): LaunchSettings {
  const isTrusted = isTrustedStart(server, root, context);
  const toTrust = trustStep(root, context);
  const { untrusted, sandbox, initializeOptions, settings } = server;
  if (!isTrusted && (!untrusted.start || hasAddedCode(server)) && !confinesUntrusted(sandbox))
    throw untrustedCode(server, toTrust);
  const over = isTrusted ? { initializeOptions: {}, settings: {} } : untrusted;
  const names = namedPathsOf(server, root, program, context);
  const options = withNamedPaths(optionsUnder(initializeOptions, over.initializeOptions), names);
  if (!isTrusted) assertLoads(server, options, toTrust);
  return { options, settings: withNamedPaths(laidOver(settings, over.settings), names) };
}

/** Whether the config adds code to the server, such as plugins, that may look into the workspace. */
function hasAddedCode({ untrusted, initializeOptions, settings }: ServerPlan): boolean {
  const table = { initialize_options: initializeOptions, workspace_configuration: settings };
  return untrusted.without.some((pointer) => {
    const added = getAt(table, fromPointer(pointer));
    return added !== undefined && added !== null && Object.keys(added).length > 0;
  });
}

/** Refuses a server whose options name no existing code: it would then look for the code in the workspace. */
function assertLoads(server: ServerPlan, options: Json, toTrust: NextStep): void {
  for (const [pointer, file] of Object.entries(server.untrusted.loads)) {
    const path = getAt(options, fromPointer(pointer));
    const folder = typeof path === "string" && isAbsolute(path) ? path : undefined;
    if (folder !== undefined && existsSync(basename(folder) === file ? folder : join(folder, file))) continue;
    const where = `where \`initialize_options${pointer.replaceAll("/", ".")}\` says`;
    throw missingPackage(server, file, where, toTrust);
  }
}

function optionsUnder(options: Json, over: JsonObject): Json {
  if (Object.keys(over).length === 0) return options;
  return laidOver(isTable(options) ? (options as JsonObject) : {}, over);
}

function untrustedCode({ id }: ServerPlan, toTrust: NextStep): Refusal {
  return new Refusal(
    "lsp/not-allowed",
    `server "${id}" may run code of the workspace that it reads, and this one is not trusted`,
    {
      nextSteps: [
        toTrust,
        { kind: "config", text: 'Or confine it: `sandbox = "read_only_no_network"` of the server.' },
      ],
    },
  );
}
