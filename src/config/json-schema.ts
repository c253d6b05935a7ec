/** The config schema as JSON Schema, for editors. `configs/schema.json` is exactly this. */
import * as z from "zod";
import { canonical, type JsonObject } from "../base/json.js";
import { configSchema } from "./schema.js";

export function configJsonSchema(): JsonObject {
  const schema = z.toJSONSchema(configSchema, {
    target: "draft-2020-12",
    io: "input",
    override: ({ jsonSchema }) => {
      // Editors warn about unknown keywords unless they begin with `x-`.
      if (jsonSchema.order !== undefined) jsonSchema["x-order"] = jsonSchema.order;
      delete jsonSchema.order;
      delete jsonSchema.discovered;
    },
  });
  return canonical({
    ...(schema as JsonObject),
    title: "lsp-proxy config",
    description: "Servers, tools and limits of an MCP to LSP proxy. TOML and JSON are the same tree.",
  });
}
