/** The clients that are run for real: their packages, at these versions, and where they are kept. Never in this repository. */
import { tmpdir } from "node:os";
import { join } from "node:path";

export const clientsFolder = process.env.CLIENTS_FOLDER ?? join(tmpdir(), "lsp-proxy-clients");

export const programs = {
  codex: { package: "@openai/codex@0.166.0", bin: "codex" },
  "claude-code": { package: "@anthropic-ai/claude-code@2.1.325", bin: "claude" },
  gemini: { package: "@google/gemini-cli@0.61.0", bin: "gemini" },
  opencode: { package: "opencode-ai@1.18.18", bin: "opencode" },
  "qwen-code": { package: "@qwen-code/qwen-code@0.15.10", bin: "qwen" },
  "copilot-cli": { package: "@github/copilot@1.0.102", bin: "copilot" },
};

/** The folder that a package is installed in. */
export const folderOf = (name) => join(clientsFolder, name.replaceAll(/[^\w.-]/g, "_"));

/** The program of a client, where it has been fetched. */
export const programOf = (id) =>
  join(folderOf(programs[id].package), "node_modules", ".bin", programs[id].bin);
