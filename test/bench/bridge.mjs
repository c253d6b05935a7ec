/**
 * As little as a bridge over stdio can be: a call becomes a question to the language server, and its reply, whole, the answer.
 * Nothing is checked, looked at, put in order or left out. What a proxy adds beyond this is its own.
 * `node bridge.mjs '{"server": …, "folder": …, "files": […]}'` takes calls whose tool is a method of LSP.
 */
import { join } from "node:path";
import { createInterface } from "node:readline";
import { RawServer } from "./raw.mjs";

const { server, folder, files } = JSON.parse(process.argv[2]);
const raw = await new RawServer(server, folder).open();
for (const path of files) await raw.didOpen(join(folder, path), server.languageId);

const answer = async ({ method, params }) => {
  if (method !== "tools/call") return { tools: [] };
  const result = await raw.request(params.name, params.arguments);
  return { content: [{ type: "text", text: "" }], structuredContent: { result } };
};

const lines = createInterface({ input: process.stdin });
lines.on("line", async (line) => {
  const message = JSON.parse(line);
  if (message.id === undefined) return;
  const result = await answer(message);
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id: message.id, result })}\n`);
});
lines.once("close", () => raw.close());
