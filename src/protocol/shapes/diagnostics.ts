/** Diagnostics of a file: path, <range>, severity, code?, source?, message; beside them status and why?. */
import type { DialectPlan } from "../../abi/plan.js";
import { severities } from "../kinds.js";
import { closed, documentFields, type Fields, joinFields, spanFields } from "../spelling.js";
import { optional, required, type ShapeFacts, text } from "./facts.js";

/** What one diagnostic says, but for its file. */
export function diagnosticFields(dialect: DialectPlan): Fields {
  return joinFields(
    spanFields(dialect),
    required({ severity: { enum: [...severities] } }),
    optional({ code: text, source: text }),
    required({ message: text }),
  );
}

/** What is known: found, clean, or unknown and why. */
export const diagnosticsStatus: Fields = joinFields(
  required({ status: { enum: ["diagnostics", "clean", "unknown"] } }),
  optional({ why: text }),
);

/** The facts of `diagnostics`. */
export const diagnosticsFacts: ShapeFacts = {
  description: "Errors and warnings, with what is known: `diagnostics`, `clean` or `unknown`.",
  list: "diagnostics",
  counted: true,
  order: ["document", "range", "severity", "code", "source", "message"],
  item: (dialect) => closed(joinFields(documentFields(dialect), diagnosticFields(dialect))),
  beside: () => diagnosticsStatus,
};
