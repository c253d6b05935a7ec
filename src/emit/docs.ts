/** Documentation printed from its source: the config's schema, the code catalogue, the shipped tools. */
import type { DialectPlan, Plan, ToolPlan } from "../abi/plan.js";
import type { CodeFacts } from "../base/codes.js";
import { isTable, type JsonObject } from "../base/json.js";
import { sortBy } from "../base/order.js";
import { toolViews } from "./catalogue.js";
import { deployFile } from "./deploy.js";
import { render, type Templates } from "./render.js";
import { isSection, schemaRows } from "./schema-rows.js";

/** `docs/config.md`: every key of the config. */
export function configDocs(schema: JsonObject, templates: Templates): string {
  const properties = Object.entries(isTable(schema.properties) ? schema.properties : {});
  const plain = Object.fromEntries(properties.filter(([, member]) => !isSection(member)));
  const sections = properties
    .filter(([, member]) => isSection(member))
    .map(([name, member]) => ({
      heading: isTable(member) && member.items !== undefined ? `[[${name}]]` : `[${name}]`,
      description: isTable(member) && typeof member.description === "string" ? member.description : "",
      rows: schemaRows((isTable(member) ? member.items : undefined) ?? member),
    }));
  return render(templates, "docs/config.md", { top: schemaRows({ properties: plain }), sections });
}

/** `docs/problems.md`: every code with its cause and its fix. */
export function problemsDocs(codes: { readonly [code: string]: CodeFacts }, templates: Templates): string {
  const kinds = [
    {
      kind: "problem",
      heading: "Problems",
      about: "What is wrong in a config or a bundle. Told before anything starts.",
    },
    {
      kind: "refusal",
      heading: "Refusals",
      about: "Why a call was not answered. Told to the agent, with next steps.",
    },
    {
      kind: "warning",
      heading: "Warnings",
      about: "Remarks beside a config that is used or an answer that is given.",
    },
    { kind: "fault", heading: "Faults", about: "Bugs of lsp-proxy." },
  ] as const;
  const entries = sortBy(Object.entries(codes), ([code]) => [code]);
  const groups = kinds.map(({ kind, heading, about }) => ({
    heading,
    about,
    codes: entries.filter(([, facts]) => facts.kind === kind).map(([code, facts]) => ({ code, ...facts })),
  }));
  return render(templates, "docs/problems.md", { groups });
}

/** `docs/scaling.md`: several gateways, with the balancer's configuration as it is printed for everybody. */
export function scalingDocs(plan: Plan, templates: Templates): string {
  const place = { command: [], serve: [], folders: [], gateways: 2, image: "" };
  const { text } = deployFile("haproxy", plan, place, templates);
  return render(templates, "docs/scaling.md", { haproxy: text });
}

/** `docs/tools.md`: the tools of a plan, whatever it lists. */
export function toolsDocs(tools: readonly ToolPlan[], dialect: DialectPlan, templates: Templates): string {
  return render(templates, "docs/tools.md", { tools: toolViews(tools, dialect) });
}

/** What `docs/clients.md` is made of. */
export interface ClientsView {
  clients: {
    id: string;
    title: string;
    notes: string;
    context: string;
    /** Where its files are, in words. */
    files: string[];
    started: { language: string; text: string }[];
    /** None for a client that is told why not. */
    gateway: { language: string; text: string }[];
    noHttp: string;
  }[];
}

/** `docs/clients.md`: what each client is told. */
export function clientsDocs(view: ClientsView, templates: Templates): string {
  return render(templates, "docs/clients.md", view);
}

/** What `docs/languages.md` is made of. */
export interface LanguagesView {
  servers: number;
  /** How many of them are started in a workspace that nobody has trusted. */
  harmlessCount: number;
  languageCount: number;
  rightCount: number;
  /** How many of them came from where, in words. */
  sources: string;
  triedCount: number;
  tried: {
    server: string;
    source: string;
    version: string;
    /** The other features that it offers, a letter each. */
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

/** `docs/languages.md`: the catalogue by language, and what was tried out. */
export function languagesDocs(view: LanguagesView, templates: Templates): string {
  return render(templates, "docs/languages.md", view);
}
