/** Edits a person's config file, TOML or JSON. Everything else in it stays as it is written. */
import { isTable, type Json, type JsonObject } from "../../base/json.js";
import { parseJson } from "../text/json.js";
import { isJson } from "../text/read.js";
import { changeJson } from "./change-json.js";
import * as tomlEditor from "./edit-toml.js";

/** Edits of a config's text. */
export interface ConfigEditor {
  withServer(text: string, server: JsonObject, comment?: readonly string[]): string;
  withoutServer(text: string, id: string, comment?: readonly string[]): string;
  /** Adds a program to `allow.commands`, where there is such a list. */
  withAllowed(text: string, program: string): string;
  withoutAllowed(text: string, program: string): string;
  /** Adds a config to `extends`. */
  withExtended(text: string, name: string): string;
  withoutExtended(text: string, name: string): string;
}

/** The editor for a file, by its language. */
export function editorOf(file: string, text: string): ConfigEditor {
  return isJson(file, text) ? jsonEditor : tomlEditor;
}

export const jsonEditor: ConfigEditor = {
  withServer: (text, server) =>
    change(text, (tree) => ({ ...tree, servers: [...listOf(tree.servers), server] })),
  withoutServer: (text, id) =>
    change(text, (tree) => {
      const servers = listOf(tree.servers);
      const rest = servers.filter((server) => !(isTable(server) && server.id === id));
      return rest.length === servers.length ? tree : { ...tree, servers: rest };
    }),
  withAllowed: (text, program) =>
    changePrograms(text, (programs) => (programs.includes(program) ? programs : [...programs, program])),
  withoutAllowed: (text, program) =>
    changePrograms(text, (programs) => programs.filter((name) => name !== program)),
  withExtended: (text, name) =>
    change(text, (tree) => {
      const names = [tree.extends ?? []].flat();
      return names.includes(name) ? tree : { ...tree, extends: [...names, name] };
    }),
  withoutExtended: (text, name) =>
    change(text, ({ extends: names, ...tree }) => {
      if (names === undefined) return tree;
      const rest = [names].flat().filter((other) => other !== name);
      return rest.length === 0 ? tree : { extends: Array.isArray(names) ? rest : names, ...tree };
    }),
};

function changePrograms(text: string, edit: (programs: Json[]) => Json[]): string {
  return change(text, (tree) => {
    const { allow } = tree;
    if (!isTable(allow) || !Array.isArray(allow.commands)) return tree;
    return { ...tree, allow: { ...allow, commands: edit(allow.commands) } };
  });
}

function change(text: string, edit: (tree: JsonObject) => JsonObject): string {
  const { tree } = parseJson(text.trim() === "" ? "{}" : text);
  return changeJson(text, tree, edit(tree));
}

function listOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}
