/** `schema`: the config's JSON Schema, a tool's schemas, or the layers that `extends` may name. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { bundlePaths } from "../../abi/bundle.js";
import { canonicalPretty } from "../../base/json.js";
import { nearest } from "../../base/nearest.js";
import { sortedSet } from "../../base/order.js";
import { configJsonSchema } from "../../config/json-schema.js";
import { type Command, exitCodes, isOn, textFlag, UsageError } from "../command.js";
import { compile } from "../compile.js";
import { configFlags } from "../flags.js";
import { shippedConfigs } from "../shipped.js";

export const schema: Command = {
  name: "schema",
  summary: "Prints the config's JSON Schema, or a tool's.",
  usage: "[--tool NAME [--output]] [--layers]",
  description: "Prints JSON Schema 2020-12. Editors use the config's schema for completion and checking.",
  flags: {
    ...configFlags,
    tool: { type: "string", value: "NAME", description: "A tool of the config: its input schema." },
    output: { type: "boolean", description: "With --tool: its output schema." },
    layers: { type: "boolean", description: "Lists the names that `extends` may use." },
  },
  words: { min: 0, max: 0 },
  examples: ["lsp-proxy schema > lspi.schema.json", "lsp-proxy schema --tool find_references"],
  async run(input, io) {
    const tool = textFlag(input, "tool");
    if (isOn(input, "layers")) {
      io.stdout.write(`${shippedLayers().join("\n")}\n`);
      return exitCodes.ok;
    }
    if (tool === undefined) {
      io.stdout.write(canonicalPretty(configJsonSchema()));
      return exitCodes.ok;
    }
    const { bundle, plan } = await compile(input, io);
    const path = isOn(input, "output") ? bundlePaths.outputSchema(tool) : bundlePaths.inputSchema(tool);
    const file = bundle.files.find((entry) => entry.path === path);
    if (file === undefined) {
      const near = nearest(tool, plan.mcp.listed);
      throw new UsageError(`no tool \`${tool}\`${near ? `; did you mean \`${near}\`?` : ""}`, "schema");
    }
    io.stdout.write(file.text);
    return exitCodes.ok;
  },
};

function shippedLayers(): string[] {
  const names = ["profiles", "servers", "stacks", "tools"].flatMap((folder) =>
    readdirSync(join(shippedConfigs, folder))
      .filter((name) => name.endsWith(".toml"))
      .map((name) => `${folder}/${name.slice(0, -".toml".length)}`),
  );
  return sortedSet(names);
}
