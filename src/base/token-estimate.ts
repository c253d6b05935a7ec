/** The estimate of how many tokens of a model a text is. */

/** Bytes of JSON per token of a model, measured on tool lists. */
const BYTES_PER_TOKEN = 4;

export function estimatedTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}
