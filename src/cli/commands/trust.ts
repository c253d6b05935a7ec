/** `trust`: records that a person has read a workspace's config, or that its node_modules may be run. */
import { homedir } from "node:os";
import { diskFiles } from "../../config/files.js";
import { openTrust } from "../../config/trust.js";
import { type Command, exitCodes, isOn } from "../command.js";
import { workspaceOf } from "../compile.js";

void [homedir, diskFiles, openTrust, exitCodes, isOn, workspaceOf];
export const trust = undefined as unknown as Command;
