/**
 * Starts one language server: launches its program, connects to it and initializes it. It is loaded with the first
 * server, because a session that only lists its tools needs none of this.
 */
import { resolve } from "node:path";
import { Instance, type InstanceContext } from "./instance.js";
import { type Launch, launch } from "./process/launch.js";
import { withStderr } from "./process/stderr-tail.js";

/** The part of the pool that an instance uses. */
interface PoolLink extends Pick<InstanceContext, "generation" | "watch" | "mayEndStuck" | "command"> {
  /** Other roots that the instance serves. */
  otherRoots: readonly string[];
  /** Ends the instance for a reason. */
  end(why: string, instance: Instance): void;
}

export async function startServer(given: Launch, link: PoolLink): Promise<Instance> {
  const { plan, server, root, context, signal } = given;
  const transport = await launch(given);
  const ownFolders = server.workspaceFolders.map((folder) => resolve(context.base, folder));
  const instance = new Instance(
    {
      plan: server,
      root,
      launchSettings: transport.launchSettings,
      folders: [...ownFolders, ...link.otherRoots],
      roots: context.roots,
      limits: plan.limits,
      effects: plan.allow.effects,
      generation: link.generation,
      version: context.version,
      watch: link.watch,
      unsaved: context.unsaved,
      onActivity: context.onActivity,
      log: context.log,
      trace: context.trace,
      mayEndStuck: link.mayEndStuck,
      command: link.command,
    },
    transport,
  );
  context.onStarted?.({ id: server.id, transport, end: (why) => link.end(why, instance) });
  try {
    await instance.initialize(signal);
    return instance;
  } catch (error) {
    await instance.kill("did not start");
    throw withStderr(error, instance.stderr);
  }
}
