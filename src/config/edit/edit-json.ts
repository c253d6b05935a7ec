/** The same changes to a config that a person wrote in JSON; everything that is not meant stays as it is written. */
import { isTable, type Json, type JsonObject } from "../../base/json.js";
import { parseJson } from "../text/json.js";
import { changeJson } from "./entry-json.js";

/** The text with one server more. */
export function withServer(text: string, server: JsonObject): string {
  return changed(text, (tree) => ({ ...tree, servers: [...listIn(tree.servers), server] }));
}

/** The text without the server of that id. */
export function withoutServer(text: string, id: string): string {
  return changed(text, (tree) => {
    const servers = listIn(tree.servers);
    const rest = servers.filter((server) => !(isTable(server) && server.id === id));
    return rest.length === servers.length ? tree : { ...tree, servers: rest };
  });
}

/** The text with a program more in `allow.commands`, where there is such a list. */
export function withAllowed(text: string, program: string): string {
  return withPrograms(text, (programs) => (programs.includes(program) ? programs : [...programs, program]));
}

/** The text without a program in `allow.commands`. */
export function withoutAllowed(text: string, program: string): string {
  return withPrograms(text, (programs) => programs.filter((name) => name !== program));
}

/** The text with a config more that it extends. */
export function withExtended(text: string, name: string): string {
  return changed(text, (tree) => {
    const names = [tree.extends ?? []].flat();
    return names.includes(name) ? tree : { ...tree, extends: [...names, name] };
  });
}

/** The text without a config that it extends. */
export function withoutExtended(text: string, name: string): string {
  return changed(text, ({ extends: names, ...tree }) => {
    if (names === undefined) return tree;
    const rest = [names].flat().filter((other) => other !== name);
    return rest.length === 0 ? tree : { extends: Array.isArray(names) ? rest : names, ...tree };
  });
}

function withPrograms(text: string, change: (programs: Json[]) => Json[]): string {
  return changed(text, (tree) => {
    const { allow } = tree;
    if (!isTable(allow) || !Array.isArray(allow.commands)) return tree;
    return { ...tree, allow: { ...(allow as JsonObject), commands: change(allow.commands) } };
  });
}

function changed(text: string, change: (tree: JsonObject) => JsonObject): string {
  const { tree } = parseJson(text.trim() === "" ? "{}" : text);
  return changeJson(text, tree, change(tree));
}

function listIn(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}
