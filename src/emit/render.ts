/**
 * Handlebars, tamed: strict look-ups, no HTML escaping, and a few helpers that make config strings harmless in code,
 * comments, Markdown, TOML, JSON and files of deployments. A template sees only the view model that it is given.
 */
import Handlebars from "handlebars";
import { isTable, type Json } from "../base/json.js";
import { jsonLine } from "../base/json-text.js";
import { Fault } from "../base/problem.js";
import { tomlKey, tomlText } from "../base/toml-text.js";
import { commentText, lit } from "./literal.js";
import { markdownText } from "./markdown.js";

/** Template texts by name: the path in `templates/` without `.hbs`. */
export interface Templates {
  readonly [name: string]: string;
}

type Compiled = (view: object) => string;

/** Templates that were compiled before: a bundle renders the same few for every tool. */
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

/** A template's text filled from a view model. Every name the template uses must be there. */
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

/**
 * The view with every missing name made a Fault: Handlebars' own strict mode lets `{{#each missing}}` and
 * `{{#if missing}}` pass. What is inside is looked after when it is reached.
 */
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
