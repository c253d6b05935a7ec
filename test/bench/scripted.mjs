/** The scripted server of the tests, with answers as large as wanted, and a config that serves it. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { environment, program, repository } from "./proxy.mjs";
import { scratch } from "./workspace.mjs";

const fake = join(repository, "test", "fake-server", "server.mjs");

/** A workspace of `*.fake` files with a bundle and the raw server's command line; `replies` gets the folder's URI. */
export function scripted({ files, replies, capabilities, mcp = "" }) {
  const folder = scratch("scripted");
  const outside = scratch("config");
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const scenario = join(outside, "scenario.json");
  writeFileSync(scenario, JSON.stringify({ capabilities, replies: replies(pathToFileURL(folder).href) }));
  const configFile = join(outside, "lspi.toml");
  const command = [process.execPath, fake, scenario];
  writeFileSync(
    configFile,
    `[allow]
commands = [${JSON.stringify(process.execPath)}]
[workspace]
roots = [${JSON.stringify(folder)}]
${mcp}
[[servers]]
id = "scripted"
command = ${JSON.stringify(command)}
extensions = ["fake"]
language_id = "fake"
ready = { at_once = true }
`,
  );
  const bundle = join(outside, "bundle");
  const words = ["generate", "--config", configFile, "--out", bundle];
  execFileSync(process.execPath, [program, ...words], { env: environment() });
  const server = { command: process.execPath, args: command.slice(1), languageId: "fake" };
  return { folder, bundle, server, configFile };
}

export const span = (line, character = 0, length = 4) => ({
  start: { line, character },
  end: { line, character: character + length },
});
