/**
 * Starts one language server: launches its program, connects to it and initializes it. It is loaded with the first
 * server, because a session that only lists its tools needs none of this.
 */
import { Instance, type InstanceContext } from "./instance.js";
import { type Launch, launch } from "./process/launch.js";
import { withStderr } from "./process/stderr-tail.js";

/** `end` ends the instance for a reason. */
export async function startServer(
  given: Launch,
  settings: Omit<InstanceContext, "launchSettings">,
  end: (why: string, instance: Instance) => void,
): Promise<Instance> {
  const { server, context, signal } = given;
  const transport = await launch(given);
  const instance = new Instance({ ...settings, launchSettings: transport.launchSettings }, transport);
  context.onStarted?.({ id: server.id, transport, end: (why) => end(why, instance) });
  try {
    await instance.initialize(signal);
    return instance;
  } catch (error) {
    await instance.kill("did not start");
    throw withStderr(error, instance.stderr);
  }
}
