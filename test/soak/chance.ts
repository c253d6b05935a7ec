/** What all soaks share: how long, and chance that can be repeated with the `SOAK_SEED` that a failing run prints. */
export { generator } from "./generator.mjs";

/** Rounds of a soak; `npm run soak` makes it long. */
export const rounds = Number(process.env.SOAK_ROUNDS ?? 40);

export const seed = Number(process.env.SOAK_SEED ?? Math.floor(Math.random() * 2 ** 31));
