/** For `serve` on stdio: switches to the project that the client's roots name, and offers to trust it. */
import { realpathSync } from "node:fs";
import { statOf } from "../base/file-stamp.js";
import { pathOfUri } from "../base/paths.js";
import type { Log } from "../lsp/types.js";
import type { SwitchProject, TrustOffer } from "../mcp/trust-question.js";
import type { Input, Io } from "./command.js";
import { type Loaded, loadFrom } from "./open.js";
import type { ServedConfig } from "./served-config.js";
import { trustOffer } from "./trust-offer.js";
import { isOutsideProjects } from "./workspace.js";

/** The offer of trust; undefined if no config was found in the workspace. */
export function trustOfferFor(
  { found, refusal }: Pick<Loaded, "found" | "refusal">,
  config: ServedConfig,
  io: Io,
  log: Log,
): TrustOffer | undefined {
  return found === undefined
    ? undefined
    : trustOffer(found, refusal !== undefined, () => config.reload(), io, log);
}

/**
 * Switches to the project of the client's first root. Undefined if the command line or the current folder already chose
 * one: editors often start programs in the home folder.
 */
export function projectSwitch(
  config: ServedConfig,
  input: Input,
  io: Io,
  log: Log,
): SwitchProject | undefined {
  if (!isOutsideProjects(input, io)) return undefined;
  return async (roots) => {
    const folders = roots.flatMap((uri) => pathOfUri(uri) ?? []);
    const cwd = folders.find((path) => statOf(path)?.isDirectory());
    if (cwd === undefined) return undefined;
    const there = { ...io, cwd: realpathSync.native(cwd) };
    const loaded = await config.switchTo((options) => loadFrom(input, there, options));
    if (loaded === undefined) {
      log("error", "the config of the client's root has problems", { folder: cwd });
      return undefined;
    }
    log("info", "the client's root is served", { folder: there.cwd });
    return { trust: trustOfferFor(loaded, config, there, log) };
  };
}
