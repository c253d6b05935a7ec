/** Where the programs of a plan are looked for, as the runtime will look for them. */
import { resolve } from "node:path";
import type { Plan } from "../../abi/plan.js";
import { diskFiles } from "../../config/files.js";
import type { ProgramContext } from "../../lsp/process/program.js";
import type { Surroundings } from "../command.js";

/** The context of a plan that would run from `base`. */
export function programContext(
  { workspace }: Plan,
  base: string,
  { binFolders, avoid }: Pick<ProgramContext, "binFolders" | "avoid">,
  { env }: Surroundings,
): ProgramContext {
  return {
    roots: workspace.roots.map((root) => diskFiles.realpath(resolve(base, root))),
    base,
    binFolders,
    avoid,
    env,
  };
}
