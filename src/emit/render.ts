/**
 * Renders Handlebars templates: strict lookups, no HTML escaping, and helpers that escape config strings for code, comments,
 * Markdown, TOML, JSON and deployment files. A template sees only its view model.
 */
import Handlebars from "handlebars";
import { isTable, type Json } from "../base/json.js";
import { jsonLine } from "../base/json-text.js";
import { Fault } from "../base/problem.js";
import { tomlKey, tomlText } from "../base/toml-text.js";
import { commentText, lit } from "./literal.js";

/** Template texts by name, which is the path in `templates/` without `.hbs`. */
export interface Templates {
  readonly [name: string]: string;
}

type Compiled = (view: object) => string;

/** Compiled templates: a bundle renders the same ones for every tool. */
const compiled = new WeakMap<Templates, Map<string, Compiled>>();

const handlebars = Handlebars.create();
handlebars.registerHelper("lit", (value: Json) => lit(value));
handlebars.registerHelper("comment", (value: string) => commentText(value));
handlebars.registerHelper("md", (value: string) => markdownText(value));
handlebars.registerHelper("toml", (value: Json) => tomlText(value));
handlebars.registerHelper("toml_key", (value: string) => tomlKey(value));
handlebars.registerHelper("json", (value: Json) => jsonLine(value));
handlebars.registerHelper("kubernetes", (value: string) => jsonLine(value.replaceAll("$(", () => "$$(")));
handlebars.registerHelper("compose", (value: string) => jsonLine(value.replaceAll("$", () => "$$")));
handlebars.registerHelper("systemd", (value: string) =>
  jsonLine(value.replaceAll("%", () => "%%").replaceAll("$", () => "$$")),
);
handlebars.registerHelper("indent", (text: string, depth: number) =>
  text.trimEnd().replaceAll(/^(?=.)/gm, " ".repeat(depth)),
);
const knownHelpers = {
  ...{ lit: true, comment: true, md: true, toml: true, toml_key: true, json: true },
  ...{ kubernetes: true, compose: true, systemd: true, indent: true },
};

/** Renders a template. The view model must have every name that the template uses. */
export function render(templates: Templates, name: string, view: object): string {
  return compile(templates, name)(total(view, name));
}

function compile(templates: Templates, name: string): Compiled {
  const known = compiled.get(templates) ?? new Map<string, Compiled>();
  compiled.set(templates, known);
  const before = known.get(name);
  if (before) return before;
  const text = Object.hasOwn(templates, name) ? templates[name] : undefined;
  if (text === undefined) throw new Fault(`there is no template ${name}`);
  const fill = handlebars.compile(text, { strict: true, noEscape: true, knownHelpers });
  known.set(name, fill);
  return fill;
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
