/** The commands by name, in the groups of `--help`. Each is loaded only when it is used. */
import type { Command } from "./command.js";

type Loaders = { readonly [name: string]: () => Promise<Command> };

export const commandGroups: readonly { title: string; commands: Loaders }[] = [
  {
    title: "First steps",
    commands: {
      setup: async () => (await import("./commands/setup.js")).setup,
      init: async () => (await import("./commands/init.js")).init,
      install: async () => (await import("./commands/install.js")).install,
      trust: async () => (await import("./commands/trust.js")).trust,
      client: async () => (await import("./commands/client.js")).client,
      codex: async () => (await import("./commands/client.js")).codex,
      doctor: async () => (await import("./commands/doctor.js")).doctor,
      demo: async () => (await import("./commands/demo.js")).demo,
    },
  },
  {
    title: "Serve and ask",
    commands: {
      serve: async () => (await import("./commands/serve.js")).serve,
      hub: async () => (await import("./commands/hub.js")).hub,
      mcp: async () => (await import("./commands/mcp.js")).mcp,
      call: async () => (await import("./commands/call.js")).call,
      dashboard: async () => (await import("./commands/dashboard.js")).dashboard,
      status: async () => (await import("./commands/status.js")).status,
      tools: async () => (await import("./commands/tools.js")).tools,
    },
  },
  {
    title: "Configure",
    commands: {
      add: async () => (await import("./commands/add.js")).add,
      remove: async () => (await import("./commands/remove.js")).remove,
      validate: async () => (await import("./commands/validate.js")).validate,
      explain: async () => (await import("./commands/explain.js")).explain,
      schema: async () => (await import("./commands/schema.js")).schema,
      import: async () => (await import("./commands/import.js")).importCommand,
      export: async () => (await import("./commands/export.js")).exportCommand,
    },
  },
  {
    title: "Language servers",
    commands: {
      servers: async () => (await import("./commands/servers.js")).servers,
      verify: async () => (await import("./commands/verify.js")).verify,
      upgrade: async () => (await import("./commands/upgrade.js")).upgrade,
      uninstall: async () => (await import("./commands/uninstall.js")).uninstall,
      lock: async () => (await import("./commands/lock.js")).lock,
    },
  },
  {
    title: "Run for others",
    commands: {
      generate: async () => (await import("./commands/generate.js")).generate,
      token: async () => (await import("./commands/token.js")).token,
      skill: async () => (await import("./commands/skill.js")).skill,
    },
  },
  {
    title: "Shell",
    commands: {
      completion: async () => (await import("./commands/completion.js")).completion,
    },
  },
];

export const commands: Loaders = Object.assign({}, ...commandGroups.map((group) => group.commands));
