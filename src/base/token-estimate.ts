/** Estimates the model tokens of a JSON text from its bytes. */

/** Measured on tool lists. */
const BYTES_PER_TOKEN = 4;

export function estimatedTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}
