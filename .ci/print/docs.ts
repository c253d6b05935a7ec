/** Renders the printed pages of `docs/` from the codes, the shipped tools, clients and presets. */
import type { DialectPlan, ToolPlan } from "../../src/abi/plan.js";
import type { CodeFacts } from "../../src/base/codes.js";
import { sortBy } from "../../src/base/order.js";
import { Fault } from "../../src/base/problem.js";
import { render, type Templates } from "../../src/emit/render.js";
import { toolViews } from "../../src/emit/tools-page.js";

/** The meaning of the first part of a code: where it comes from. */
const families = {
  config: "the config file: its syntax, keys, values and trust",
  plan: "the servers, tools, methods, prompts and resources in a config",
  bundle: "a bundle that `lsp-proxy generate` wrote",
  http: "the gateway of `serve --http`",
  client: "files of MCP clients that `client` and `skill` write",
  cli: "the command line and files that are named on it",
  guard: "what a call may do and read",
  route: "the choice of a language server for a file",
  point: "the place or symbol that a call points at",
  lsp: "the start and the answers of a language server",
  edit: "an edit, its preview and its undo",
  call: "a call as a whole",
  page: "the pages of a list",
  answer: "an answer that is usable, but has a warning",
  dashboard: "the page of `lsp-proxy dashboard`",
  runtime: "bugs in lsp-proxy",
} as const;

/** `docs/problems.md`: all codes with a message, cause and fix, by family. */
export function problemsDocs(
  codes: { readonly [code: string]: CodeFacts },
  messages: { readonly [code: string]: string },
  templates: Templates,
): string {
  const entries = sortBy(Object.entries(codes), ([code]) => [code]);
  const groups = Object.entries(families).map(([family, about]) => ({
    family,
    about,
    codes: entries
      .filter(([code]) => code.startsWith(`${family}/`))
      .map(([code, facts]) => ({ code, ...facts, message: messages[code] ?? "" })),
  }));
  const isListed = (code: string) => groups.some((group) => group.codes.some((one) => one.code === code));
  const lost = entries.filter(([code]) => !isListed(code));
  if (lost.length > 0) throw new Fault(`no family has ${lost.map(([code]) => code).join(", ")}`);
  return render(templates, "docs/problems.md", { count: entries.length, groups });
}

/** `docs/tools.md`: all tools of a plan, listed or not. `usual` are those of the default profile. */
export function toolsDocs(
  tools: readonly ToolPlan[],
  dialect: DialectPlan,
  usual: readonly string[],
  templates: Templates,
): string {
  const views = toolViews(tools, dialect).map((view) => ({
    ...view,
    profile: usual.includes(view.name) ? "`default`" : "`full`",
    // A description begins with what the tool does; the rest says when to use it.
    summary: view.description.replace(/(?<=[.]) [A-Z].*$/s, ""),
  }));
  const groups = [
    { title: "Tools that read", effect: "read" },
    { title: "Tools that edit", effect: "edit" },
    { title: "Tools that run commands", effect: "command" },
  ].map(({ title, effect }) => ({ title, tools: views.filter((view) => view.effect === effect) }));
  return render(templates, "docs/tools.md", { groups: groups.filter((group) => group.tools.length > 0) });
}

/** View model of `docs/clients.md`. */
export interface ClientsView {
  clients: {
    id: string;
    title: string;
    notes: string;
    context: string;
    /** Where its config files are. */
    files: string[];
    started: { language: string; text: string }[];
    /** Empty if the client cannot use HTTP; then `noHttp` says why. */
    gateway: { language: string; text: string }[];
    noHttp: string;
    /** Whether every entry is for one project. */
    isPinned: boolean;
  }[];
}

/** `docs/clients.md`: the entry for each client. */
export function clientsDocs(view: ClientsView, templates: Templates): string {
  return render(templates, "docs/clients.md", view);
}

/** View model of `docs/languages.md`. */
export interface LanguagesView {
  servers: number;
  /** How many of them start in an untrusted workspace. */
  harmlessCount: number;
  languageCount: number;
  rightCount: number;
  /** Where the tested servers came from, as a sentence. */
  sources: string;
  triedCount: number;
  tried: {
    server: string;
    source: string;
    version: string;
    /** Other features that it offers, one letter each. */
    more: string;
    definition: string;
    references: string;
    hover: string;
    symbols: string;
    diagnostics: string;
    time: string;
  }[];
  hasFailures: boolean;
  failures: { server: string; why: string }[];
  languages: { name: string; names: string }[];
}

/** `docs/languages.md`: the presets by language, and the results of the server tests. */
export function languagesDocs(view: LanguagesView, templates: Templates): string {
  return render(templates, "docs/languages.md", view);
}
