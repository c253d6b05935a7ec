/** The part of the dashboard's API about tools, the config and the set-up. */
import type { JsonObject } from "../base/json.js";

/** A tool of the playground, as `tools/list` shows it. */
export interface ToolInfo {
  name: string;
  title: string | null;
  description: string;
  effect: "read" | "edit" | "command";
  inputSchema: JsonObject;
}

export interface ConfigInfo {
  /** The file of the config, or what else the proxy serves. */
  source: string;
  /** What `lsp-proxy explain` prints; null for a bundle. */
  explain: string | null;
  /** What each tool weighs in a model's context: `lsp-proxy tools`. */
  weights: ToolWeight[];
  total: { bytes: number; tokens: number };
  /** What is wrong with the config as it is on disk now; with an error the last good one is served. */
  problems: ConfigProblem[];
}

interface ToolWeight {
  name: string;
  effect: string;
  bytes: number;
  tokens: number;
}

export interface ConfigProblem {
  severity: "error" | "warning";
  code: string;
  message: string;
  file: string | null;
  line: number | null;
  column: number | null;
  fix: string | null;
}

export interface SetupInfo {
  clients: ClientEntry[];
  /** What limits the entries of all clients. */
  note: string | null;
  languages: LanguageInfo[];
}

/** What is pasted into the config of an MCP client. */
export interface ClientEntry {
  id: string;
  name: string;
  /** The file that it belongs into; null where the client has none. */
  file: string | null;
  /** Such as `json` or `toml`. */
  format: string;
  text: string;
}

/** A language of the workspace and the servers for it. */
export interface LanguageInfo {
  language: string;
  /** How many files of it were found; null where they were not counted. */
  files: number | null;
  servers: { id: string; installed: boolean; install: string | null }[];
}
