/** The config schema. Types, validation, `configs/schema.json`, `docs/config.md` and `explain` are derived from it. */
import * as z from "zod";
import { canonical, type JsonObject } from "../base/json.js";
import { dialect } from "./schema/dialect.js";
import type { presetSchema } from "./schema/preset.js";
import { serverSchema } from "./schema/server.js";
import { dashboard, http, metrics, share } from "./schema/serving.js";
import { promptSchema, resourceSchema } from "./schema/surface.js";
import { allow, limits, mcp, workspace } from "./schema/tables.js";
import { methodSchema, type stepSchema, toolSchema } from "./schema/tool.js";
import { defaultIsLimit, labelled, nonEmpty, optional, optionalList, optionalSet } from "./schema/values.js";

export { presetSchema } from "./schema/preset.js";
export { serverSchema } from "./schema/server.js";
export { promptSchema, resourceSchema } from "./schema/surface.js";
export { methodSchema, toolSchema } from "./schema/tool.js";

export const configSchema = z.strictObject({
  $schema: optional(
    z.string(),
    "Where editors find the schema of a JSON config. The program ignores it.",
    "any",
  ),
  version: optional(z.literal(1), "The version of the config language.", "any"),
  extends: optionalList(
    nonEmpty,
    "Configs that this one builds on: its own values override theirs. Each is a name that `lsp-proxy schema --layers` lists, or a path that begins with `./` or `../`. URLs are refused.",
    "any",
  ),
  workspace: optional(workspace, "Which files may be read."),
  allow: optional(allow, "What may be started and called."),
  limits: optional(limits, "Upper limits. A tool or a call may lower them, never raise them."),
  servers: optionalSet(
    serverSchema,
    "The language servers. Entries of several layers with the same `id` are merged.",
    defaultIsLimit("needs_trust"),
  ),
  tools: optionalSet(
    toolSchema,
    "The tools. Entries of several layers with the same `name` are merged, so a config can change single keys of a shipped tool.",
    defaultIsLimit("needs_trust", "tools of its own"),
  ),
  methods: optionalSet(
    methodSchema,
    "Methods that are not in the LSP specification. Entries with the same `method` are merged.",
    labelled("needs_trust", "methods of its own"),
  ),
  prompts: optionalSet(
    promptSchema,
    "Prompts that people choose in their client. Entries with the same `name` are merged.",
    labelled("needs_trust", "prompts of its own"),
  ),
  resources: optionalSet(
    resourceSchema,
    "Resources that clients read: the answers of tools, under a URI. Entries with the same `name` are merged.",
    labelled("needs_trust", "resources of its own"),
  ),
  dialect: optional(
    dialect,
    "The names and forms of arguments and answers. With it a profile matches the names and forms of another tool.",
    labelled("needs_trust", "names and texts of its own"),
  ),
  mcp: optional(mcp, "What MCP clients see."),
  http: optional(
    http,
    "The gateway of `serve --http`.",
    defaultIsLimit("needs_trust", "settings of the HTTP gateway"),
  ),
  share: optional(share, "The hub of `serve --shared`."),
  dashboard: optional(dashboard, "The page of `lsp-proxy dashboard`."),
  metrics: optional(metrics, "Metrics for Prometheus."),
});

/** A config after merging and validation, without defaults, which the plan adds. */
export type Config = z.infer<typeof configSchema>;
export type ServerConfig = z.infer<typeof serverSchema>;
export type PresetConfig = z.infer<typeof presetSchema>;
export type ToolConfig = z.infer<typeof toolSchema>;
export type StepConfig = z.infer<typeof stepSchema>;

/**
 * The schema as JSON Schema. `configs/schema.json`, for editors, is this with the default and an example of each key.
 */
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
