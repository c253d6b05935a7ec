/** The offer to trust the workspace, for a session of `serve`: the question that the client shows, and what a yes does. */
import { realpathSync } from "node:fs";
import { escapeLine } from "../base/hidden-characters.js";
import { ConfigError } from "../base/problem.js";
import { trustCommand } from "../lsp/process/trusted.js";
import type { Log } from "../lsp/types.js";
import type { TrustOffer } from "../mcp/trust-question.js";
import type { Io } from "./command.js";
import { grantLines, inspectTrust, recordTrust } from "./trust-workspace.js";

/** A longer question is not asked: the user could not see all that the trust allows. */
const MAX_QUESTION_CHARS = 8_000;

/** The offer for a workspace; after a yes, `reload` uses its config in this session and says whether it could. */
export function trustOffer(
  workspace: string,
  isRefused: boolean,
  reload: () => Promise<boolean>,
  io: Io,
  log: Log,
): TrustOffer {
  const commands = [trustCommand(), trustCommand(workspace), trustCommand(realpathSync.native(workspace))];
  const unlessConfigError = <T>(work: () => T): T | undefined => {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      log("warn", "the workspace cannot be trusted as it is", { cause: error.message });
      return undefined;
    }
  };
  return {
    isRefused,
    covers: (command) => commands.includes(command),
    question() {
      const state = unlessConfigError(() => inspectTrust(workspace, io));
      const lines = state && unlessConfigError(() => grantLines(state));
      if (state === undefined || lines === undefined) return undefined;
      const message = ["lsp-proxy asks: do you trust this workspace?", ...lines].map(escapeLine).join("\n");
      if (message.length > MAX_QUESTION_CHARS) return undefined;
      return {
        message,
        async grant() {
          try {
            await recordTrust(state, io);
            return await reload();
          } catch (error) {
            log("warn", "the workspace was not trusted", { cause: String(error) });
            return false;
          }
        },
      };
    },
  };
}
