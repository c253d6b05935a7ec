/** A server's entry in `servers.toml`. */
export interface Entry {
  npm?: readonly string[];
  pip?: readonly string[];
  command?: string;
  scripts?: boolean;
}
export interface Fetched {
  failure?: string;
  bins?: string[];
  modules?: string;
}
export function fetch(id: string, entry: Entry): Fetched;
