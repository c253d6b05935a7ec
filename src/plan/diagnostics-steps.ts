/** Steps of kind `diagnostics`: about a document or about the workspace, and known before something is made of them. */
import type { Anchor, ShapeName, StepPlan } from "../abi/plan.js";
import type { Report } from "./report.js";
import { pointingAnchors } from "./requests.js";

/** Notes diagnostics that cannot be asked for, and parameters that need some which nobody asked for. */
export function checkDiagnostics(
  steps: readonly StepPlan[],
  input: readonly Anchor[],
  shape: ShapeName,
  pointerOf: (index: number) => string,
  report: Report,
): void {
  const asked = steps.findIndex((step) => step.kind === "diagnostics");
  const isWorkspace = pointingAnchors(input).includes("workspace");
  if (asked >= 0 && isWorkspace && shape !== "workspace_diagnostics")
    report.add(
      "plan/base-needs-anchor",
      pointerOf(asked),
      "A step of kind `diagnostics` asks about a document.",
      { fix: 'Use `input = "document"`, or the shape `workspace_diagnostics`.' },
    );
  if (asked >= 0 && shape === "workspace_diagnostics" && pointingAnchors(input).some(isNarrower))
    report.add(
      "plan/base-needs-anchor",
      pointerOf(asked),
      "The shape `workspace_diagnostics` tells of the whole workspace.",
      { fix: 'Use `input = "workspace"`, or the shape `diagnostics`.' },
    );
  steps.forEach((step, index) => {
    const needs = step.kind === "request" && step.params.base === "text_document_range_diagnostics";
    if (needs && (asked < 0 || asked > index))
      report.add(
        "plan/bad-step",
        `${pointerOf(index)}/params`,
        "The base `text_document_range_diagnostics` needs a step of kind `diagnostics` before it.",
        { fix: 'Add a step with `kind = "diagnostics"`, or use `text_document_range`.' },
      );
  });
}

function isNarrower(anchor: Anchor): boolean {
  return anchor !== "workspace";
}
