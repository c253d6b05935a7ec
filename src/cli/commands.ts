/** The commands by name. Each is loaded only when it is used. */
import type { Command } from "./command.js";

export const commands: { readonly [name: string]: () => Promise<Command> } = {
  serve: async () => (await import("./commands/serve.js")).serve,
  init: async () => (await import("./commands/init.js")).init,
  add: async () => (await import("./commands/add.js")).add,
  remove: async () => (await import("./commands/remove.js")).remove,
  servers: async () => (await import("./commands/servers.js")).servers,
  doctor: async () => (await import("./commands/doctor.js")).doctor,
  verify: async () => (await import("./commands/verify.js")).verify,
  install: async () => (await import("./commands/install.js")).install,
  import: async () => (await import("./commands/import.js")).importCommand,
  export: async () => (await import("./commands/export.js")).exportCommand,
  generate: async () => (await import("./commands/generate.js")).generate,
  validate: async () => (await import("./commands/validate.js")).validate,
  explain: async () => (await import("./commands/explain.js")).explain,
  tools: async () => (await import("./commands/tools.js")).tools,
  call: async () => (await import("./commands/call.js")).call,
  status: async () => (await import("./commands/status.js")).status,
  schema: async () => (await import("./commands/schema.js")).schema,
  client: async () => (await import("./commands/client.js")).client,
  codex: async () => (await import("./commands/client.js")).codex,
  skill: async () => (await import("./commands/skill.js")).skill,
  trust: async () => (await import("./commands/trust.js")).trust,
  lock: async () => (await import("./commands/lock.js")).lock,
  token: async () => (await import("./commands/token.js")).token,
  demo: async () => (await import("./commands/demo.js")).demo,
};
