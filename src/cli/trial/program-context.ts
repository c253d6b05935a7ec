/** Where the programs of a plan are looked for, as the runtime will look for them. */
import { resolve } from "node:path";
import type { Plan } from "../../abi/plan.js";
import { diskFiles } from "../../config/files.js";
import type { ProgramContext } from "../../lsp/process/program.js";
import type { Surroundings } from "../command.js";
import type { Trusting } from "../strangers.js";

/** The context of a plan that would run from `base`. */
export function programContext(
  { workspace }: Plan,
  base: string,
  { trusted, binFolders, avoid }: Trusting,
  { env }: Surroundings,
): ProgramContext {
  return {
    roots: workspace.roots.map((root) => diskFiles.realpath(resolve(base, root))),
    base,
    ...{ trusted, binFolders, avoid },
    env,
  };
}
