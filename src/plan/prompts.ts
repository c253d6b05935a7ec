/** `[[prompts]]` and `[[resources]]` → their plans, sorted by name. */
import type { DialectPlan, PromptPlan, ResourcePlan } from "../abi/plan.js";
import { canonical, isTable, type Json } from "../base/json.js";
import { sortBy, sortedSet } from "../base/order.js";
import type { Config } from "../config/schema.js";
import { quoted, type Report } from "./report.js";
import { argumentNames, misfit, missingNames } from "./tool-arguments.js";
import type { PlacedTool } from "./tools.js";

export function buildPrompts(config: Config, report: Report): PromptPlan[] {
  const prompts = (config.prompts ?? []).map((prompt, index): PromptPlan => {
    const { name, title = null, description = null, args = {}, messages = [] } = prompt;
    const own = report.at("prompts", index);
    if (messages.length === 0)
      own.add("plan/bad-prompt", `The prompt \`${name}\` has no messages.`, "Add `messages`.");
    return {
      name,
      title,
      description,
      args: sortedSet(Object.keys(args)).map((arg) => ({
        name: arg,
        description: args[arg]?.description ?? null,
        required: args[arg]?.required ?? true,
      })),
      messages: messages.map(({ role = "user", text }) => ({ role, text })),
    };
  });
  return sortBy(prompts, ({ name }) => [name]);
}

/** The parts of a resource's URI that stand for something else: `{name}`. */
export function partsOf(uri: string): string[] {
  return [...uri.matchAll(/\{([^{}]*)\}/g)].map(([, part = ""]) => part);
}

/** The resources whose tools are listed; one of a tool that this config hides is left out. */
export function buildResources(
  config: Config,
  tools: readonly PlacedTool[],
  { dialect, listed }: { dialect: DialectPlan; listed: readonly string[] },
  report: Report,
): ResourcePlan[] {
  const resources = (config.resources ?? []).flatMap((resource, index): ResourcePlan[] => {
    const { name, title = null, description = null, uri = "", tool = "", args = {} } = resource;
    const own = report.at("resources", index);
    const bad = (message: string, fix: string, ...at: string[]) =>
      own.at(...at).add("plan/bad-resource", message, fix);
    if (uri === "") bad(`The resource \`${name}\` has no \`uri\`.`, "Add `uri`.");
    const parts = partsOf(uri);
    if (parts.some((part) => !/^[a-z_][a-z0-9_]*$/i.test(part)) || new Set(parts).size < parts.length)
      bad("A part of the URI has no name, or that of another.", "Write `{name}`, each once.", "uri");
    const called = tools.find(({ plan }) => plan.name === tool)?.plan;
    if (called === undefined) {
      const known = tools.map(({ plan }) => plan.name);
      own.at("tool").unknown("plan/unknown-tool", "The tool", tool, known);
      return [];
    }
    if (called.effect !== "read")
      bad(`The tool \`${tool}\` has an effect.`, "Name a tool that only reads.", "tool");
    const takes = argumentNames(called, dialect);
    const given = Object.keys(args).filter((arg) => (args[arg] ?? null) !== null);
    const missing = missingNames(called, given, dialect);
    if (missing.length > 0)
      bad(`The tool \`${tool}\` needs ${quoted(missing)}.`, "Add the arguments.", "args");
    const literal = (arg: string, value: unknown): Json => {
      const why = misfit(arg, value, called, dialect);
      if (why !== undefined) bad(`\`${arg}\` of \`${tool}\` ${why}.`, "Correct the value.", "args", arg);
      return canonical((value ?? null) as Json);
    };
    const values = sortedSet(Object.keys(args)).map((arg): ResourcePlan["args"][number] => {
      if (!takes.includes(arg)) own.at("args", arg).unknown("plan/bad-resource", "The argument", arg, takes);
      const value = args[arg];
      if (!isTable(value) || !Object.hasOwn(value, "from"))
        return { name: arg, part: null, value: literal(arg, value) };
      const part = typeof value.from === "string" ? value.from.replace(/^uri\./, "") : "";
      if (!parts.includes(part) || value.from !== `uri.${part}`)
        bad(
          `\`${String(value.from)}\` is no part of the URI.`,
          'Write `{ from = "uri.NAME" }`.',
          "args",
          arg,
        );
      return { name: arg, part, value: null };
    });
    const mimeType = resource.mime_type ?? "application/json";
    const plan = { name, title, description, uri, mimeType, tool, args: values };
    return listed.includes(tool) ? [plan] : [];
  });
  return sortBy(resources, ({ name }) => [name]);
}
