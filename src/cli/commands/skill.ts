/** `skill`: tells an agent when and how to use the tools that this config has, in a skill or in its memory file. */
import { existsSync, readdirSync, rmdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { Plan } from "../../abi/plan.js";
import { codes } from "../../base/codes.js";
import { uniqueBy } from "../../base/order.js";
import { ConfigError } from "../../base/problem.js";
import type { Scope } from "../../config/clients.js";
import { withoutSection, withSection } from "../../config/section.js";
import { skillText, snippetText } from "../../emit/skill.js";
import { readTemplates } from "../../emit/templates.js";
import { changeFile, changeWords, currentText } from "../change-file.js";
import { fileOf, findClient, isHere, knownClients } from "../client-files.js";
import {
  type Command,
  exitCodes,
  type Input,
  isOn,
  type Surroundings,
  textFlag,
  textFlags,
  UsageError,
} from "../command.js";
import { planConfig, workspaceOf } from "../compile.js";
import { configFlags } from "../flags.js";
import { shippedTemplates } from "../shipped.js";

const MARK = "Written by `lsp-proxy skill`";
const actions = ["print", "install", "remove"];

export const skill: Command = {
  name: "skill",
  summary: "Tells agents how to use the tools of this config: a skill, or a section for AGENTS.md.",
  usage: "[print|install|remove] [--snippet] [--scope user|repo] [--client NAME]",
  description:
    "Prints a skill made of the tools and languages that this config really has, installs it where clients look for skills,\n" +
    "or removes it. With --snippet it is a section for AGENTS.md, CLAUDE.md or GEMINI.md instead; everything else in the\n" +
    "file stays. Without --client it is for every client that is here.",
  flags: {
    ...configFlags,
    scope: {
      type: "string",
      value: "user|repo",
      description: "For you, or for the workspace; the workspace when absent.",
    },
    client: {
      type: "string",
      value: "NAME",
      multiple: true,
      description: "The client; may be given several times.",
    },
    snippet: { type: "boolean", description: "The section for a memory file instead of the skill." },
    force: {
      type: "boolean",
      description: "Replaces or removes a skill of that name that lsp-proxy did not write.",
    },
  },
  words: { min: 0, max: 1 },
  examples: [
    "lsp-proxy skill",
    "lsp-proxy skill install --scope user",
    "lsp-proxy skill install --client claude-code --snippet",
    "lsp-proxy skill remove --scope user",
  ],
  async run(input, io) {
    const [action = "print"] = input.words;
    if (!actions.includes(action)) throw new UsageError(`it takes ${actions.join(", ")}`, "skill");
    const plan = planOf(input, io, action === "remove");
    const templates = readTemplates(shippedTemplates);
    const isSnippet = isOn(input, "snippet");
    const text = (isSnippet ? snippetText : skillText)(plan, templates);
    if (action === "print") {
      io.stdout.write(text);
      return exitCodes.ok;
    }
    const files = filesOf(input, io, plan.mcp.name);
    const isRemoval = action === "remove";
    const within = scopeOf(input) === "project" ? workspaceOf(input, io) : undefined;
    const make = (old: string) => {
      if (!isSnippet) return isRemoval ? "" : text;
      return isRemoval ? withoutSection(old, plan.mcp.name) : withSection(old, plan.mcp.name, text);
    };
    for (const file of files)
      if (isSnippet) make(currentText(file, within));
      else checkOwner(file, within, input);
    for (const file of files) {
      const done = changeFile(file, make, {
        within,
        isNothing: (rest) => isRemoval && rest.trim() === "",
        keepsCopy: () => false,
      });
      if (done === "deleted" && !isSnippet) removeEmpty(dirname(file));
      io.stdout.write(`${changeWords[done]} ${shown(file, io)}\n`);
    }
    return exitCodes.ok;
  },
};

/** What was installed can be removed also when the config has problems meanwhile, or is gone. */
function planOf(input: Input, io: Surroundings, isRemoval: boolean): Plan {
  try {
    return planConfig(input, io).plan;
  } catch (error) {
    if (!(error instanceof ConfigError && isRemoval)) throw error;
    return planConfig({ ...input, config: {} }, io).plan;
  }
}

/** Where the clients look; several may look in one place. */
function filesOf(input: Input, io: Surroundings, name: string): string[] {
  const scope = scopeOf(input);
  const workspace = workspaceOf(input, io);
  const key = isOn(input, "snippet") ? "memory" : "skills";
  const named = textFlags(input, "client").map((id) => findClient(id, "skill"));
  const clients = named.length > 0 ? named : knownClients().filter((client) => isHere(client, workspace, io));
  const files = clients.flatMap((client) => {
    const path = client[key] && fileOf(client[key], scope, workspace, io);
    if (path === undefined && named.length > 0)
      throw new UsageError(`${client.title} has no place for it that is known`, "skill");
    return path === undefined ? [] : [key === "skills" ? join(path, name, "SKILL.md") : path];
  });
  if (files.length === 0)
    throw new UsageError("no client that has a place for it is here; name one with --client", "skill");
  return uniqueBy(files, (file) => file);
}

function scopeOf(input: Input): Scope {
  const scope = textFlag(input, "scope") ?? "repo";
  if (scope !== "user" && scope !== "repo") throw new UsageError("--scope takes user or repo", "skill");
  return scope === "repo" ? "project" : "user";
}

/** A skill of that name that somebody else wrote is not touched unasked. */
function checkOwner(file: string, within: string | undefined, input: Input): void {
  const text = currentText(file, within);
  if (text === "" || text.includes(MARK) || isOn(input, "force")) return;
  const code = "client/taken";
  const message = `${file} was not written by lsp-proxy`;
  throw new ConfigError([{ code, severity: "error", message, pointer: "", fix: codes[code].fix }]);
}

function removeEmpty(folder: string): void {
  if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder);
}

function shown(path: string, io: Surroundings): string {
  const way = relative(io.cwd, path);
  return way.startsWith("..") ? path : way;
}
