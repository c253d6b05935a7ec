/** The shapes that the runtime can build, by name: the same set that the generator knows. */
import type { ShapeName } from "../../abi/plan.js";
import { calls } from "./calls.js";
import { diagnostics } from "./diagnostics.js";
import { documentSymbolsShape } from "./document-symbols.js";
import { hover } from "./hover.js";
import { json } from "./json.js";
import { locations } from "./locations.js";
import { serverStatus } from "./server-status.js";
import type { Shape } from "./shape.js";
import { text } from "./text.js";
import { workspaceSymbolsShape } from "./workspace-symbols.js";

/** Every shape by its name. */
export const runtimeShapes: { readonly [shape in ShapeName]?: Shape } = {
  locations,
  document_symbols: documentSymbolsShape,
  workspace_symbols: workspaceSymbolsShape,
  hover,
  calls,
  diagnostics,
  text,
  json,
  server_status: serverStatus,
};
