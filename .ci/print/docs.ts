/** Renders the printed pages of `docs/` from the codes, the shipped tools, clients and presets. */
import type { DialectPlan, ToolPlan } from "../../src/abi/plan.js";
import type { CodeFacts } from "../../src/base/codes.js";
import { sortBy } from "../../src/base/order.js";
import { render, type Templates } from "../../src/emit/render.js";
import { toolViews } from "../../src/emit/tools-page.js";

/** `docs/problems.md`: all codes with cause and fix. */
export function problemsDocs(codes: { readonly [code: string]: CodeFacts }, templates: Templates): string {
  const kinds: readonly [CodeFacts["kind"], heading: string, about: string][] = [
    ["problem", "Problems", "Errors in a config or a bundle. They are reported before anything starts."],
    ["refusal", "Refusals", "Reasons why a call was not answered. The agent gets them with next steps."],
    ["warning", "Warnings", "Remarks about a config that works, or in an answer."],
    ["fault", "Faults", "Bugs in lsp-proxy."],
  ];
  const entries = sortBy(Object.entries(codes), ([code]) => [code]);
  const groups = kinds.map(([kind, heading, about]) => ({
    heading,
    about,
    codes: entries.filter(([, facts]) => facts.kind === kind).map(([code, facts]) => ({ code, ...facts })),
  }));
  return render(templates, "docs/problems.md", { groups });
}

/** `docs/tools.md`: all tools of a plan, listed or not. */
export function toolsDocs(tools: readonly ToolPlan[], dialect: DialectPlan, templates: Templates): string {
  return render(templates, "docs/tools.md", { tools: toolViews(tools, dialect) });
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
