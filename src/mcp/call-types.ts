/** Types of a session's calls. */

/** The most calls of a session at once, and the setting that says so. */
export interface CallLimit {
  readonly most: number;
  readonly setting: string;
}

export interface ProgressParams {
  [member: string]: unknown;
  progressToken: string | number;
  progress: number;
  message: string;
}
