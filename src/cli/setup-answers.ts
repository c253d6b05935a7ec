/** The last step of `setup`: starts each server and asks it about a file of the workspace. */
import { relative } from "node:path";
import { ConfigError } from "../base/problem.js";
import { plural } from "../base/words.js";
import { claimsOf, type Proposal } from "../config/catalogue/detect.js";
import { readinessText } from "../lsp/server-status.js";
import { Input, type Io } from "./command.js";
import { type Compiled, compile } from "./compile.js";
import { checkServers, type Report } from "./doctor-servers.js";
import { type Found, languagesText } from "./files/config-text.js";

/** Starts each server and asks it about a file. Returns how many answered. */
export async function answerStep(
  wanted: readonly Proposal[],
  found: Found,
  input: Input,
  io: Io,
  report: Report,
): Promise<number> {
  const compiled = await compiledOr(input, io, report);
  if (compiled === undefined) return 0;
  const { plan, loaded, isScanned } = compiled;
  const problems: Report = (_area, state, text, fix) => {
    if (state === "problem" || state === "warning") report("answer", state, text, fix);
  };
  const trials = await checkServers(
    compiled,
    new Input({ workspace: input.text("workspace") }),
    io,
    problems,
  );
  let answers = 0;
  for (const { id, file, answer, answerMs, readiness, failure } of trials) {
    if (failure !== null || file === null) continue;
    const doubt = readiness === null || readiness === "ready" ? "" : `; ${readinessText(readiness)}`;
    const text = `${id}: ${answer} in ${relative(loaded.base, file)} (${answerMs} ms)${doubt}`;
    if (answer === null || answer.startsWith("diagnostics unknown")) {
      report("answer", "problem", text, "`lsp-proxy doctor` shows more.");
      continue;
    }
    answers += 1;
    if (answer !== "0 symbols") report("answer", "ok", text);
    else report("answer", "warning", text, "Ask it about a file with more in it: `lsp-proxy call`.");
  }
  if (!isScanned) reportUnserved(wanted, found, plan.servers.flatMap(claimsOf), report);
  return answers;
}

/** Names the languages that the config leaves out. Where it lists no servers, the installation has reported what is missing. */
function reportUnserved(wanted: readonly Proposal[], found: Found, served: string[], report: Report): void {
  for (const proposal of wanted) {
    if (proposal.claims.some((claim) => served.includes(claim))) continue;
    const text = `the config has no server for ${plural(proposal.files, "file")} of ${languagesText(found.languages(proposal))}`;
    report("answer", "note", text, `\`lsp-proxy add ${proposal.preset.id}\``);
  }
}

/** The compiled config; undefined with a report when it has problems. */
export async function compiledOr(input: Input, io: Io, report: Report): Promise<Compiled | undefined> {
  try {
    return await compile(new Input({ workspace: input.text("workspace") }), io);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const { severity, message, fix } of error.problems)
      report("config", severity === "error" ? "problem" : "warning", message, fix);
    return undefined;
  }
}
