/** Plan and bundle of many tools, each with an argument of its own, against Node's own start. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { alone, compared, interleave, timed } from "./figures.mjs";
import { environment, program } from "./proxy.mjs";
import { scratch } from "./workspace.mjs";

export const title = "`generate`, against `node -e 0`";

/** Told to a process, it says at its end how much processor time it has used. */
const spent = fileURLToPath(new URL("processor-time.cjs", import.meta.url));

/** How many tools, how often. */
const sizes = [
  [20, 5],
  [200, 3],
  [1000, 3],
];
const warmup = 1;

export async function run() {
  const rows = [];
  const added = new Map();
  for (const [tools, rounds] of sizes) {
    const folder = scratch("generator");
    const config = join(folder, "lspi.toml");
    writeFileSync(config, configOf(tools));
    const cpu = { node: [], ours: [] };
    const start = (way, words) => {
      const file = join(folder, `${way}.json`);
      return timed(() =>
        execFileSync(process.execPath, ["-r", spent, ...words], {
          env: { ...environment(), CPU_FILE: file },
          stdio: "ignore",
        }),
      ).then((wall) => {
        cpu[way].push(JSON.parse(readFileSync(file, "utf8")));
        return wall;
      });
    };
    // Each round has a folder of its own: a disk that must first forget a thousand files would be measured too.
    const out = (round) => join(folder, `bundle-${round}`);
    const samples = await interleave(
      {
        node: () => start("node", ["-e", "0"]),
        ours: (round) => start("ours", [program, "generate", "--config", config, "--out", out(round)]),
      },
      { rounds, warmup },
    );
    const made = Object.keys(JSON.parse(readFileSync(join(out(0), "manifest.json"), "utf8")).files).length;
    const target = tools === 200 ? { text: "≤ 1 s added", met: ({ added }) => added <= 1000 } : undefined;
    const row = compared(`${tools} tools, ${made} files`, samples.ours, samples.node, target);
    added.set(tools, row.added);
    rows.push(row);
    rows.push(compared(`${tools} tools, processor time`, cpu.ours.slice(warmup), cpu.node.slice(warmup)));
  }
  const near = { text: "≤ 1.2 ×", met: ({ value }) => value <= 1.2 };
  const growth = added.get(1000) / (5 * added.get(200));
  rows.push(alone("1000 tools: time added against five times that of 200", growth, "×", near));
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
