/** `skill`: prints, installs or removes a text that tells agents how to use the tools: a skill, or a section of a memory file. */
import { existsSync, readdirSync, rmdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { uniqueBy } from "../../base/order.js";
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
import { fileOf, findClient, isClientInstalled, knownClients } from "../clients/client-files.js";
import { type Command, configError, exitCodes, type Input, type Io, UsageError } from "../command.js";
import { planOrFallback, workspaceOf } from "../compile.js";
import { changeFile, changeWords, currentText, shownPath } from "../files/user-file.js";
import { configFlags, option, toggle } from "../flags.js";
import { shippedTemplates } from "../shipped.js";

const MARK = "Written by `lsp-proxy skill`";
const actions = ["print", "install", "remove"];

export const skill: Command = {
  name: "skill",
  summary: "Tells agents how to use the tools of this config: a skill, or a section for AGENTS.md.",
  usage: "[print|install|remove] [--snippet] [--scope user|repo] [--client NAME]",
  description:
    "Prints a skill for the tools and languages of this config, installs it where clients look for skills, or removes it.\n" +
    "With --snippet it is a section for AGENTS.md, CLAUDE.md or GEMINI.md instead; everything else in the file stays.\n" +
    "Without --client it is for every installed client.",
  flags: {
    ...configFlags,
    scope: option("user|repo", "For you or for the workspace; default: the workspace."),
    client: { ...option("NAME", "The client; may be repeated."), multiple: true },
    snippet: toggle("The section for a memory file instead of the skill."),
    force: toggle("Replaces or removes a text that lsp-proxy did not write, or that was edited."),
    yes: toggle("Also removes what other installed clients use.", "y"),
  },
  words: { min: 0, max: 1 },
  examples: [
    "lsp-proxy skill install --scope user",
    "lsp-proxy skill install --client claude-code --snippet",
  ],
  async run(input, io) {
    const [action = "print"] = input.words;
    if (!actions.includes(action)) throw new UsageError(`the action is one of ${actions.join(", ")}`);
    const isRemoval = action === "remove";
    const { plan } = planOrFallback(input, io, isRemoval, {});
    const templates = readTemplates(shippedTemplates);
    const isSnippet = input.isOn("snippet");
    const text = isSnippet ? snippetText(plan, templates) : stamped(skillText(plan, templates), MARK);
    if (action === "print") {
      io.stdout.write(text);
      return exitCodes.ok;
    }
    const { name } = plan.mcp;
    const files = filesOf(input, io, name).filter((file) => !isRemoval || !isShared(file, input, io, name));
    const within = scopeOf(input) === "project" ? workspaceOf(input, io) : undefined;
    const edit = (old: string) => {
      if (!isSnippet) return isRemoval ? "" : text;
      return isRemoval ? withoutSection(old, name) : withSection(old, name, text);
    };
    const isEmpty = (rest: string) => isRemoval && rest.trim() === "";
    for (const file of files) checkOwner(file, currentText(file, within), input, name);
    for (const file of files) {
      const done = changeFile(file, edit, { within, isEmpty, needsBackup: () => false });
      if (done === "deleted" && !isSnippet) removeEmpty(dirname(file));
      io.stdout.write(`${changeWords[done]} ${shownPath(file, io)}\n`);
    }
  },
};

/** The files of the named clients, or of all installed ones. Several clients may use the same file. */
function filesOf(input: Input, io: Io, name: string): string[] {
  const named = namedClients(input);
  const workspace = workspaceOf(input, io);
  const installed = () => knownClients().filter((client) => isClientInstalled(client, workspace, io));
  const clients = named.length > 0 ? named : installed();
  const files = clients.flatMap((client) => {
    const file = placeOf(client, input, io, name);
    if (file === undefined && named.length > 0)
      throw new UsageError(`${client.title} has no known place for it`);
    return file ?? [];
  });
  if (files.length === 0)
    throw new UsageError("no installed client has a place for it; name one with --client");
  return uniqueBy(files, (file) => file);
}

function namedClients(input: Input): ClientFacts[] {
  return input.texts("client").map((id) => findClient(id));
}

function placeOf(client: ClientFacts, input: Input, io: Io, name: string): string | undefined {
  const isSnippet = input.isOn("snippet");
  const places = isSnippet ? client.memory : client.skills;
  const path = places && fileOf(places, scopeOf(input), workspaceOf(input, io), io);
  return path === undefined || isSnippet ? path : join(path, name, "SKILL.md");
}

/** Whether installed clients that were not named use the same file. Prints so if they do. */
function isShared(file: string, input: Input, io: Io, name: string): boolean {
  const named = namedClients(input).map(({ id }) => id);
  if (named.length === 0 || input.isOn("yes")) return false;
  const others = knownClients().filter(
    (client) =>
      !named.includes(client.id) &&
      placeOf(client, input, io, name) === file &&
      isClientInstalled(client, workspaceOf(input, io), io),
  );
  if (others.length === 0 || !existsSync(file)) return false;
  const titles = others.map(({ title }) => title).join(", ");
  io.stdout.write(`left ${shownPath(file, io)}: ${titles} also uses it; --yes removes it for all\n`);
  return true;
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
    const isEdited = isSectionEdited(text, name);
    if (isEdited && !input.isOn("force"))
      throw configError("client/edited", `the section in ${file} was edited`);
    return;
  }
  if (text === "" || input.isOn("force") || isUntouched(text, MARK)) return;
  if (text.includes(MARK)) throw configError("client/edited", `${file} was edited`);
  throw configError("client/taken", `${file} was not written by lsp-proxy`);
}

function removeEmpty(folder: string): void {
  if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder);
}
