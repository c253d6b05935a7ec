/**
 * The heap of a program that runs all day beside an editor. Left alone, V8 lets garbage grow to three times what is alive and
 * makes its nursery 32 MB large, because nobody else seems to want the memory.
 */
import { setFlagsFromString } from "node:v8";

/** From now on the nursery stays as large as the start has made it, and garbage is collected at half of what is alive. */
export function holdHeap(): void {
  // Not earlier: code that was compiled under other flags is refused, and compiled again.
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--heap-growing-percent=50");
}
