/** `tools`: lists the tools of a config with their size in a model's context. */
import { type Bundle, TOOLS_FILE, type ToolEntry } from "../../abi/bundle.js";
import type { Plan } from "../../abi/plan.js";
import { sortBy } from "../../base/order.js";
import { estimatedTokens } from "../../base/token-estimate.js";
import { type Command, failure, printJson } from "../command.js";
import { compile } from "../compile.js";
import { configFlags, option, toggle } from "../flags.js";
import { table } from "../terminal/layout.js";

export const tools: Command = {
  name: "tools",
  summary: "Lists the tools with their size in a model's context.",
  usage: "[--config FILE]",
  description:
    "Bytes are those of the tool's entry in `tools/list`; tokens are estimated at four bytes each.",
  flags: {
    ...configFlags,
    json: toggle("Prints JSON."),
    budget: option("BYTES", "Exits with 1 when the whole list is larger."),
  },
  examples: ["lsp-proxy tools", "lsp-proxy tools --budget 10000"],
  async run(input, io) {
    const { bundle, plan } = await compile(input, io);
    const effectOf = (name: string) => plan.tools.find((tool) => tool.name === name)?.effect ?? "read";
    const rows = toolSizes(bundle, plan).map(({ name, bytes }) => ({ name, effect: effectOf(name), bytes }));
    const total = rows.reduce((sum, row) => sum + row.bytes, 0);
    if (input.isOn("json"))
      printJson(io, { tools: rows, total: { bytes: total, tokens: estimatedTokens(total) } });
    else io.stdout.write(sizeTable(rows, total, io.stdout.columns));
    const budget = input.integer("budget", 0, 999_999_999);
    if (budget !== undefined && total > budget)
      return failure(io, `the list has ${total} bytes, more than the budget of ${budget}`);
  },
};

/** The bytes of each tool's entry in `tools/list`. */
export function toolSizes(bundle: Bundle, plan: Plan): { name: string; bytes: number }[] {
  const list = bundle.files.find(({ path }) => path === TOOLS_FILE)?.text ?? "[]";
  return (JSON.parse(list) as ToolEntry[]).map(({ outputSchema, ...rest }) => {
    const entry = plan.dialect.outputSchemas ? { ...rest, outputSchema } : rest;
    return { name: rest.name, bytes: Buffer.byteLength(JSON.stringify(entry)) };
  });
}

function sizeTable(rows: { name: string; effect: string; bytes: number }[], total: number, width?: number) {
  const sizes = (bytes: number) => [String(bytes).padStart(6), `~${estimatedTokens(bytes)}`.padStart(6)];
  const lines = sortBy(rows, (row) => [row.name]).map((row) => [row.name, row.effect, ...sizes(row.bytes)]);
  return table(["tool", "effect", " bytes", "tokens"], [...lines, ["all", "", ...sizes(total)]], width);
}
