/** The questions that `verify` asks a server about a sample, through the tools of the plan, and how answers are judged. */
import { basename, extname } from "node:path";
import type { Plan, ToolPlan } from "../../abi/plan.js";
import { isTable, type JsonObject } from "../../base/json.js";
import { methods } from "../../protocol/methods.js";
import type { Session } from "../../runtime/session.js";
import { plural } from "../terminal/text.js";
import type { Sample, SamplePlace } from "./sample.js";

export interface ProbeResult {
  probe: string;
  /** `right` was checked against the sample; `answered` could not be checked. */
  outcome: "right" | "answered" | "empty" | "wrong" | "refused" | "not offered" | "not asked";
  ms: number;
  note: string;
}

type Verdict = Pick<ProbeResult, "outcome" | "note">;

interface Probe {
  name: string;
  /** The LSP method, or `diagnostics`. */
  method: string;
  /** The tool's arguments, or null when the sample does not have this question. */
  args(sample: Sample, args: Arguments): JsonObject | null;
  judge(answer: JsonObject, sample: Sample): Verdict;
}

/** How long a question is repeated while a server indexes. */
const RETRY_MS = 60_000;

type Arguments = ReturnType<typeof argumentsOf>;

const probes: readonly Probe[] = [
  {
    name: "definition",
    method: "textDocument/definition",
    args: ({ ask }, args) => ask && args.at(ask),
    judge: (answer, { expect }) => placed(answer.locations, expect),
  },
  {
    name: "references",
    method: "textDocument/references",
    args: ({ ask, expect }, args) => expect && ask && args.at(ask),
    judge: (answer, { ask }) => placed(answer.locations, ask),
  },
  {
    name: "hover",
    method: "textDocument/hover",
    args: ({ ask }, args) => ask && args.at(ask),
    judge: ({ contents }, { ask, files }) => {
      const found = counted(contents, "part");
      const word = ask === null ? "" : wordAt(files[ask.file] ?? "", ask);
      const isOfIt = word !== "" && JSON.stringify(contents ?? null).includes(word);
      return isOfIt ? { ...found, outcome: "right" } : found;
    },
  },
  {
    name: "symbols",
    method: "textDocument/documentSymbol",
    args: ({ expect, ask, broken, files }, args) => {
      const own = Object.keys(files).find((file) => file !== broken?.file && args.isServed(file));
      // A file of another language is served by another server.
      const same =
        expect && (ask === null || extname(expect.file) === extname(ask.file)) ? expect.file : undefined;
      const file = [same, ask?.file, own].find((name) => name !== undefined && args.isServed(name));
      return file === undefined ? null : args.of(file);
    },
    judge: ({ symbols, document }, { expect }) => {
      const isThere = isTable(document) && document.path === expect?.file;
      return onLine(symbols, isThere ? (expect?.line ?? null) : null, counted(symbols, "symbol"));
    },
  },
  {
    name: "completion",
    method: "textDocument/completion",
    args: ({ ask }, args) => ask && args.at(ask),
    judge: ({ completions }) => counted(completions, "completion"),
  },
  {
    name: "diagnostics",
    method: "diagnostics",
    args: ({ broken }, args) => (broken === null ? null : args.of(broken.file)),
    judge: ({ diagnostics, status }, { broken }) =>
      status === "unknown"
        ? { outcome: "empty", note: "unknown" }
        : onLine(diagnostics, broken?.line ?? null, counted(diagnostics, "diagnostic")),
  },
];

/** Asks all questions of the sample, in order. */
export async function runProbes(
  session: Session,
  plan: Plan,
  sample: Sample,
  signal: AbortSignal,
): Promise<ProbeResult[]> {
  const dialect = argumentsOf(plan);
  const results: ProbeResult[] = [];
  for (const probe of probes) {
    const tool = toolFor(probe.method, plan);
    const args = probe.args(sample, dialect);
    if (tool === undefined || args === null) {
      results.push({ probe: probe.name, outcome: "not asked", ms: 0, note: "" });
      continue;
    }
    const began = performance.now();
    const ask = async () => {
      const answer = await session.call(tool.name, args, { signal });
      const judged = answer.isError ? refused(answer.structured) : probe.judge(answer.structured, sample);
      const isLate = judged.note === "lsp/timeout";
      return { ...judged, isEarly: isLate || answer.structured.readiness === "indexing" };
    };
    let { isEarly, ...judged } = await ask();
    // A server that is still starting or indexing is asked again.
    const isOpen = () => judged.outcome === "empty" || judged.outcome === "refused";
    while (isOpen() && isEarly && performance.now() - began < RETRY_MS)
      ({ isEarly, ...judged } = await ask());
    results.push({ probe: probe.name, ms: Math.round(performance.now() - began), ...judged });
  }
  return results;
}

