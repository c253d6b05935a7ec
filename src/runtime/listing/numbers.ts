/** Numbers in a row that grows, outside the heap that is searched for garbage. */
export class Numbers {
  /** So few that they need no memory of their own outside the heap, as most lists are. */
  #data = new Uint32Array(16);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(number: number): void {
    if (this.#length === this.#data.length) {
      const larger = new Uint32Array(2 * this.#length);
      larger.set(this.#data);
      this.#data = larger;
    }
    this.#data[this.#length++] = number;
  }

  /** The numbers as they are now; another one may move them. */
  get data(): Uint32Array {
    return this.#data.subarray(0, this.#length);
  }
}

/** 0, 1, 2 and so on. */
export function upTo(length: number): Uint32Array {
  const numbers = new Uint32Array(length);
  for (let index = 0; index < length; index++) numbers[index] = index;
  return numbers;
}
