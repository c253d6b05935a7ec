/**
 * Starts one language server: launches its program, connects to it and initializes it. It is loaded with the first
 * server, because a session that only lists its tools needs none of this.
 */
import { resolve } from "node:path";
import { Instance, type InstanceContext } from "./instance.js";
import { type Launch, launch } from "./process/launch.js";
import { withStderr } from "./process/stderr-tail.js";
import type { Slot } from "./slot.js";

interface ServerStart extends Launch, Pick<InstanceContext, "generation" | "watch"> {
  /** The slot that gets the instance. */
  slot: Slot;
}

export async function startServer(start: ServerStart): Promise<Instance> {
  const { plan, server, root, context, signal, slot, generation, watch } = start;
  const transport = await launch(start);
  const ownFolders = server.workspaceFolders.map((folder) => resolve(context.base, folder));
  const instance = new Instance(
    {
      plan: server,
      root,
      launchSettings: transport.launchSettings,
      folders: [...ownFolders, ...slot.otherRoots],
      roots: context.roots,
      limits: plan.limits,
      effects: plan.allow.effects,
      generation,
      version: context.version,
      watch,
      unsaved: context.unsaved,
      onActivity: context.onActivity,
      log: context.log,
      trace: context.trace,
      mayEndStuck: () => slot.mayEndStuck(),
      command: slot.command,
    },
    transport,
  );
  context.onStarted?.({ id: server.id, transport, end: (why) => slot.kill(why, instance) });
  try {
    await instance.initialize(signal);
    return instance;
  } catch (error) {
    await instance.kill("did not start");
    throw withStderr(error, instance.stderr);
  }
}
