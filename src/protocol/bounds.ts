/** Fixed bounds of what a tool or a call may ask for. */

/** Items that one step with `each` asks about. */
export const mostQuestions = 1000;

/** Lines before and after a place, and characters of the source text shown with it. */
export const snippetLimits = {
  contextLines: { least: 0, most: 10 },
  maxChars: { least: 40, most: 4000 },
} as const;
