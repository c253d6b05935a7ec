/** Opens the edit engine where edits are allowed. The code for edits is loaded only then. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Edits } from "../../workspace/edits/edits.js";
import type { EditsOptions } from "../../workspace/edits/types.js";
import type { Gate } from "../../workspace/gate-types.js";
import type { RuntimeContext } from "../runtime.js";
import type { SavedPreviews } from "./saved-previews.js";

export interface OpenEngine {
  edits: Edits;
  /** Previews that later processes can apply. */
  savePreviews: () => SavedPreviews;
}

/** The edit engine, where edits are allowed. First the edits of a process that died are finished or rolled back. */
export async function openEngine(
  gate: Gate,
  { stateFolder, ownFiles, log }: Pick<RuntimeContext, "stateFolder" | "ownFiles" | "log">,
  isAllowed: boolean,
): Promise<OpenEngine | undefined> {
  // Nobody has edited here, and nobody may: no code for edits is loaded.
  if (!isAllowed && !existsSync(join(stateFolder, "edits"))) return undefined;
  const { openEdits, recoverEdits, SavedPreviews } = await import("./index.js");
  const options: EditsOptions = {
    gate,
    stateFolder,
    ownFiles,
    recovered: ({ outcome, reasons }) =>
      log(outcome === "conflict" ? "warn" : "info", "an edit of a process that died", {
        outcome,
        reasons: reasons.map(({ path, message }) => `${path} ${message}`),
      }),
  };
  if (!isAllowed) {
    await recoverEdits(options);
    return undefined;
  }
  return {
    edits: await openEdits(options),
    savePreviews: () => new SavedPreviews(stateFolder, gate.roots[0] ?? ""),
  };
}
