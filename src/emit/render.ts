/**
 * Reads and renders Handlebars templates: strict lookups, no HTML escaping, and helpers that escape config strings for
 * code, comments, Markdown, TOML, JSON and deployment files. A template sees only its view model.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Handlebars from "handlebars";
import { isTable, jsonLine } from "../base/json.js";
import { sortedSet } from "../base/order.js";
import { Fault } from "../base/problem.js";
import { tomlKey, tomlText } from "../base/toml-text.js";
import { commentText, lit } from "./code-text.js";

/** Template texts by name, which is the path in `templates/` without `.hbs`. */
export interface Templates {
  readonly [name: string]: string;
}

const extension = ".hbs";

/** Every `.hbs` file below a folder, by its path without the extension. */
export function readTemplates(folder: string): Templates {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) =>
    name.replaceAll("\\", "/"),
  );
  const files = sortedSet(names.filter((name) => name.endsWith(extension)));
  return Object.fromEntries(
    files.map((name) => [
      name.slice(0, -extension.length),
      readFileSync(join(folder, name), "utf8").replaceAll("\r\n", "\n"),
    ]),
  );
}

const helpers = {
  lit,
  comment: commentText,
  md: markdownText,
  toml: tomlText,
  toml_key: tomlKey,
  json: jsonLine,
  kubernetes: (value: string) => jsonLine(value.replaceAll("$(", () => "$$(")),
  compose: (value: string) => jsonLine(value.replaceAll("$", () => "$$")),
  systemd: (value: string) => jsonLine(value.replaceAll("%", () => "%%").replaceAll("$", () => "$$")),
  indent: (text: string, depth: number) => text.trimEnd().replaceAll(/^(?=.)/gm, " ".repeat(depth)),
};
const handlebars = Handlebars.create();
handlebars.registerHelper(helpers);
const knownHelpers = Object.fromEntries(Object.keys(helpers).map((name) => [name, true]));

/** Compiled templates by their text: a bundle renders the same ones for every tool. */
const compiled = new Map<string, (view: object) => string>();

/** Renders a template. The view model must have every name that the template uses. */
export function render(templates: Templates, name: string, view: object): string {
  const text = Object.hasOwn(templates, name) ? templates[name] : undefined;
  if (text === undefined) throw new Fault(`there is no template ${name}`);
  const fill = compiled.get(text) ?? handlebars.compile(text, { strict: true, noEscape: true, knownHelpers });
  compiled.set(text, fill);
  return fill(total(view, name));
}

/** Makes every missing name a Fault. The strict mode of Handlebars allows `{{#each missing}}` and `{{#if missing}}`. */
function total<T>(view: T, name: string): T {
  const handler: ProxyHandler<Record<string, unknown>> = {
    get(target, key) {
      if (typeof key === "string" && !Object.hasOwn(target, key))
        throw new Fault(`the template ${name} uses ${key}, which it is not given`);
      return guarded(Reflect.get(target, key));
    },
  };
  const guarded = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(guarded);
    return isTable(value) ? new Proxy(value, handler) : value;
  };
  return guarded(view) as T;
}

/** Escapes a text for a Markdown paragraph or table cell, on one line. Inline code stays code. */
export function markdownText(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
  return line.replaceAll(/[\\|<>*[\]#]|(?<!\w)_|_(?!\w)/g, (mark, at: number) =>
    isInCode(line, at) && mark !== "|" ? mark : `\\${mark}`,
  );
}

/** Whether a character is between two backticks. */
function isInCode(line: string, at: number): boolean {
  const before = line.slice(0, at).split("`").length - 1;
  return before % 2 === 1 && line.includes("`", at);
}
