/** The config schema. Types, validation, `configs/schema.json`, `docs/config.md` and `explain` are derived from it. */
import * as z from "zod";
import { canonical, type JsonObject } from "../base/json.js";
import { dialect } from "./schema/dialect.js";
import type { presetSchema } from "./schema/preset.js";
import { serverSchema } from "./schema/server.js";
import { promptSchema, resourceSchema } from "./schema/surface.js";
import { allow, dashboard, http, limits, mcp, metrics, share, workspace } from "./schema/tables.js";
import { methodSchema, type stepSchema, toolSchema } from "./schema/tool.js";
import { defaultIsLimit, labelled, nonEmpty, optional, optionalList, optionalSet } from "./schema/values.js";

export { presetSchema } from "./schema/preset.js";
export { serverSchema } from "./schema/server.js";
export { promptSchema, resourceSchema } from "./schema/surface.js";
export { methodSchema, toolSchema } from "./schema/tool.js";

export const configSchema = z.strictObject({
  $schema: optional(z.string(), "For editors: the location of the schema of a JSON config. Ignored.", "any"),
  version: optional(z.literal(1), "The config language's version.", "any"),
  extends: optionalList(
    nonEmpty,
    "Layers below this file: names in `configs/` (`tools/core`, `servers/pyright`, `profiles/full`) or paths that begin with `./` or `../`. Never URLs.",
    "any",
  ),
  workspace: optional(workspace, "What may be read."),
  allow: optional(allow, "What may be started and called."),
  limits: optional(limits, "Upper limits; a tool or a call may lower them, never raise them."),
  servers: optionalSet(serverSchema, "Language servers, merged by `id`.", defaultIsLimit("needs_trust")),
  tools: optionalSet(
    toolSchema,
    "Tools, merged by `name`.",
    defaultIsLimit("needs_trust", "tools of its own"),
  ),
  methods: optionalSet(
    methodSchema,
    "Methods outside the LSP specification, merged by `method`.",
    labelled("needs_trust", "methods of its own"),
  ),
  prompts: optionalSet(
    promptSchema,
    "Prompts that people choose in their client, merged by `name`.",
    labelled("needs_trust", "prompts of its own"),
  ),
  resources: optionalSet(
    resourceSchema,
    "Resources that clients read, merged by `name`.",
    labelled("needs_trust", "resources of its own"),
  ),
  dialect: optional(
    dialect,
    "Names and forms of arguments and answers.",
    labelled("needs_trust", "names and texts of its own"),
  ),
  mcp: optional(mcp, "What clients see."),
  http: optional(
    http,
    "The gateway of `serve --http`.",
    defaultIsLimit("needs_trust", "settings of the HTTP gateway"),
  ),
  share: optional(share, "The hub of `serve --shared`."),
  dashboard: optional(dashboard, "The page of `lsp-proxy dashboard`."),
  metrics: optional(metrics, "Numbers for Prometheus."),
});

/** A config after merging and validation, without defaults, which the plan adds. */
export type Config = z.infer<typeof configSchema>;
export type ServerConfig = z.infer<typeof serverSchema>;
export type PresetConfig = z.infer<typeof presetSchema>;
export type ToolConfig = z.infer<typeof toolSchema>;
export type StepConfig = z.infer<typeof stepSchema>;

/** The schema as JSON Schema, for editors. `configs/schema.json` is exactly this. */
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
