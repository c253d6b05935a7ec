/** The user's own list of programs: whatever a workspace's config allows, only those in it are started. */
import { isTable } from "../../base/json.js";
import { sortedSet } from "../../base/order.js";
import { userConfigFile } from "../../config/discover.js";
import { readSource } from "../../config/text/read.js";
import { homeOf, type Surroundings } from "../command.js";
import { readUserFile } from "./user-file.js";

/** What to do about programs that the user's list lacks, in a line; nothing when it has them or there is no list. */
export function lackingText(programs: readonly string[], io: Surroundings): string {
  const file = userConfigFile(io.env, homeOf(io));
  const content = readUserFile(file);
  const allow = content === undefined ? undefined : readSource(file, content).tree.allow;
  const listed = isTable(allow) && Array.isArray(allow.commands) ? allow.commands : undefined;
  const lacking = sortedSet(programs.filter((program) => listed !== undefined && !listed.includes(program)));
  if (lacking.length === 0) return "";
  const names = lacking.map((program) => JSON.stringify(program)).join(", ");
  return `${file} has an \`allow.commands\` of its own: add ${names} to it, or they are not started here\n`;
}
