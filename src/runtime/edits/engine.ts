/** The engine of a call. */
import { Fault } from "../../base/problem.js";
import type { Edits } from "../../workspace/edits/types.js";
import type { CallState } from "../call-state.js";

/** The engine; a tool that edits is not listed where there is none. */
export function editsOf({ edits }: CallState): Edits {
  if (edits === undefined) throw new Fault("an edit was asked for in a runtime that does not edit");
  return edits;
}
