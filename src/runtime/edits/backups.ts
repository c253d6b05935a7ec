/** The copies of old texts that a tool makes beside the files it edits: what they are called, before and when they are made. */
import type { Template } from "../../abi/plan.js";
import type { Json } from "../../base/json.js";
import type { Preview } from "../../workspace/edits/types.js";
import type { CallState } from "../call-state.js";

/** The end of the copies' names; undefined when none are made. */
export function backupSuffix(call: CallState): string | undefined {
  const { backups } = call.tool.output;
  if (backups === null || settingOf(call, backups.create) !== true) return undefined;
  const suffix = settingOf(call, backups.suffix);
  return typeof suffix === "string" ? suffix : undefined;
}

/** The copies that applying a preview would make. */
export function plannedBackups(call: CallState, { files }: Preview): string[] {
  const suffix = backupSuffix(call);
  if (suffix === undefined) return [];
  return files
    .filter(
      ({ beforeSha256: before, afterSha256: after }) => before !== null && after !== null && before !== after,
    )
    .map(({ shown }) => shown + suffix);
}

/** A value that the tool sets, or leaves to an argument. */
function settingOf({ input }: CallState, template: Template): Json | undefined {
  if (template.kind === "literal") return template.value;
  return template.kind === "ref" && template.ref.name !== null ? input[template.ref.name] : undefined;
}
