/** What both soaks share: how long, and chance that can be repeated with the `SOAK_SEED` that a failing run prints. */

/** Rounds of a soak; `npm run soak` makes it long. */
export const rounds = Number(process.env.SOAK_ROUNDS ?? 40);

export const seed = Number(process.env.SOAK_SEED ?? Math.floor(Math.random() * 2 ** 31));

/** Mulberry32: a small generator, so that a failing run can be repeated. */
export function generator(from: number): () => number {
  let state = from;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
