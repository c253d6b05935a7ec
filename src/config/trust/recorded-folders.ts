/** The folders on the record of trust. Separate, so that every command can look at them without config code. */
import { readRegularFile } from "../../base/guarded-open.js";
import { isTable } from "../../base/json.js";

const MAX_BYTES = 8_388_608;

/** Their real paths; none where the record is damaged, which every reader that grants something reports. */
export function recordedFolders(file: string): string[] {
  try {
    const record: unknown = JSON.parse(readRegularFile(file, MAX_BYTES)?.bytes.toString("utf8") ?? "null");
    const folders = isTable(record) ? record.folders : undefined;
    return Array.isArray(folders) ? folders.filter((folder) => typeof folder === "string") : [];
  } catch {
    return [];
  }
}
