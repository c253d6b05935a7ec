export const matrixFolder: string;
export const vuePackages: string[];
export function folderOf(packages: readonly string[]): string;
export const vueModules: string;
