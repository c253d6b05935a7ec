/** The lines of a release run: one for each check, and the counts at the end. */

/** Thrown by a check that cannot run here, with the reason. */
export class Skipped extends Error {}

export class Report {
  #counts = { passed: 0, failed: 0, skipped: 0 };

  /** Runs a check and prints its line. What the check returns is the detail in it. Returns whether it passed. */
  async check(part, what, check) {
    try {
      const detail = await check();
      this.#line("passed", "ok", part, what, detail);
      return true;
    } catch (error) {
      if (error instanceof Skipped) this.#line("skipped", "skipped", part, what, error.message);
      else this.#line("failed", "FAILED", part, what, error.message);
      return error instanceof Skipped;
    }
  }

  /** Counts what went wrong outside a check. */
  failed(part, error) {
    this.#line("failed", "FAILED", part, "cannot be made", error.message);
  }

  #line(kind, word, part, what, detail) {
    this.#counts[kind]++;
    console.log(`${word} ${part}: ${what}${detail ? `: ${detail}` : ""}`);
  }

  /** Prints the counts; returns the exit code. `isComplete`: every check must have run. */
  end(isComplete) {
    const { passed, failed, skipped } = this.#counts;
    console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
    return failed > 0 || (isComplete && skipped > 0) ? 1 : 0;
  }
}
