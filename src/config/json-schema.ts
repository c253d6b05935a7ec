/** The config's schema as JSON Schema, for editors: `configs/schema.json` is exactly this. */
import * as z from "zod";
import { canonical, type JsonObject } from "../base/json.js";
import { configSchema } from "./schema.js";

/** JSON Schema 2020-12 of a config; the same bytes each time. */
export function configJsonSchema(): JsonObject {
  const schema = z.toJSONSchema(configSchema, {
    target: "draft-2020-12",
    io: "input",
    override: ({ jsonSchema }) => {
      // Editors warn about keywords they do not know unless these begin with `x-`.
      const { order, found, words: _, firm: __, open: ___, ...rest } = jsonSchema;
      if (order === undefined && found === undefined) return;
      for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
      Object.assign(jsonSchema, rest, order === undefined ? {} : { "x-order": order });
    },
  });
  return canonical({
    ...(schema as JsonObject),
    title: "lsp-proxy config",
    description: "Servers, tools and limits of an MCP to LSP proxy. TOML and JSON are the same tree.",
  });
}
