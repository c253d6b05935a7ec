/** Plan and bundle of many tools, each with an argument of its own, against Node's own start. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { alone, compared, interleave, quantile, timed } from "./figures.mjs";
import { environment, program } from "./proxy.mjs";
import { scratch } from "./workspace.mjs";

export const title = "`generate`, against `node -e 0`";

/** Told to a process, it says at its end how much processor time it has used. */
const spent = fileURLToPath(new URL("processor-time.cjs", import.meta.url));

const sizes = [20, 200, 1000];
const rounds = { rounds: 5, warmup: 1 };

export async function run() {
  const folder = scratch("generator");
  const cpu = { node: [] };
  const start = async (way, words) => {
    const file = join(folder, `${way}.json`);
    const env = { ...environment(), CPU_FILE: file };
    const wall = await timed(() =>
      execFileSync(process.execPath, ["-r", spent, ...words], { env, stdio: "ignore" }),
    );
    cpu[way].push(JSON.parse(readFileSync(file, "utf8")));
    return wall;
  };
  // Each round has a folder of its own: a disk that must first forget a thousand files would be measured too.
  const out = (tools, round) => join(folder, `bundle-${tools}-${round}`);
  // All sizes turn by turn, since they are compared with each other.
  const ways = { node: () => start("node", ["-e", "0"]) };
  for (const tools of sizes) {
    const config = join(folder, `${tools}.toml`);
    writeFileSync(config, configOf(tools));
    cpu[tools] = [];
    ways[tools] = (round) =>
      start(tools, [program, "generate", "--config", config, "--out", out(tools, round)]);
  }
  const samples = await interleave(ways, rounds);
  const rows = sizes.flatMap((tools) => {
    const made = Object.keys(JSON.parse(readFileSync(join(out(tools, 0), "manifest.json"), "utf8")).files);
    const [ours, node] = [cpu[tools], cpu.node].map((list) => list.slice(rounds.warmup));
    return [
      compared(`${tools} tools, ${made.length} files`, samples[tools], samples.node),
      compared(`${tools} tools, processor time`, ours, node),
    ];
  });
  const added = (tools, round) => samples[tools][round] - samples.node[round];
  const growths = samples.node.map((_, round) => added(1000, round) / (5 * added(200, round)));
  const near = { text: "≤ 1.2 ×", met: ({ value }) => value <= 1.2 };
  const what = "1000 tools: time added against five times that of 200";
  return [...rows, alone(what, quantile(growths, 0.5), "×", near)];
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
