/** Edits a person's config in JSON. Everything else stays as it is written. */
import { isTable, type Json, type JsonObject } from "../../base/json.js";
import { parseJson } from "../text/json.js";
import { changeJson } from "./change-json.js";

/** Adds a server. */
export function withServer(text: string, server: JsonObject): string {
  return change(text, (tree) => ({ ...tree, servers: [...listOf(tree.servers), server] }));
}

/** Removes the server with that id. */
export function withoutServer(text: string, id: string): string {
  return change(text, (tree) => {
    const servers = listOf(tree.servers);
    const rest = servers.filter((server) => !(isTable(server) && server.id === id));
    return rest.length === servers.length ? tree : { ...tree, servers: rest };
  });
}

/** Adds a program to `allow.commands`, where there is such a list. */
export function withAllowed(text: string, program: string): string {
  return changePrograms(text, (programs) => (programs.includes(program) ? programs : [...programs, program]));
}

/** Removes a program from `allow.commands`. */
export function withoutAllowed(text: string, program: string): string {
  return changePrograms(text, (programs) => programs.filter((name) => name !== program));
}

/** Adds a config to `extends`. */
export function withExtended(text: string, name: string): string {
  return change(text, (tree) => {
    const names = [tree.extends ?? []].flat();
    return names.includes(name) ? tree : { ...tree, extends: [...names, name] };
  });
}

/** Removes a config from `extends`; an empty list is removed too. */
export function withoutExtended(text: string, name: string): string {
  return change(text, ({ extends: names, ...tree }) => {
    if (names === undefined) return tree;
    const rest = [names].flat().filter((other) => other !== name);
    return rest.length === 0 ? tree : { extends: Array.isArray(names) ? rest : names, ...tree };
  });
}

function changePrograms(text: string, edit: (programs: Json[]) => Json[]): string {
  return change(text, (tree) => {
    const { allow } = tree;
    if (!isTable(allow) || !Array.isArray(allow.commands)) return tree;
    return { ...tree, allow: { ...(allow as JsonObject), commands: edit(allow.commands) } };
  });
}

function change(text: string, edit: (tree: JsonObject) => JsonObject): string {
  const { tree } = parseJson(text.trim() === "" ? "{}" : text);
  return changeJson(text, tree, edit(tree));
}

function listOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}
