/** What a helper opens for a test is closed after that test, whichever file the test is in. `setup.ts` sees to it. */
const cleanups: (() => Promise<void> | void)[] = [];

/** Runs after the test, last registered first. */
export function afterThis(cleanup: () => Promise<void> | void): void {
  cleanups.push(cleanup);
}

export async function cleanUp(): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
}
