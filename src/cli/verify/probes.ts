/**
 * The questions that `verify` asks a server about a sample, through the tools of the plan, and how answers are judged.
 */
import { basename, extname } from "node:path";
import type { Plan, ToolPlan } from "../../abi/plan.js";
import { isTable, type JsonObject } from "../../base/json.js";
import { plural } from "../../base/words.js";
import { methods } from "../../protocol/methods.js";
import type { Session } from "../../runtime/session.js";
import type { Sample, SamplePlace } from "./sample.js";

export interface ProbeResult {
  probe: string;
  /** `right` was checked against the sample; `answered` could not be checked. */
  outcome: "right" | "answered" | "empty" | "wrong" | "refused" | "not offered" | "not asked";
  ms: number;
  note: string;
}

type Verdict = Pick<ProbeResult, "outcome" | "note">;

/** How long a question is repeated while a server indexes. */
const RETRY_MS = 60_000;

/** The LSP method of each probe, or `diagnostics`. */
const methodOf: { readonly [probe: string]: string } = {
  definition: "textDocument/definition",
  references: "textDocument/references",
  hover: "textDocument/hover",
  symbols: "textDocument/documentSymbol",
  completion: "textDocument/completion",
  diagnostics: "diagnostics",
};

interface Question {
  probe: string;
  /** The tool's arguments, or null when the sample does not have this question. */
  args: JsonObject | null;
  judge(answer: JsonObject): Verdict;
}

function questionsOf({ ask, expect, broken, files }: Sample, { dialect, servers }: Plan): Question[] {
  const inFile = (file: string): JsonObject => ({ [dialect.document.field]: file });
  const { line, character } = dialect.position;
  const atAsk = ask && { ...inFile(ask.file), [line]: ask.line, [character]: ask.character };
  const word = ask === null ? "" : wordAt(files[ask.file] ?? "", ask);
  const own = Object.keys(files).filter((file) => file !== broken?.file);
  // A file of another language is served by another server.
  const isSame = expect && (ask === null || extname(expect.file) === extname(ask.file));
  const listed = [isSame ? expect.file : [], ask?.file ?? [], own]
    .flat()
    .find((file) => isServed(file, servers));
  return [
    { probe: "definition", args: atAsk, judge: ({ locations }) => placed(locations, expect) },
    { probe: "references", args: expect && atAsk, judge: ({ locations }) => placed(locations, ask) },
    {
      probe: "hover",
      args: atAsk,
      judge: ({ contents }) => {
        const found = counted(contents, "part");
        const isOfIt = word !== "" && JSON.stringify(contents ?? null).includes(word);
        return isOfIt ? { ...found, outcome: "right" } : found;
      },
    },
    {
      probe: "symbols",
      args: listed === undefined ? null : inFile(listed),
      judge: ({ symbols, document }) => {
        const isThere = isTable(document) && document.path === expect?.file;
        return onLine(symbols, isThere ? (expect?.line ?? null) : null, counted(symbols, "symbol"));
      },
    },
    { probe: "completion", args: atAsk, judge: ({ completions }) => counted(completions, "completion") },
    {
      probe: "diagnostics",
      args: broken && inFile(broken.file),
      judge: ({ diagnostics, status }) =>
        status === "unknown"
          ? { outcome: "empty", note: "unknown" }
          : onLine(diagnostics, broken?.line ?? null, counted(diagnostics, "diagnostic")),
    },
  ];
}

function isServed(file: string, servers: Plan["servers"]): boolean {
  return servers.some(
    ({ extensions, filenames, globs }) =>
      extensions.some((extension) => file.toLowerCase().endsWith(`.${extension}`)) ||
      filenames.includes(basename(file)) ||
      globs.length > 0,
  );
}

export async function runProbes(session: Session, plan: Plan, sample: Sample, signal: AbortSignal) {
  const results: ProbeResult[] = [];
  for (const { probe, args, judge } of questionsOf(sample, plan)) {
    const tool = toolFor(methodOf[probe] ?? "", plan);
    if (tool === undefined || args === null) {
      results.push({ probe, outcome: "not asked", ms: 0, note: "" });
      continue;
    }
    const began = performance.now();
    for (;;) {
      const { isError, structured } = await session.call(tool.name, args, { signal });
      const verdict = isError ? refused(structured) : judge(structured);
      const ms = Math.round(performance.now() - began);
      // A server that is still starting or indexing is asked again.
      const isEarly = verdict.note === "lsp/timeout" || structured.readiness === "indexing";
      const isOpen = verdict.outcome === "empty" || verdict.outcome === "refused";
      if (isOpen && isEarly && ms < RETRY_MS) continue;
      results.push({ probe, ms, ...verdict });
      break;
    }
  }
  return results;
}

/** Corrects empty results of features that the server does not offer. */
export function withoutMissingFeatures(
  results: readonly ProbeResult[],
  features: readonly string[],
): ProbeResult[] {
  const offered = new Set(features);
  return results.map((result) => {
    const feature = methods[methodOf[result.probe] ?? ""]?.feature;
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

function onLine(list: unknown, line: number | null, found: Verdict): Verdict {
  const isThere = (Array.isArray(list) ? list : []).some((item) => isTable(item) && item.line === line);
  return line !== null && isThere ? { ...found, outcome: "right" } : found;
}

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
