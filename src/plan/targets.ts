/** Finds a tool's `target` argument, and builds its own names and descriptions of pointing arguments. */
import type { Anchor, PlaceType, ToolPlan } from "../abi/plan.js";
import { sortedKeys } from "../base/order.js";
import type { ToolConfig } from "../config/schema.js";
import { isPlaceType } from "../protocol/place-arguments.js";
import { quoted, type Report } from "./report.js";

const anchorOf: { readonly [type in PlaceType]: Anchor } = {
  path: "document",
  uri: "document",
  position: "position",
  range: "range",
  symbol: "symbol",
  item: "position",
};

/** The argument that the call points at, and everything that a call may then point at. */
export function buildTarget(
  tool: ToolConfig,
  input: readonly Anchor[],
  report: Report,
): { target: string | null; anchors: Anchor[] } {
  const at = report.at("args");
  const places = Object.entries(tool.args ?? {}).flatMap(([name, arg]) =>
    isPlaceType(arg.type) ? [{ name, arg, anchor: anchorOf[arg.type] }] : [],
  );
  const targets = places.filter(({ arg }) => arg.target === true);
  const [first, second] = targets;
  if (second !== undefined)
    at.at(second.name).add("plan/bad-tool", "A call points at one argument only.", "Remove one `target`.");
  const isInFile = input.some((anchor) => anchor !== "workspace" && anchor !== "query");
  for (const { name, arg } of places)
    if (arg.of === "document" && !isInFile)
      at.at(name, "of").add(
        "plan/bad-tool",
        `\`${name}\` is in the file that the call points at, and \`input\` points at none.`,
        'Set `input = "document"`.',
      );
  if (first === undefined) return { target: null, anchors: [...input] };
  const isWithin = first.arg.of === "document";
  const isOptional = first.arg.required === false;
  const isFree = isWithin
    ? input.length === 1 && input[0] === "document"
    : isOptional || tool.input === undefined;
  if (!isFree)
    at.at(first.name, "target").add(
      "plan/bad-tool",
      `The call points at \`${first.name}\` and by ${quoted(input)}.`,
      isWithin ? 'Set `input = "document"`.' : "Remove `input`, or set `required = false`.",
    );
  if ((first.arg.exists ?? true) !== true)
    at.at(first.name, "exists").add(
      "plan/bad-tool",
      "A call can only point at a file that exists.",
      "Remove it.",
    );
  const rest: Anchor[] = isOptional ? [...input] : [];
  return { target: first.name, anchors: [first.anchor, ...rest] };
}

/** The names and descriptions that a tool gives to pointing arguments; `known` are the dialect's names. */
export function buildPointing(
  { pointing = {} }: ToolConfig,
  known: readonly string[],
  taken: readonly string[],
  report: Report,
): ToolPlan["pointing"] {
  const names = Object.values(pointing).flatMap(({ name }) => name ?? []);
  for (const [field, { name }] of Object.entries(pointing)) {
    if (!known.includes(field))
      report.at(field).unknown("plan/bad-tool", "The pointing argument", field, known);
    if (name !== undefined && (taken.includes(name) || names.filter((other) => other === name).length > 1))
      report
        .at(field, "name")
        .add("plan/bad-tool", `Two arguments are called \`${name}\`.`, "Rename one of them.");
  }
  const plan: ToolPlan["pointing"] = {};
  for (const field of sortedKeys(pointing))
    plan[field] = { name: pointing[field]?.name ?? null, description: pointing[field]?.description ?? null };
  return plan;
}
