/** The order of the test files: those that start processes and wait for them come first, so that none of them is the last. */
import { BaseSequencer, type TestSpecification } from "vitest/node";

const slow = /\/test\/(bench|call-path|clients|cli|dashboard|docs|hub|live|mcp|release|soak)\//;

export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification) => slow.test(moduleId);
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}
