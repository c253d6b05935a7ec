/** `npm run bench`: the sections that are named, or all that need no network. */
import { existsSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { load, table } from "./figures.mjs";
import { usualNodeStartMs } from "./start.mjs";
import { copied, generated } from "./workspace.mjs";

/** Those that are run unasked, in this order. `rivals` fetches packages, `shared` takes long, `page` needs Chromium. */
const usual = ["start", "warm", "cold", "large", "many", "memory", "generator"];

const sections = [...usual, "shared", "page", "rivals"];
const help = `npm run bench -- [sections] [options]

Sections: ${sections.join(" ")}; unasked all but shared, which takes --rounds seconds and more, page, which
needs chromium, and rivals, which fetches packages.

  --project DIR   measures on a copy of a project too (warm, cold, memory); may be given several times
  --rounds N      how often a call is made, 300 unasked
  --runs N        how often warm is run, each time with new programs; all calls count together, 1 unasked
  --json FILE     writes the figures down`;

const { values, positionals } = askedFor();
const [rounds, runs] = [countIn("rounds"), countIn("runs")];
const workspaces = [];
const lazyWorkspaces = () => {
  if (workspaces.length === 0) workspaces.push(generated(), ...values.project.map(copied));
  return workspaces;
};

const report = { node: process.version, platform: process.platform, load: [load()], sections: {} };
const nodeMs = await usualNodeStartMs();
report.nodeStartMs = nodeMs;
console.log(
  `Node ${process.version}, ${report.load[0].processors} processors, \`node -e 0\` in ${Math.round(nodeMs)} ms`,
);
for (const name of positionals.length > 0 ? positionals : usual) {
  const section = await import(`./${name}.mjs`);
  const before = load();
  const rows = await section.run({
    rounds,
    runs,
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

/** What the command line asks for; what cannot be meant ends the program before anything is measured. */
function askedFor() {
  const options = {
    project: { type: "string", multiple: true, default: [] },
    json: { type: "string" },
    rounds: { type: "string", default: "300" },
    runs: { type: "string", default: "1" },
    help: { type: "boolean", short: "h", default: false },
  };
  let parsed;
  try {
    parsed = parseArgs({ options, allowPositionals: true });
  } catch (error) {
    refuse(error.message);
  }
  if (parsed.values.help) {
    console.log(help);
    process.exit(0);
  }
  const unknown = parsed.positionals.find((name) => !sections.includes(name));
  if (unknown !== undefined) refuse(`There is no section ${unknown}.`);
  const missing = parsed.values.project.find((folder) => !existsSync(folder));
  if (missing !== undefined) refuse(`There is no folder ${missing}.`);
  return parsed;
}

function countIn(name) {
  const count = Number(values[name]);
  return Number.isSafeInteger(count) && count > 0 ? count : refuse(`--${name} is a number from 1 on.`);
}

function refuse(why) {
  console.error(`${why}\n\n${help}`);
  process.exit(2);
}
