export interface Fetched {
  failure?: string;
  modules?: string;
}
export function fetch(id: string, entry: { npm: readonly string[]; scripts?: boolean }): Fetched;
