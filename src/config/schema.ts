/**
 * The config's one schema, table by table in `schema/`. Types, validation, `configs/schema.json`, `docs/config.md` and
 * `explain` all come from here. Every table is closed. `meta.order` says whether an array is a sequence (order kept) or a set
 * (sorted).
 */
import * as z from "zod";
import { allow, limits, workspace } from "./schema/bounds.js";
import { dialect } from "./schema/dialect.js";
import { firm, found } from "./schema/found.js";
import { type presetSchema, serverSchema } from "./schema/server.js";
import { http, mcp } from "./schema/surface.js";
import { methodSchema, type stepSchema, toolSchema } from "./schema/tool.js";
import { sequence, set } from "./schema/values.js";

export { presetSchema, serverSchema } from "./schema/server.js";
export { methodSchema, toolSchema } from "./schema/tool.js";

/** A whole config. */
export const configSchema = z.strictObject({
  $schema: z
    .string()
    .optional()
    .describe("For editors: where the schema of a JSON config stands. Ignored.")
    .meta(found("free")),
  version: z.literal(1).optional().describe("The config language's version.").meta(found("free")),
  extends: z
    .array(z.string().min(1))
    .optional()
    .meta(
      sequence(
        "Layers below this file: names in `configs/` (`tools/core`, `servers/pyright`, `profiles/full`) or paths that begin with `./` or `../`. Never URLs.",
      ),
    )
    .meta(found("free")),
  workspace: workspace.optional().describe("What may be seen."),
  allow: allow.optional().describe("What may be done."),
  limits: limits.optional().describe("Ceilings; a tool or a call may lower them, never raise."),
  servers: z.array(serverSchema).optional().meta(set("Language servers, merged by `id`.")).meta(firm("asks")),
  tools: z
    .array(toolSchema)
    .optional()
    .meta(set("Tools, merged by `name`."))
    .meta(firm("asks", "tools of its own")),
  methods: z
    .array(methodSchema)
    .optional()
    .meta(set("Methods outside the LSP specification, merged by `method`."))
    .meta(found("asks", "methods of its own")),
  dialect: dialect
    .optional()
    .describe("How the surface is spelt.")
    .meta(found("asks", "names and texts of its own")),
  mcp: mcp.optional().describe("The agent's side."),
  http: http
    .optional()
    .describe("The gateway that `serve --http` opens.")
    .meta(firm("asks", "settings of the HTTP gateway")),
});

/** A config after layering and validation. Keys are as written; defaults come with the Plan. */
export type Config = z.infer<typeof configSchema>;
export type ServerConfig = z.infer<typeof serverSchema>;
export type PresetConfig = z.infer<typeof presetSchema>;
export type ToolConfig = z.infer<typeof toolSchema>;
export type StepConfig = z.infer<typeof stepSchema>;
