/** Shapes of diagnostics, of one file and of the workspace. */
import type { DialectPlan, OutputPlan } from "../../abi/plan.js";
import { documentFields, spanFields } from "../dialect-format.js";
import { severities } from "../kinds.js";
import { closed, count, type Fields, joinFields, none, optional, required, text } from "../schema-fields.js";
import type { ShapeFacts } from "./facts.js";

/** The members of one diagnostic, without its file. */
export function diagnosticFields(dialect: DialectPlan): Fields {
  return joinFields(
    spanFields(dialect),
    required({ severity: { enum: [...severities] } }),
    optional({ code: text, source: text }),
    required({ message: text }),
  );
}

/** Whether diagnostics were found, there are none, or it is unknown and why. */
const diagnosticsStatus: Fields = joinFields(
  required({ status: { enum: ["diagnostics", "clean", "unknown"] } }),
  optional({ why: text }),
);

/** The number of items that the tool's filter left out. */
export function hiddenCount({ filter }: OutputPlan): Fields {
  return filter === null ? none : required({ hidden: count });
}

/** Diagnostics of one file. */
export const diagnosticsFacts: ShapeFacts = {
  list: "diagnostics",
  counted: true,
  order: ["document", "range", "severity", "code", "source", "message"],
  item: (dialect) => closed(documentFields(dialect), diagnosticFields(dialect)),
  otherMembers: (_dialect, output) => joinFields(diagnosticsStatus, hiddenCount(output)),
};

/** Diagnostics of the workspace by file, at most 200 per file by default. */
export const workspaceDiagnosticsFacts: ShapeFacts = {
  list: "files",
  counted: true,
  identified: "diagnostics",
  order: ["document"],
  item: (dialect) =>
    closed(
      documentFields(dialect),
      required({
        total: count,
        diagnostics: { type: "array", items: closed(diagnosticFields(dialect)) },
      }),
    ),
  otherMembers: () => diagnosticsStatus,
};
