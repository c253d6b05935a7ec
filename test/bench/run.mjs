/**
 * `npm run bench`: the sections that are named, or all that need no network. `--project DIR` measures on a copy of a
 * project too, `--json FILE` writes the figures down, `--rounds N` says how often.
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { load, table } from "./figures.mjs";
import { copied, generated } from "./workspace.mjs";

/** Those that are run unasked, in this order; `rivals` fetches packages and is only run when it is named. */
const usual = ["start", "warm", "cold", "large", "many", "memory", "generator"];

const { values, positionals } = parseArgs({
  options: {
    project: { type: "string", multiple: true, default: [] },
    json: { type: "string" },
    rounds: { type: "string", default: "300" },
  },
  allowPositionals: true,
});
const rounds = Number(values.rounds);
const workspaces = [];
const lazyWorkspaces = () => {
  if (workspaces.length === 0) workspaces.push(generated(), ...values.project.map(copied));
  return workspaces;
};

const report = { node: process.version, platform: process.platform, load: [load()], sections: {} };
console.log(`Node ${process.version}, ${report.load[0].processors} processors`);
for (const name of positionals.length > 0 ? positionals : usual) {
  const section = await import(`./${name}.mjs`);
  const before = load();
  const rows = await section.run({
    rounds,
    get workspaces() {
      return lazyWorkspaces();
    },
  });
  const after = load();
  report.sections[name] = { title: section.title, load: [before.average, after.average], rows };
  console.log(
    `\n## ${section.title}\n\nload ${before.average} before, ${after.average} after; milliseconds\n`,
  );
  console.log(table(rows));
}
report.load.push(load());
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`);
