/** Picks the editor for a person's config file, TOML or JSON. */
import type { JsonObject } from "../../base/json.js";
import { isJson } from "../text/read.js";
import * as json from "./edit-json.js";
import * as toml from "./edit-toml.js";

/** Edits of a config's text. Everything else in the text stays as it is written. */
export interface ConfigEditor {
  withServer(text: string, server: JsonObject, comment: readonly string[]): string;
  withoutServer(text: string, id: string, comment: readonly string[]): string;
  withAllowed(text: string, program: string): string;
  withoutAllowed(text: string, program: string): string;
  withExtended(text: string, name: string): string;
  withoutExtended(text: string, name: string): string;
}

/** The editor for a file, by its language. */
export function editorOf(file: string, text: string): ConfigEditor {
  return isJson(file, text) ? json : toml;
}
