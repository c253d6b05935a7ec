/** Everything that can be seen from outside, literally. A change here is a change for users: read the diff. */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { expect, it } from "vitest";
import { codes } from "../src/base/codes.js";
import { exitCodes } from "../src/cli/command.js";
import { commands } from "../src/cli/commands.js";
import { program } from "./live/session.js";

const pin = (name: string) => `./golden/pins/${name}`;

it("pins tools/list and the handshake of the default profile", async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-pins-")));
  const config = join(folder, "lspi.toml");
  writeFileSync(
    config,
    '[allow]\ncommands = ["pyright-langserver"]\n[[servers]]\nid = "py"\nkind = "pyright"\n',
  );
  const client = new Client({ name: "pins", version: "0" });
  // No language server is on this PATH: the list must not need one.
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [program, "serve", "--config", config],
      env: { PATH: "" },
    }),
  );
  const { tools } = await client.listTools();
  await client.close();
  rmSync(folder, { recursive: true });
  const seen = {
    server: client.getServerVersion()?.name,
    capabilities: client.getServerCapabilities(),
    instructions: client.getInstructions(),
    tools,
  };
  expect(seen.instructions?.length).toBeLessThan(1000);
  expect(Buffer.byteLength(JSON.stringify(tools))).toBeLessThanOrEqual(9216);
  await expect(`${JSON.stringify(seen, null, 2)}\n`).toMatchFileSnapshot(pin("tools-list.json"));
});

it("pins the codes", async () => {
  const lines = Object.entries(codes).map(([code, { kind }]) => `${kind} ${code}`);
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(pin("codes.txt"));
});

it("pins the exit codes", () => {
  expect(exitCodes).toEqual({ ok: 0, no: 1, usage: 2, problems: 3, open: 4, fault: 70, stopped: 130 });
});

it("pins the commands and their flags", async () => {
  const lines: string[] = [];
  for (const [name, load] of Object.entries(commands)) {
    const { flags, usage } = await load();
    lines.push(`${name} ${usage}`, ...Object.keys(flags).map((flag) => `  --${flag}`));
  }
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(pin("command-line.txt"));
});
