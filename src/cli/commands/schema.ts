/** `schema`: prints the config's JSON Schema, a tool's schemas, or the layers that `extends` may name. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { bundlePaths } from "../../abi/bundle.js";
import { sortedSet } from "../../base/order.js";
import { type Command, didYouMean, UsageError } from "../command.js";
import { compile } from "../compile.js";
import { configFlags, option, toggle } from "../flags.js";
import { shippedConfigs } from "../shipped.js";

export const schema: Command = {
  name: "schema",
  summary: "Prints the config's JSON Schema, or a tool's.",
  usage: "[--tool NAME [--output]] [--layers]",
  description: "Prints JSON Schema 2020-12. Editors use the config's schema for completion and checking.",
  flags: {
    ...configFlags,
    tool: option("NAME", "Prints the input schema of this tool."),
    output: toggle("With --tool: prints its output schema."),
    layers: toggle("Lists the names that `extends` may use."),
  },
  examples: ["lsp-proxy schema > lspi.schema.json", "lsp-proxy schema --tool find_references"],
  async run(input, io) {
    const tool = input.text("tool");
    if (input.isOn("layers")) io.stdout.write(`${shippedLayers().join("\n")}\n`);
    else if (tool === undefined) io.stdout.write(readFileSync(join(shippedConfigs, "schema.json"), "utf8"));
    else {
      const { bundle, plan } = await compile(input, io);
      const path = input.isOn("output") ? bundlePaths.outputSchema(tool) : bundlePaths.inputSchema(tool);
      const file = bundle.files.find((entry) => entry.path === path);
      if (file === undefined) throw new UsageError(`no tool \`${tool}\`${didYouMean(tool, plan.mcp.listed)}`);
      io.stdout.write(file.text);
    }
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
