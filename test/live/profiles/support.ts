/** What the tests of the profiles share: configs with a real TypeScript server, and which tools were driven. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type LiveSession, type Place, repository } from "../session.js";

/** A profile over the TypeScript server; `more` are lines before its tables. */
export const typescript = (context: string, more = "") => `
${more}
[mcp]
context = "${context}"

[[servers]]
id = "ts"
kind = "typescript"
`;

/** The same with a server that publishes diagnostics by itself, so that known files have some. */
export const publishing = (context: string, more = "") => `
${more}
[allow]
commands = ["typescript-language-server"]

[mcp]
context = "${context}"

[[servers]]
id = "ts"
kind = "typescript-language-server"
[servers.initialize_options.tsserver]
path = "${join(repository, "node_modules", "typescript-5", "lib", "tsserver.js")}"
`;

/** The allowed command and effects. */
export const allow = (effects: string) => `[allow]\ncommands = ["tsc"]\neffects = [${effects}]\n`;

/** Calls that remember which tools they used. */
export interface Driven {
  call: LiveSession["call"];
  names: Set<string>;
}

/** A session whose tools are counted. */
export function driven(session: LiveSession): Driven {
  const names = new Set<string>();
  return {
    names,
    call: (tool, args) => {
      names.add(tool);
      return session.call(tool, args);
    },
  };
}

/** The names of the tools that a client is told, sorted. */
export async function listed(session: LiveSession): Promise<string[]> {
  return (await session.client.listTools()).tools.map((tool) => tool.name).sort();
}

/** The one-based place after `|`, for profiles that count UTF-16 units as LSP does. */
export function utf16Place(session: LiveSession, file: string, marked: string): Place {
  const { line } = session.place(file, marked);
  const text = readFileSync(join(session.folder, file), "utf8").split("\n")[line - 1] ?? "";
  const [before = "", after = ""] = marked.split("|");
  return { line, character: text.indexOf(before + after) + before.length + 1 };
}
