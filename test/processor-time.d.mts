export function processorMs(): number;
