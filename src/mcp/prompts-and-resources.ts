/** Prompts and resources of one session, independent of the protocol version. A resource is the answer of a tool. */
import type { ResourcePlan } from "../abi/plan.js";
import { canonicalPretty, define, type JsonObject } from "../base/json.js";
import type { CallOptions } from "../runtime/session.js";
import type { SessionCalls } from "./calls.js";
import { INVALID_PARAMS, ProtocolError } from "./protocol-error.js";

const NOT_FOUND = -32002;
const INTERNAL = -32603;
const MAX_ARGUMENT_CHARS = 10_000;

/**
 * The capabilities for prompts and resources in a handshake: a kind that the config has none of is not announced,
 * unless a config that is opened later may have it.
 */
export function promptAndResourceCapabilities(
  { prompts, resources }: SessionCalls["loaded"]["plan"],
  { mayChange, subscribe }: { mayChange: boolean; subscribe: boolean },
) {
  const listChanged = true;
  return {
    ...(prompts.length === 0 && !mayChange ? {} : { prompts: { listChanged } }),
    ...(resources.length === 0 && !mayChange
      ? {}
      : { resources: { listChanged, ...(subscribe ? { subscribe } : {}) } }),
  };
}

function known<T extends object>(members: T): { [key in keyof T]: Exclude<T[key], null> } {
  const entries = Object.entries(members).filter(([, value]) => value !== null);
  return Object.fromEntries(entries) as { [key in keyof T]: Exclude<T[key], null> };
}

export function listPrompts({ loaded }: SessionCalls) {
  return loaded.plan.prompts.map(({ name, title, description, args }) => ({
    ...known({ name, title, description }),
    arguments: args.map((arg) => known(arg)),
  }));
}

/** The messages of a prompt with these arguments. */
export async function getPrompt(
  { loaded }: SessionCalls,
  name: string,
  given: { [name: string]: string } = {},
) {
  const prompt = loaded.plan.prompts.find((entry) => entry.name === name);
  if (prompt === undefined) throw invalid("There is no prompt of that name.");
  const names = prompt.args.map((arg) => arg.name);
  for (const [arg, value] of Object.entries(given)) {
    if (!names.includes(arg)) throw invalid(`The prompt takes ${names.join(", ") || "no arguments"}.`);
    if (value.length > MAX_ARGUMENT_CHARS) throw invalid(`The argument ${arg} is too long.`);
  }
  const missing = prompt.args.filter((arg) => arg.required && !Object.hasOwn(given, arg.name));
  if (missing.length > 0) throw invalid(`The prompt needs ${missing.map((arg) => arg.name).join(", ")}.`);
  const view: JsonObject = {};
  for (const arg of names) define(view, arg, Object.hasOwn(given, arg) ? (given[arg] ?? "") : "");
  const messages = await Promise.all(
    prompt.messages.map(async ({ role }, index) => {
      const render = await loaded.promptText(name, index);
      return { role, content: { type: "text" as const, text: render(view) } };
    }),
  );
  return { ...known({ description: prompt.description }), messages };
}

const isTemplate = ({ uri }: ResourcePlan) => uri.includes("{");

/** The resources with one URI each. */
export function listResources({ loaded }: SessionCalls) {
  const single = loaded.plan.resources.filter((resource) => !isTemplate(resource));
  return single.map(({ uri, name, title, description, mimeType }) =>
    known({ uri, name, title, description, mimeType }),
  );
}

/** The resources with parts in their URIs. */
export function listResourceTemplates({ loaded }: SessionCalls) {
  const templates = loaded.plan.resources.filter(isTemplate);
  return templates.map(({ uri, name, title, description, mimeType }) =>
    known({ uriTemplate: uri, name, title, description, mimeType }),
  );
}

/** Reads a resource by a call of its tool, whose checks all apply: to arguments, paths, roots and time. */
export async function readResource(calls: SessionCalls, uri: string, options: CallOptions) {
  for (const resource of calls.loaded.plan.resources) {
    const parts = partsOf(resource.uri, uri);
    if (parts === undefined) continue;
    const args: JsonObject = {};
    for (const { name, part, value } of resource.args)
      define(args, name, part === null ? value : (parts.get(part) ?? null));
    const { isError, structured, text, notes } = await calls.read(resource.tool, args, options);
    if (isError) throw new ProtocolError(INTERNAL, text, undefined);
    const isJson = resource.mimeType === "application/json";
    const shown = isJson ? canonicalPretty(structured) : [text, notes].filter(Boolean).join("\n");
    return { contents: [{ uri, mimeType: resource.mimeType, text: shown }] };
  }
  throw new ProtocolError(NOT_FOUND, "There is no resource with this URI.", undefined);
}

/**
 * The decoded parts of a URI by their names in the template; undefined if it does not match. The last may have slashes.
 */
function partsOf(template: string, uri: string): Map<string, string> | undefined {
  const pieces = template.split(/\{([^{}]*)\}/);
  const parts = new Map<string, string>();
  let rest = uri;
  for (const [index, piece] of pieces.entries()) {
    if (index % 2 === 0) {
      if (!rest.startsWith(piece)) return undefined;
      rest = rest.slice(piece.length);
      continue;
    }
    const after = pieces[index + 1] ?? "";
    const end = after === "" ? rest.length : rest.indexOf(after);
    if (end <= 0) return undefined;
    try {
      parts.set(piece, decodeURIComponent(rest.slice(0, end)));
    } catch {
      return undefined;
    }
    rest = rest.slice(end);
  }
  return rest === "" ? parts : undefined;
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(INVALID_PARAMS, message, undefined);
}
