/** `tools`: lists the tools of a config with their size in a model's context. */
import { type Bundle, TOOLS_FILE, type ToolEntry } from "../../abi/bundle.js";
import { toolSizes } from "../../abi/tool-sizes.js";
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
    const rows = toolSizes(toolsIn(bundle), plan);
    const total = rows.reduce((sum, row) => sum + row.bytes, 0);
    if (input.isOn("json"))
      printJson(io, { tools: rows, total: { bytes: total, tokens: estimatedTokens(total) } });
    else io.stdout.write(sizeTable(rows, total, io.stdout.columns));
    const budget = input.integer("budget", 0, 999_999_999);
    if (budget !== undefined && total > budget)
      return failure(io, `the list has ${total} bytes, more than the budget of ${budget}`);
  },
};

/** The tools that a bundle lists. */
export function toolsIn(bundle: Bundle): ToolEntry[] {
  return JSON.parse(bundle.files.find(({ path }) => path === TOOLS_FILE)?.text ?? "[]");
}

function sizeTable(rows: { name: string; effect: string; bytes: number }[], total: number, width?: number) {
  const sizes = (bytes: number) => [String(bytes).padStart(6), `~${estimatedTokens(bytes)}`.padStart(6)];
  const lines = sortBy(rows, (row) => [row.name]).map((row) => [row.name, row.effect, ...sizes(row.bytes)]);
  return table(["tool", "effect", " bytes", "tokens"], [...lines, ["all", "", ...sizes(total)]], width);
}
