/** Runs in each file of tests. A helper is loaded once for several files, so it has no hooks of its own. */
import { afterEach } from "vitest";
import { cleanUp } from "./after-this.js";

afterEach(cleanUp);
