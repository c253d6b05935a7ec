/**
 * What a server is told when it is started for a root: its options and settings with every name filled in. In a workspace that
 * is not trusted they are those by which it runs none of its code, and a server that has no such settings is not started.
 */
import { existsSync } from "node:fs";
import { basename, isAbsolute, join } from "node:path";
import type { ServerPlan } from "../../abi/plan.js";
import { isTable, type Json, type JsonObject, laidOver } from "../../base/json.js";
import { withNamedPaths } from "../../base/named-paths.js";
import { fromPointer, getAt } from "../../base/pointer.js";
import { type NextStep, Refusal } from "../../base/problem.js";
import { namedPathsOf, strangeCode } from "./named-paths.js";
import { holdsStrangers } from "./sandbox.js";
import { isTrustedStart, type TrustContext, trustStep } from "./trusted.js";

/** Options and settings as they are sent. */
export interface Told {
  options: Json;
  settings: JsonObject;
}

/** What a server is told. Throws a Refusal when it would run code of a workspace that is not trusted. */
export function toldTo(
  server: ServerPlan,
  root: string,
  program: string | undefined,
  context: TrustContext,
): Told {
  const isTrusted = isTrustedStart(server, root, context);
  const toTrust = trustStep(root, context);
  const { untrusted, sandbox, initializeOptions: options, settings } = server;
  if (!isTrusted && (!untrusted.start || hasAdded(server)) && !holdsStrangers(sandbox))
    throw refused(server, toTrust);
  const over = isTrusted ? { initializeOptions: {}, settings: {} } : untrusted;
  const names = namedPathsOf(server, root, program, context);
  const told = {
    options: withNamedPaths(optionsUnder(options, over.initializeOptions), names),
    settings: withNamedPaths(laidOver(settings, over.settings), names),
  };
  if (!isTrusted) assertLoads(server, told.options, toTrust);
  return told;
}

/** Whether its configuration adds code to it that may look into the workspace. */
function hasAdded({ untrusted, initializeOptions, settings }: ServerPlan): boolean {
  const table = { initialize_options: initializeOptions, workspace_configuration: settings };
  return untrusted.without.some((pointer) => {
    const added = getAt(table, fromPointer(pointer));
    return added !== undefined && added !== null && Object.keys(added).length > 0;
  });
}

/** Refuses a server whose options lead to no code: it would look in the workspace. What a user names there is the user's word. */
function assertLoads(server: ServerPlan, options: Json, toTrust: NextStep): void {
  for (const [pointer, file] of Object.entries(server.untrusted.loads)) {
    const path = getAt(options, fromPointer(pointer));
    const named = typeof path === "string" && isAbsolute(path) ? path : undefined;
    const isThere = named !== undefined && existsSync(basename(named) === file ? named : join(named, file));
    if (isThere) continue;
    const where = `where \`initialize_options${pointer.replaceAll("/", ".")}\` says`;
    throw strangeCode(server, file, where, toTrust);
  }
}

/** Options that are no table have nothing that could be laid over. */
function optionsUnder(options: Json, over: JsonObject): Json {
  if (Object.keys(over).length === 0) return options;
  return laidOver(isTable(options) ? (options as JsonObject) : {}, over);
}

function refused({ id }: ServerPlan, toTrust: NextStep): Refusal {
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
