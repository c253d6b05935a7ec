/** Bounds of edits. */
import type { EditLimits } from "./types.js";

/** The bounds that hold when nothing else is said. */
export const defaultEditLimits: EditLimits = {
  fileBytes: 16 << 20,
  editBytes: 128 << 20,
  editFiles: 5_000,
  diffChars: 1_000_000,
  previews: 50,
  previewBytes: 64 << 20,
  journalBytes: 256 << 20,
  journalEntries: 100,
  journalAgeMs: 7 * 24 * 3_600_000,
  lockWaitMs: 10_000,
};
