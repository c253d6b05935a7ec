/** How much of a workspace is watched, and by what. */
import { type OpenWatchSource, openWatchSource } from "./watch-source.js";

export interface WatchOptions {
  /** Most files that git does not ignore. */
  files: number;
  /** Most files and folders that git ignores. */
  ignoredFiles: number;
  ignoredFolders: number;
  /** How many recently shown files are stat-ed before a question. */
  shownFiles: number;
  /** How long a check waits for ignored folders that are read for the first time. */
  ignoredWaitMs: number;
  /** The shortest pause between two background scans of folders without events. */
  rescanMs: number;
  openEvents: OpenWatchSource;
}

export const defaultWatchOptions: WatchOptions = {
  files: 100_000,
  ignoredFiles: 60_000,
  ignoredFolders: 12_000,
  shownFiles: 48,
  ignoredWaitMs: 100,
  rescanMs: 2_000,
  openEvents: openWatchSource,
};
