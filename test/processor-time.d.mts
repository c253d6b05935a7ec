export function processorMs(): number;
export function limitFor(usedMs: number, limitMs: number): number;
