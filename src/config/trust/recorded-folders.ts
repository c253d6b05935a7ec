/** The folders on the record of trust. Separate, so that every command can look at them without the schema of the record. */
import { isTable } from "../../base/json.js";
import { diskFiles, readJson } from "../files.js";

/** Their real paths; none where the record is damaged, which every reader that grants something reports. */
export function recordedFolders(file: string): string[] {
  const result = readJson(diskFiles, file);
  const folders = "value" in result && isTable(result.value) ? result.value.folders : undefined;
  return Array.isArray(folders) ? folders.filter((folder) => typeof folder === "string") : [];
}
