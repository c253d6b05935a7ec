/** Plan and bundle of many tools, each with an argument of its own, against Node's own start. */
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compared, interleave, timed } from "./figures.mjs";
import { environment, program } from "./proxy.mjs";
import { scratch } from "./workspace.mjs";

export const title = "`generate`, against `node -e 0`";

/** How many tools, how often. */
const sizes = [
  [20, 5],
  [200, 3],
  [1000, 1],
];

export async function run() {
  const rows = [];
  for (const [tools, rounds] of sizes) {
    const folder = scratch("generator");
    const config = join(folder, "lspi.toml");
    writeFileSync(config, configOf(tools));
    const out = join(folder, "bundle");
    const words = ["generate", "--config", config, "--out", out];
    const samples = await interleave(
      {
        node: () => timed(() => execFileSync(process.execPath, ["-e", "0"])),
        ours: () =>
          timed(() => {
            rmSync(out, { recursive: true, force: true });
            execFileSync(process.execPath, [program, ...words], { env: environment(), stdio: "ignore" });
          }),
      },
      { rounds, warmup: rounds > 1 ? 1 : 0 },
    );
    const made = Object.keys(JSON.parse(readFileSync(join(out, "manifest.json"), "utf8")).files).length;
    const target = tools === 200 ? { text: "≤ 1 s added", met: ({ added }) => added <= 1000 } : undefined;
    rows.push(compared(`${tools} tools, ${made} files`, samples.ours, samples.node, target));
  }
  return rows;
}

function configOf(tools) {
  const methods = ["references", "definition", "implementation", "typeDefinition"];
  const one = (n) => `
[[tools]]
name = "tool_${n}"
description = "Tool ${n} of many."
input = ["position", "symbol"]
output = "locations"
page = true
args.option_${n} = { type = "boolean", default = true, description = "Option ${n}." }
request = { method = "textDocument/${methods[n % methods.length]}", params = "text_document_position" }
`;
  return `[[servers]]
id = "py"
kind = "pyright"
${Array.from({ length: tools }, (_, n) => one(n)).join("")}`;
}
