/** `skill`: tells an agent when and how to use the tools that this config has, in a skill or in its memory file. */
import { existsSync, readdirSync, rmdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Plan } from "../../abi/plan.js";
import { type Code, codes } from "../../base/codes.js";
import { uniqueBy } from "../../base/order.js";
import { ConfigError } from "../../base/problem.js";
import type { ClientFacts, Scope } from "../../config/catalogue/clients.js";
import {
  isSectionEdited,
  isUntouched,
  stamped,
  withoutSection,
  withSection,
} from "../../config/edit/markdown-section.js";
import { skillText, snippetText } from "../../emit/skill.js";
import { readTemplates } from "../../emit/templates.js";
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
import { changeFile, changeWords, currentText } from "../files/change-file.js";
import { shown } from "../files/client-change.js";
import { fileOf, findClient, isHere, knownClients } from "../files/client-files.js";
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
      description: "Replaces or removes one that lsp-proxy did not write, or that was edited since.",
    },
    yes: { type: "boolean", short: "y", description: "Removes also what other clients here use." },
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
    const text = isSnippet ? snippetText(plan, templates) : stamped(skillText(plan, templates), MARK);
    if (action === "print") {
      io.stdout.write(text);
      return exitCodes.ok;
    }
    const { name } = plan.mcp;
    const isRemoval = action === "remove";
    const files = filesOf(input, io, name).filter((file) => !isRemoval || !isShared(file, input, io, name));
    const within = scopeOf(input) === "project" ? workspaceOf(input, io) : undefined;
    const make = (old: string) => {
      if (!isSnippet) return isRemoval ? "" : text;
      return isRemoval ? withoutSection(old, name) : withSection(old, name, text);
    };
    for (const file of files) checkOwner(file, currentText(file, within), input, name);
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
  const named = namedClients(input);
  const workspace = workspaceOf(input, io);
  const clients = named.length > 0 ? named : knownClients().filter((client) => isHere(client, workspace, io));
  const files = clients.flatMap((client) => {
    const file = placeOf(client, input, io, name);
    if (file === undefined && named.length > 0)
      throw new UsageError(`${client.title} has no place for it that is known`, "skill");
    return file ?? [];
  });
  if (files.length === 0)
    throw new UsageError("no client that has a place for it is here; name one with --client", "skill");
  return uniqueBy(files, (file) => file);
}

function namedClients(input: Input): ClientFacts[] {
  return textFlags(input, "client").map((id) => findClient(id, "skill"));
}

function placeOf(client: ClientFacts, input: Input, io: Surroundings, name: string): string | undefined {
  const places = isOn(input, "snippet") ? client.memory : client.skills;
  const path = places && fileOf(places, scopeOf(input), workspaceOf(input, io), io);
  if (path === undefined || isOn(input, "snippet")) return path;
  return join(path, name, "SKILL.md");
}

/** Whether clients that are here, and were not named, look in the same place; says so where they do. */
function isShared(file: string, input: Input, io: Surroundings, name: string): boolean {
  const named = namedClients(input).map(({ id }) => id);
  if (named.length === 0 || isOn(input, "yes")) return false;
  const others = knownClients().filter(
    (client) =>
      !named.includes(client.id) &&
      placeOf(client, input, io, name) === file &&
      isHere(client, workspaceOf(input, io), io),
  );
  if (others.length === 0 || !existsSync(file)) return false;
  const titles = others.map(({ title }) => title).join(", ");
  io.stdout.write(`left ${shown(file, io)}: it is for ${titles} too; --yes removes it for all\n`);
  return true;
}

function scopeOf(input: Input): Scope {
  const scope = textFlag(input, "scope") ?? "repo";
  if (scope !== "user" && scope !== "repo") throw new UsageError("--scope takes user or repo", "skill");
  return scope === "repo" ? "project" : "user";
}

/** What somebody else wrote, or has edited since, is not touched unasked. */
function checkOwner(file: string, text: string, input: Input, name: string): void {
  if (isOn(input, "snippet")) {
    // A section that cannot be told from what follows is refused with or without force.
    const isEdited = isSectionEdited(text, name);
    if (isEdited && !isOn(input, "force"))
      throw refused("client/edited", `the section in ${file} was edited`);
    return;
  }
  if (text === "" || isOn(input, "force") || isUntouched(text, MARK)) return;
  if (text.includes(MARK)) throw refused("client/edited", `${file} was edited`);
  throw refused("client/taken", `${file} was not written by lsp-proxy`);
}

function refused(code: Code, message: string): ConfigError {
  return new ConfigError([{ code, severity: "error", message, pointer: "", fix: codes[code].fix }]);
}

function removeEmpty(folder: string): void {
  if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder);
}
