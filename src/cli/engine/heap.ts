/**
 * The heap of a program that runs all day beside an editor. Left alone, V8 lets garbage grow to three times what is alive and
 * makes its nursery 32 MB large, because nobody else seems to want the memory. Only while a large message is taken apart it may.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { largeMessages } from "../../base/large-messages.js";
import { byItself, Nursery, type NurserySize } from "./nursery.js";

/** From this size on a message gets more memory for a while: all of it is alive until its answer is made. */
const LARGE_BYTES = 512 * 1024;
/** How long after the last of them; the answer is made by then. */
const ROOM_MS = 3_000;

/** Garbage is searched for from then on: while a program starts, that would only take its time. */
const START_MS = 1_000;

/**
 * From now on the nursery is kept at this size, and garbage is collected at a third of what is alive, or at the 8 MB that V8
 * allows at least.
 */
export function holdHeap({ bytes, collectedAt }: NurserySize): void {
  const nursery = new Nursery(bytes);
  // Not earlier: code that was compiled under other flags is refused, and compiled again.
  hold(nursery, collectedAt);
  let timer: NodeJS.Timeout | undefined;
  setTimeout(() => {
    nursery.keep();
    if (timer === undefined) searchEarly();
  }, START_MS).unref();
  largeMessages.subscribe((size) => {
    if (Number(size) < LARGE_BYTES) return;
    if (timer === undefined) giveRoom(nursery);
    clearTimeout(timer);
    timer = setTimeout(() => {
      timer = undefined;
      hold(nursery, collectedAt);
      searchEarly();
      giveBack();
    }, ROOM_MS).unref();
  });
}

function hold(nursery: Nursery, collectedAt: number): void {
  nursery.hold();
  // Helpers are woken, and waited for, for longer than the few megabytes take one thread.
  setFlagsFromString("--no-parallel-scavenge");
  setFlagsFromString("--heap-growing-percent=30");
  collectBetweenTurns(collectedAt);
}

/**
 * When so much of the nursery's used half is full, in percent, garbage is collected in the next turn of the event loop: an answer
 * that is made in one turn is on its way by then, and little of what it was made of is still alive. Within a turn V8 collects when the half is full.
 */
function collectBetweenTurns(percent: number): void {
  setFlagsFromString(`--minor-gc-task-trigger=${percent}`);
}

/** V8's bound is never less than 8 MB more than what is alive; its search for garbage begins at 30 % of the way there. */
function searchEarly(): void {
  setFlagsFromString("--incremental-marking-soft-trigger=30");
  setFlagsFromString("--incremental-marking-hard-trigger=60");
}

/** As V8 has it by itself. */
function giveRoom(nursery: Nursery): void {
  nursery.free();
  setFlagsFromString("--parallel-scavenge");
  collectBetweenTurns(byItself);
  setFlagsFromString("--heap-growing-percent=0");
  setFlagsFromString("--incremental-marking-soft-trigger=0");
  setFlagsFromString("--incremental-marking-hard-trigger=0");
}

/** Collects what has grown meanwhile: V8 sets its bounds anew only then, and would wait until the old ones are reached. */
function giveBack(): void {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("globalThis.gc");
  setFlagsFromString("--no-expose-gc");
  if (typeof collect === "function") collect();
}
