/** Diagnostics by file: path, total, diagnostics: [<range>, severity, code?, source?, message]; beside them status, why?. */
import { closed, documentFields, joinFields } from "../spelling.js";
import { diagnosticFields, diagnosticsStatus } from "./diagnostics.js";
import { required, type ShapeFacts } from "./facts.js";

/** The facts of `workspace_diagnostics`. */
export const workspaceDiagnosticsFacts: ShapeFacts = {
  description: "Errors and warnings of the workspace, file by file, at most 200 of each.",
  list: "files",
  counted: true,
  identified: "diagnostics",
  order: ["document"],
  item: (dialect) =>
    closed(
      joinFields(
        documentFields(dialect),
        required({
          total: { type: "integer", minimum: 0 },
          diagnostics: { type: "array", items: closed(diagnosticFields(dialect)) },
        }),
      ),
    ),
  beside: () => diagnosticsStatus,
};