/** Corrects empty results of features that the server does not offer. */
export function asOffered(results: readonly ProbeResult[], features: readonly string[]): ProbeResult[] {
  const offered = new Set(features);
  return results.map((result) => {
    const method = probes.find(({ name }) => name === result.probe)?.method ?? "";
    const feature = methods[method]?.feature;
    const isLacking = result.outcome === "empty" && feature !== undefined && !offered.has(feature);
    return isLacking ? { ...result, outcome: "not offered" } : result;
  });
}

/** The read tool whose only step, or else first step, uses the method. */
function toolFor(method: string, { tools }: Plan): ToolPlan | undefined {
  const asking = tools.filter(({ effect, steps: [first] }) => {
    if (effect !== "read" || first === undefined) return false;
    return first.kind === "diagnostics"
      ? method === "diagnostics"
      : first.kind === "request" && first.method === method;
  });
  return asking.find(({ steps, input }) => steps.length === 1 && !input.includes("workspace")) ?? asking[0];
}

/** Builds tool arguments with the field names of the plan's dialect. */
function argumentsOf({ dialect, servers }: Plan) {
  const { document, position } = dialect;
  const isServed = (file: string) =>
    servers.some(
      ({ extensions, filenames, globs }) =>
        extensions.some((extension) => file.toLowerCase().endsWith(`.${extension}`)) ||
        filenames.includes(basename(file)) ||
        globs.length > 0,
    );
  const of = (file: string): JsonObject => ({ [document.field]: file });
  return {
    of,
    isServed,
    at: ({ file, line, character }: SamplePlace): JsonObject => ({
      ...of(file),
      [position.line]: line,
      [position.character]: character,
    }),
  };
}

function placed(list: unknown, expected: SamplePlace | null): Verdict {
  const found = counted(list, "place");
  if (found.outcome === "empty" || expected === null) return found;
  const places = (Array.isArray(list) ? list : []).filter(isTable);
  // A server may return the name or the whole declaration, so only the line is compared.
  const isThere = places.some(({ path, line }) => path === expected.file && line === expected.line);
  if (isThere) return { outcome: "right", note: found.note };
  const [first] = places;
  return { outcome: "wrong", note: `${String(first?.path)}:${String(first?.line)}` };
}

/** `right` when one of the items begins on that line. */
function onLine(list: unknown, line: number | null, found: Verdict): Verdict {
  const isThere = (Array.isArray(list) ? list : []).some((item) => isTable(item) && item.line === line);
  return line !== null && isThere ? { ...found, outcome: "right" } : found;
}

/** The identifier at a place. */
function wordAt(text: string, { line, character }: SamplePlace): string {
  const characters = [...(text.split("\n")[line - 1] ?? "")];
  const before = /[\p{L}\p{N}_$-]*$/u.exec(characters.slice(0, character - 1).join(""))?.[0] ?? "";
  return before + (/^[\p{L}\p{N}_$-]*/u.exec(characters.slice(character - 1).join(""))?.[0] ?? "");
}

function counted(list: unknown, what: string): Verdict {
  const count = Array.isArray(list) ? list.length : typeof list === "string" && list !== "" ? 1 : 0;
  return count === 0 ? { outcome: "empty", note: "" } : { outcome: "answered", note: plural(count, what) };
}

function refused({ error }: JsonObject): Verdict {
  const code = isTable(error) ? String(error.code) : "";
  return code === "lsp/not-supported"
    ? { outcome: "not offered", note: "" }
    : { outcome: "refused", note: code };
}
