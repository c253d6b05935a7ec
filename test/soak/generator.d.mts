export function generator(from: number): () => number;
