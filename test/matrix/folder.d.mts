export const matrixFolder: string;
export function folderOf(packages: readonly string[]): string;
