/** Profiles whose original starts its server at once: the program does so before anybody has called a tool. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { fakeServerPath } from "../../fake-server/index.js";
import { openSession } from "../session.js";

const folder = mkdtempSync(join(tmpdir(), "lsp-proxy-eager-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A config whose server leaves a file behind when it is initialized. */
function config(context: string): { started: string; text: string } {
  const started = join(folder, `${context}.started`);
  const scenario = join(folder, `${context}.json`);
  writeFileSync(scenario, JSON.stringify({ on: { initialize: [{ save: started }] } }));
  const command = [process.execPath, fakeServerPath, scenario];
  return {
    started,
    text: `[allow]\ncommands = [${JSON.stringify(process.execPath)}]\n[mcp]\ncontext = "${context}"\n[[servers]]\nid = "fake"\ncommand = ${JSON.stringify(command)}\nextensions = ["ts"]\n`,
  };
}

it.each(["pathfinder", "gateway"])("%s starts its server with the session", async (context) => {
  const { started, text } = config(context);
  const session = await openSession("typescript", text);
  try {
    await expect.poll(() => existsSync(started)).toBe(true);
  } finally {
    await session.close();
  }
});

it("no other profile does", async () => {
  const { started, text } = config("llxprt");
  const session = await openSession("typescript", text);
  try {
    // The first call starts the server; until then there was time enough for a start of its own.
    await session.client.listTools();
    expect(existsSync(started)).toBe(false);
    await session.call("lsp_document_symbols", { file: "src/app.ts" });
    // The call itself waits only as long as this profile lets it.
    await expect.poll(() => existsSync(started)).toBe(true);
  } finally {
    await session.close();
  }
});
