/** A pure function of two values that never change, worked out once for each pair; what it gives must not be changed. */
export function madeOnce<A extends object, B extends object, T>(make: (a: A, b: B) => T): (a: A, b: B) => T {
  const made = new WeakMap<A, WeakMap<B, { value: T }>>();
  return (a, b) => {
    const ofA = made.get(a) ?? new WeakMap<B, { value: T }>();
    made.set(a, ofA);
    const known = ofA.get(b) ?? { value: make(a, b) };
    ofA.set(b, known);
    return known.value;
  };
}
