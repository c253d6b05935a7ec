/**
 * `skill`: prints, installs or removes a text that tells agents
 * how to use the tools: a skill, or a section of a memory file.
 */
import { existsSync, readdirSync, rmdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ClientFacts, Scope } from "../../config/catalogue/clients.js";
import {
  isSectionEdited,
  isUntouched,
  stamped,
  withoutSection,
  withSection,
} from "../../config/edit/markdown-section.js";
import { readTemplates } from "../../emit/render.js";
import { skillText, snippetText } from "../../emit/skill.js";
import { fileOf, findClient, isClientInstalled, knownClients } from "../clients/client-files.js";
import { type Command, configError, exitCodes, type Input, type Io, UsageError } from "../command.js";
import { planOrFallback } from "../compile.js";
import { changeFile, currentText, shownPath } from "../files/user-file.js";
import { configFlags, option, toggle, withDefault } from "../flags.js";
import { shippedTemplates } from "../shipped.js";
import { workspaceOf } from "../workspace.js";

const MARK = "Written by `lsp-proxy skill`";
const actions = ["print", "install", "remove"];

export const skill: Command = {
  name: "skill",
  summary: "Tells agents how to use the tools of this config: a skill, or a section for AGENTS.md.",
  usage: "[print|install|remove] [--snippet] [--scope user|repo] [--client NAME]",
  description:
    "Prints, installs or removes a skill for the tools and languages of this config, or with --snippet a section for\n" +
    "AGENTS.md, CLAUDE.md or GEMINI.md. Without --client it is for every installed client.",
  flags: {
    ...configFlags,
    scope: withDefault(option("user|repo", "For you or for the workspace."), "the workspace"),
    client: {
      ...option("NAME", "The client; may be repeated."),
      absent: "every installed one",
      multiple: true,
    },
    snippet: toggle("The section for a memory file instead of the skill."),
    force: toggle("Replaces or removes a text that lsp-proxy did not write, or that was edited."),
    yes: toggle("Also removes what other installed clients use.", "y"),
  },
  words: { min: 0, max: 1 },
  completes: actions,
  examples: [
    "lsp-proxy skill install --scope user",
    "lsp-proxy skill install --client claude-code --snippet",
  ],
  async run(input, io) {
    const [action = "print"] = input.words;
    if (!actions.includes(action)) throw new UsageError(`the action is one of ${actions.join(", ")}`);
    const isRemoval = action === "remove";
    const { plan } = await planOrFallback(input, io, isRemoval, {});
    const templates = readTemplates(shippedTemplates);
    const isSnippet = input.isOn("snippet");
    const text = isSnippet ? snippetText(plan, templates) : stamped(skillText(plan, templates), MARK);
    if (action === "print") {
      io.stdout.write(text);
      return exitCodes.ok;
    }
    const { name } = plan.mcp;
    const files = filesOf(input, io, name, isRemoval);
    const within = scopeOf(input) === "project" ? workspaceOf(input, io) : undefined;
    const edit = (old: string) => {
      if (!isSnippet) return isRemoval ? "" : text;
      return isRemoval ? withoutSection(old, name) : withSection(old, name, text);
    };
    const isEmpty = (rest: string) => isRemoval && rest.trim() === "";
    for (const file of files) checkOwner(file, currentText(file, within), input, name);
    for (const file of files) {
      const done = changeFile(file, edit, { within, isEmpty, needsBackup: () => false });
      const folder = dirname(file);
      if (done === "removed" && !isSnippet && readdirSync(folder).length === 0) rmdirSync(folder);
      io.stdout.writeLine(`${done} ${shownPath(file, io)}`);
    }
  },
};

/** The files of the named clients, or of all installed ones. For a removal without those that other clients use too. */
function filesOf(input: Input, io: Io, name: string, isRemoval: boolean): string[] {
  const workspace = workspaceOf(input, io);
  const named = input.texts("client").map(findClient);
  const installed = knownClients().filter((client) => isClientInstalled(client, workspace, io));
  const files = (named.length > 0 ? named : installed).flatMap((client) => {
    const file = skillFile(client, input, io, name);
    if (file === undefined && named.length > 0)
      throw new UsageError(`${client.title} has no known place for it`);
    return file ?? [];
  });
  if (files.length === 0)
    throw new UsageError("no installed client has a place for it; name one with --client");
  const others = installed.filter(({ id }) => !named.some((client) => client.id === id));
  return [...new Set(files)].filter((file) => {
    if (!isRemoval || named.length === 0 || input.isOn("yes") || !existsSync(file)) return true;
    const sharing = others.filter((client) => skillFile(client, input, io, name) === file);
    if (sharing.length === 0) return true;
    const titles = sharing.map(({ title }) => title).join(", ");
    io.stdout.writeLine(`left ${shownPath(file, io)}: ${titles} also uses it; --yes removes it for all`);
    return false;
  });
}

function skillFile(client: ClientFacts, input: Input, io: Io, name: string): string | undefined {
  const isSnippet = input.isOn("snippet");
  const places = isSnippet ? client.memory : client.skills;
  const path = places && fileOf(places, scopeOf(input), workspaceOf(input, io), io);
  return path === undefined || isSnippet ? path : join(path, name, "SKILL.md");
}

function scopeOf(input: Input): Scope {
  const scope = input.text("scope") ?? "repo";
  if (scope !== "user" && scope !== "repo") throw new UsageError("--scope takes user or repo");
  return scope === "repo" ? "project" : "user";
}

/** Refuses to change a text that lsp-proxy did not write, or that was edited, unless forced. */
function checkOwner(file: string, text: string, input: Input, name: string): void {
  if (input.isOn("snippet")) {
    // Called even with --force: it throws when the end of the section cannot be found.
    if (isSectionEdited(text, name) && !input.isOn("force"))
      throw configError("client/edited", `the section in ${file} was edited`);
    return;
  }
  if (text === "" || input.isOn("force") || isUntouched(text, MARK)) return;
  if (text.includes(MARK)) throw configError("client/edited", `${file} was edited`);
  throw configError("client/taken", `${file} was not written by lsp-proxy`);
}
