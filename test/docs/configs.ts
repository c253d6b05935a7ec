/** The configs on a page: each is checked as `lsp-proxy validate` checks a file. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ParseError, parse as parseJsonc, printParseErrorCode } from "jsonc-parser";
import { parse as parseToml, stringify } from "smol-toml";
import type { Block, Page } from "../../docs/.vitepress/markdown.js";
import { isTable, itemsOf, type Json, type JsonObject } from "../../src/base/json.js";
import { configSchema } from "../../src/config/schema.js";
import { runHere } from "../cli/terminal.js";
import { facts } from "./command-lines.js";

/** The config file of a page, as a reader has it after each of its blocks. */
export class PageConfig {
  #whole: JsonObject = {};
  #withParts: JsonObject = {};

  /** Takes a block `config`, which replaces the file, or `config part`, which is added to it. Returns the file then. */
  take(block: Block): { file: string; text: string; alternative?: string } {
    const value = parsed(block);
    if (!isPart(block)) {
      this.#whole = value;
      this.#withParts = value;
      return { file: `lspi.${block.language === "toml" ? "toml" : "json"}`, text: block.text };
    }
    this.#withParts = added(this.#withParts, value);
    // A part may also be an alternative to the parts before it.
    return {
      file: "lspi.toml",
      text: stringify(this.#withParts),
      alternative: stringify(added(this.#whole, value)),
    };
  }
}

const languages = ["toml", "json", "jsonc"];

export function isConfig({ language, marks }: Block): boolean {
  return languages.includes(language) && marks[0] === "config";
}

/** Whether a block is a part of a config: one that says so, or TOML that has only keys of a config. */
function isPart(block: Block): boolean {
  if (block.marks.length > 0 || block.language !== "toml")
    return isConfig(block) && block.marks[1] === "part";
  try {
    const keys = Object.keys(parsed(block));
    return keys.length > 0 && keys.every((key) => Object.hasOwn(configSchema.shape, key));
  } catch {
    return false;
  }
}

/** The problems of the configs of a page, each with its place. */
export async function configProblems(page: Page): Promise<string[]> {
  const config = new PageConfig();
  const problems: string[] = [];
  for (const block of page.blocks.filter((candidate) => isConfig(candidate) || isPart(candidate))) {
    try {
      const { file, text, alternative } = config.take(block);
      const report = await validate(file, text);
      const isFine =
        report === "" || (alternative !== undefined && (await validate(file, alternative)) === "");
      if (!isFine) problems.push(`${page.path}:${block.line}: ${report}`);
    } catch (error) {
      problems.push(`${page.path}:${block.line}: ${(error as Error).message}`);
    }
  }
  return problems;
}

/** What `validate` reports about a config, warnings included; empty when it has nothing to say. */
async function validate(file: string, text: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "lsp-proxy-docs-config-"));
  try {
    writeFileSync(join(folder, file), text);
    const { code, stderr } = await runHere(["validate", "--config", file], {
      cwd: folder,
      env: { HOME: folder },
    });
    return code === 0 ? stderr.trim() : stderr.trim() || `exit code ${code}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The value of a block of TOML or JSON, in which `…` stands for what is left out. Throws when it has a mistake. */
export function parsed({ language, text }: Block): JsonObject {
  if (language === "toml") return parseToml(text) as JsonObject;
  if (language === "json" && !text.includes("…")) return JSON.parse(text) as JsonObject;
  const errors: ParseError[] = [];
  const whole = text.replaceAll(/"(?:[^"\\\n]|\\.)*"|…,?/g, (part) => (part.startsWith("…") ? "" : part));
  const value = parseJsonc(whole, errors, { allowTrailingComma: true }) as JsonObject;
  const [first] = errors;
  if (first === undefined) return value;
  const line = whole.slice(0, first.offset).split("\n").length;
  throw new Error(`${printParseErrorCode(first.error)} in line ${line} of the block`);
}

/**
 * The config with a part added: tables are merged, lists get the new entries, an entry with the same name is replaced. A server
 * of the catalogue that a tool of the part names is one that the reader has.
 */
function added(config: JsonObject, part: JsonObject): JsonObject {
  const named = itemsOf(part.tools).flatMap((tool) => (isTable(tool) ? itemsOf(tool.servers) : []));
  const ids = new Set(itemsOf([config.servers, part.servers].flat()).map((server) => nameOf(server as Json)));
  const missing = [...new Set(named)].filter(
    (id) => !ids.has(id) && facts().some((preset) => preset.id === id),
  );
  return merged(
    merged(
      config,
      missing.length === 0 ? {} : { servers: missing.map((id) => ({ id, kind: id }) as JsonObject) },
    ),
    part,
  );
}

function merged(config: JsonObject, part: JsonObject): JsonObject {
  const all = Object.entries(part).map(([key, value]): [string, Json] => [key, joined(config[key], value)]);
  return { ...config, ...Object.fromEntries(all) };
}

function joined(old: Json | undefined, value: Json): Json {
  if (isTable(old) && isTable(value)) return merged(old, value);
  if (!Array.isArray(old) || !Array.isArray(value)) return value;
  const names = new Set(value.map(nameOf));
  return [...old.filter((entry) => !names.has(nameOf(entry))), ...value];
}

function nameOf(entry: Json): unknown {
  return isTable(entry) ? (entry.id ?? entry.name ?? entry.method ?? JSON.stringify(entry)) : entry;
}
