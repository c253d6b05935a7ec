/** Entries of `prompts` and `resources`: what clients see besides tools. */
import * as z from "zod";
import {
  argName,
  identifier,
  jsonTable,
  nonEmpty,
  optional,
  sequence,
  template,
  toolName,
} from "./values.js";

const about = () => ({
  title: optional(z.string().min(1).max(80), "A short title for people."),
  description: optional(z.string().min(1).max(1000), "What people and agents read."),
});

export const promptSchema = z.strictObject({
  name: identifier.describe("The prompt's name, unique."),
  ...about(),
  args: optional(
    z.record(
      argName,
      z.strictObject({
        description: optional(nonEmpty.max(400), "What a person reads."),
        required: optional(z.boolean(), "Whether it must be given; true when absent."),
      }),
    ),
    "The arguments, all texts.",
  ),
  messages: optional(
    z
      .array(
        z.strictObject({
          role: optional(z.enum(["user", "assistant"]), "Who says it; `user` when absent."),
          text: template.describe("A Handlebars text over the arguments."),
        }),
      )
      .min(1),
    sequence("The messages."),
  ),
});

export const resourceSchema = z.strictObject({
  name: identifier.describe("The resource's name, unique."),
  ...about(),
  uri: optional(
    z
      .string()
      .max(400)
      .regex(/^[a-z][a-z0-9+.-]*:[^\s]*$/, "a URI, in which `{name}` stands for a part"),
    "The URI, or a template of it: `lsp://diagnostics/{path}`.",
  ),
  mime_type: optional(
    z.enum(["application/json", "text/plain", "text/markdown"]),
    "The structured answer as JSON, or its text; JSON when absent.",
  ),
  tool: optional(toolName, "The tool that is called; it must only read."),
  args: optional(jsonTable, 'Its arguments: values, or `{ from = "uri.NAME" }` for a part of the URI.'),
});
