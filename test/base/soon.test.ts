import { expect, it } from "vitest";
import { oneByOne, whenThere } from "../../src/base/soon.js";

const later = async <T>(value: T): Promise<T> => value;

it("goes on at once with what is there, and waits for what is not", async () => {
  expect(whenThere(1, (value) => value + 1)).toBe(2);
  expect(whenThere(undefined, () => "next")).toBe("next");
  const waiting = whenThere(later(1), (value) => later(value + 1));
  expect(waiting).toBeInstanceOf(Promise);
  expect(await waiting).toBe(2);
});

it("does one after the other, and waits only where it must", async () => {
  const done: number[] = [];
  const step = (item: number) => {
    if (item % 2 === 0) {
      done.push(item);
      return undefined;
    }
    return later(item).then((value) => done.push(value));
  };
  expect(oneByOne([0, 2, 4].values(), step)).toBeUndefined();
  expect(done).toEqual([0, 2, 4]);
  done.length = 0;
  const waiting = oneByOne([0, 1, 2, 3, 5, 4].values(), step);
  expect(done).toEqual([0]);
  await waiting;
  expect(done).toEqual([0, 1, 2, 3, 5, 4]);
});

it("ends with the first that fails, at once or later", async () => {
  const done: number[] = [];
  const step = (fails: () => unknown) => (item: number) => {
    done.push(item);
    return item === 2 ? fails() : undefined;
  };
  const thrown = step(() => {
    throw new Error("at once");
  });
  expect(() => oneByOne([1, 2, 3].values(), thrown)).toThrow("at once");
  const rejected = step(async () => {
    throw new Error("later");
  });
  await expect(oneByOne([1, 2, 3].values(), rejected)).rejects.toThrow("later");
  expect(done).toEqual([1, 2, 1, 2]);
});
