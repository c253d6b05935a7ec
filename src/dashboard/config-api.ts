/** Types of the JSON that the dashboard's API sends about tools, the config and the setup. */
import type { JsonObject } from "../base/json.js";

/** A tool of the playground, as `tools/list` shows it. */
export interface ToolInfo {
  name: string;
  description: string;
  effect: "read" | "edit" | "command";
  inputSchema: JsonObject;
}

export interface ConfigInfo {
  /** The file of the config, or what else the proxy serves. */
  source: string;
  /** The output of `lsp-proxy explain`; null for a bundle. */
  explain: string | null;
  /** The size of each tool in a model's context: `lsp-proxy tools`. */
  weights: ToolWeight[];
  total: { bytes: number; tokens: number };
  /** The problems of the config as it is on disk now; with an error the last good one is served. */
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
  /** The limits that apply to the entries of all clients. */
  note: string | null;
  languages: LanguageInfo[];
}

/** The entry for the config of an MCP client. */
export interface ClientEntry {
  name: string;
  /** The file that it belongs into; null where the client has none. */
  file: string | null;
  text: string;
}

/** A language of the workspace and the servers for it. */
export interface LanguageInfo {
  language: string;
  /** How many files of it were found; null where they were not counted. */
  files: number | null;
  servers: { id: string; installed: boolean; install: string | null }[];
}
