/**
 * Calls that lead on from a refusal. Tools are found by what they do, never by name, so that every surface has its own;
 * only tools that read and that can be called with what is known are told: such a step is always safe to take.
 */
import type { DialectPlan, Plan, ToolPlan } from "../../abi/plan.js";
import type { Code } from "../../base/codes.js";
import type { JsonObject } from "../../base/json.js";
import type { NextStep } from "../../base/problem.js";
import { pointingFields } from "../../protocol/pointing.js";
import { identifierOf, nameAndIndex } from "../point/symbol-names.js";

/** A refused call, as far as its arguments are known to be good. */
interface Refused {
  tool: ToolPlan;
  input: JsonObject;
  dialect: DialectPlan;
}

interface Lead {
  why: string;
  leads(tool: ToolPlan, refused: Refused): boolean;
  args(refused: Refused): JsonObject | undefined;
}

const outline: Lead = {
  why: "it lists the symbols of the file",
  leads: ({ input, output }) => output.shape === "document_symbols" && input.includes("document"),
  args({ input, dialect: { document } }) {
    const file = input[document.field];
    return file === undefined ? undefined : { [document.field]: file };
  },
};

const search: Lead = {
  why: "it searches the workspace for the name",
  leads: ({ input, output }) => output.shape === "workspace_symbols" && input.includes("query"),
  args({ input, dialect }) {
    const name = input[dialect.symbol.name];
    return typeof name === "string" ? { [dialect.query]: identifierOf(nameAndIndex(name).name) } : undefined;
  },
};

const status: Lead = {
  why: "it says how the language servers do",
  leads: ({ output }) => output.shape === "server_status",
  args: () => ({}),
};

const servers: Lead = {
  why: "it says which files have a language server",
  leads: ({ steps }) => steps.some((step) => step.kind === "runtime" && step.action === "list_servers"),
  args: () => ({}),
};

const fromTheStart: Lead = {
  why: "it begins the listing anew",
  leads: (tool, refused) => tool.name === refused.tool.name,
  args({ input, dialect }) {
    const { [dialect.listing.cursor]: _, ...rest } = input;
    return rest;
  },
};

const leadsOf: { readonly [code in Code]?: readonly Lead[] } = {
  "point/no-symbol": [search, outline],
  "point/no-line": [outline],
  "point/out-of-range": [outline],
  "point/incomplete": [outline],
  "lsp/no-answer": [outline],
  "route/no-server": [servers],
  "lsp/not-supported": [status],
  "lsp/start-failed": [status],
  "lsp/exited": [status],
  "lsp/timeout": [status],
  "lsp/garbled": [status],
  "lsp/busy": [status],
  "page/cursor-invalid": [fromTheStart],
  "page/cursor-stale": [fromTheStart],
  "page/cursor-expired": [fromTheStart],
};

/** The calls that a refusal leads to; `input` is undefined where the arguments themselves were refused. */
export function leadOn(
  { tools, mcp, dialect }: Plan,
  tool: ToolPlan,
  code: Code,
  input: JsonObject | undefined,
): NextStep[] {
  const refused: Refused = { tool, input: input ?? {}, dialect };
  return (leadsOf[code] ?? []).flatMap((lead): NextStep[] => {
    const args = lead.args(refused);
    if (args === undefined) return [];
    const next = tools.find(
      (entry) =>
        mcp.listed.includes(entry.name) &&
        entry.effect === "read" &&
        lead.leads(entry, refused) &&
        required(entry, dialect).every((name) => Object.hasOwn(args, name)),
    );
    return next === undefined ? [] : [{ kind: "tool", tool: next.name, arguments: args, why: lead.why }];
  });
}

function required(tool: ToolPlan, dialect: DialectPlan): string[] {
  const own = tool.args.filter((arg) => arg.required).map((arg) => arg.name);
  return [...pointingFields(tool.input, dialect).required, ...tool.require, ...own];
}
