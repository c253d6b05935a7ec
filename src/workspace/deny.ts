/** The patterns of `workspace.deny`: whether a path is denied. */
import { GlobError, GlobList } from "../base/glob.js";
import { ConfigError } from "../base/problem.js";

/**
 * Compiles the patterns; throws a ConfigError for one that cannot be used. Case is ignored, because on some file
 * systems `.GIT` is `.git`. A path that takes too long to match counts as denied.
 */
export function compileDeny(deny: readonly string[]): GlobList {
  try {
    return new GlobList(deny, { ignoreCase: true });
  } catch (error) {
    if (!(error instanceof GlobError)) throw error;
    const message = `\`workspace.deny\` cannot be used: ${error.message}.`;
    const pointer = "/workspace/deny";
    const fix = "Use fewer or shorter patterns with `*`, `**`, `?`, `[a-z]` and `{a,b}`.";
    throw new ConfigError([{ code: "config/bad-value", severity: "error", message, pointer, fix }]);
  }
}
