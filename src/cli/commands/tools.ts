/** `tools`: the tools of a config with what each costs in a model's context. */
import type { ToolEntry } from "../../abi/bundle.js";
import { TOOLS_FILE } from "../../abi/bundle.js";
import { sortBy } from "../../base/order.js";
import { type Command, exitCodes, isOn, textFlag, UsageError } from "../command.js";
import { compile } from "../compile.js";
import { configFlags } from "../flags.js";

/** Bytes of JSON that make about one token of a model, measured on tool lists. */
const bytesPerToken = 4;

export const tools: Command = {
  name: "tools",
  summary: "Lists the tools with their weight in a model's context.",
  usage: "[--config FILE]",
  description:
    "Bytes are those of the tool's entry in `tools/list`; tokens are estimated at four bytes each.",
  flags: {
    ...configFlags,
    json: { type: "boolean", description: "Prints JSON." },
    budget: { type: "string", value: "BYTES", description: "Exits with 1 when the whole list weighs more." },
  },
  words: { min: 0, max: 0 },
  examples: ["lsp-proxy tools", "lsp-proxy tools --budget 8192"],
  async run(input, io) {
    const { bundle, plan } = await compile(input, io);
    const entries = JSON.parse(
      bundle.files.find((file) => file.path === TOOLS_FILE)?.text ?? "[]",
    ) as ToolEntry[];
    const rows = entries.map((entry) => ({
      name: entry.name,
      effect: plan.tools.find((tool) => tool.name === entry.name)?.effect ?? "read",
      bytes: weigh(entry, plan.dialect.outputSchemas),
    }));
    const total = rows.reduce((sum, row) => sum + row.bytes, 0);
    if (isOn(input, "json")) {
      io.stdout.write(
        `${JSON.stringify({ tools: rows, total: { bytes: total, tokens: tokens(total) } }, null, 2)}\n`,
      );
    } else {
      io.stdout.write(table(rows, total));
    }
    const budget = textFlag(input, "budget");
    if (budget === undefined) return exitCodes.ok;
    if (!/^\d+$/.test(budget)) throw new UsageError("--budget takes a number of bytes", "tools");
    if (total <= Number(budget)) return exitCodes.ok;
    io.stderr.write(`lsp-proxy: the list weighs ${total} bytes, over the budget of ${budget}\n`);
    return exitCodes.no;
  },
};

/** Bytes that a tool's entry takes in `tools/list`. */
export function weigh(entry: ToolEntry, withOutputSchema: boolean): number {
  const { outputSchema, ...rest } = entry;
  return Buffer.byteLength(JSON.stringify(withOutputSchema ? { ...rest, outputSchema } : rest));
}

function tokens(bytes: number): number {
  return Math.ceil(bytes / bytesPerToken);
}

function table(rows: { name: string; effect: string; bytes: number }[], total: number): string {
  const width = Math.max(5, ...rows.map((row) => row.name.length));
  const line = (name: string, effect: string, bytes: string, count: string) =>
    `${name.padEnd(width)}  ${effect.padEnd(7)}  ${bytes.padStart(6)}  ${count.padStart(6)}\n`;
  return [
    line("tool", "effect", "bytes", "tokens"),
    ...sortBy(rows, (row) => [row.name]).map((row) =>
      line(row.name, row.effect, String(row.bytes), `~${tokens(row.bytes)}`),
    ),
    line("all", "", String(total), `~${tokens(total)}`),
  ].join("");
}
