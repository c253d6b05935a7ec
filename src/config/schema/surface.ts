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
  title: optional(z.string().min(1).max(80), "A short title that clients show to people."),
  description: optional(z.string().min(1).max(1000), "What people and agents read about it."),
});

export const promptSchema = z.strictObject({
  name: identifier.describe("The name of the prompt. It must be unique."),
  ...about(),
  args: optional(
    z.record(
      argName,
      z.strictObject({
        description: optional(nonEmpty.max(400), "What a person reads about the argument."),
        required: optional(z.boolean(), "Whether the argument must be given."),
      }),
    ),
    "The arguments of the prompt. All are texts.",
  ),
  messages: optional(
    z
      .array(
        z.strictObject({
          role: optional(z.enum(["user", "assistant"]), "Who says the message."),
          text: template.describe("The message: a Handlebars text over the arguments."),
        }),
      )
      .min(1),
    sequence("The messages of the prompt. A prompt needs at least one."),
  ),
});

export const resourceSchema = z.strictObject({
  name: identifier.describe("The name of the resource. It must be unique."),
  ...about(),
  uri: optional(
    z
      .string()
      .max(400)
      .regex(/^[a-z][a-z0-9+.-]*:[^\s]*$/, "a URI, in which `{name}` stands for a part"),
    "The URI of the resource. A resource must have one. `{name}` in it stands for a part that a client fills in.",
  ),
  mime_type: optional(
    z.enum(["application/json", "text/plain", "text/markdown"]),
    "What the resource is: the structured answer as JSON, or the text of the answer.",
  ),
  tool: optional(
    toolName,
    "The tool that is called. A resource must have one, and its effect must be `read`.",
  ),
  args: optional(
    jsonTable,
    'The arguments of the tool: values, or `{ from = "uri.NAME" }` for a part of the URI.',
  ),
});
