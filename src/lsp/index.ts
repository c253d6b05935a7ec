/** Language servers, as the rest of the program uses them. */
export { createPool } from "./pool.js";
export type * from "./types.js";
