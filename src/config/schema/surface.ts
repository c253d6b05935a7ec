/** The agent's side: `mcp` and `http`. */
import { z } from "zod";
import { positive, set, toolName } from "./values.js";

/** The table `mcp`. */
export const mcp = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z0-9_-]{1,40}$/, "1 to 40 lower-case letters, digits, `_` or `-`")
    .optional()
    .describe("The name told to the client."),
  context: z.string().optional().describe("A profile in `configs/profiles/`."),
  read_only: z.boolean().optional().describe("`true` hides and refuses every tool that is not `read`."),
  instructions: z
    .string()
    .max(1000)
    .optional()
    .describe("What a client tells its model; written from the tools when absent."),
  tools: z
    .strictObject({
      allow: z
        .array(toolName)
        .optional()
        .meta(set("When not empty: the only tools that are listed and callable.")),
      exclude: z.array(toolName).optional().meta(set("Tools that are neither listed nor callable.")),
    })
    .optional()
    .describe("Which tools there are."),
  output: z
    .strictObject({
      max_total_chars_default: z
        .int()
        .min(10_000)
        .max(2_000_000)
        .optional()
        .describe("Characters of one answer."),
      max_total_chars_hard: z
        .int()
        .min(10_000)
        .max(2_000_000)
        .optional()
        .describe("What a call may ask for at the most."),
    })
    .optional()
    .describe("Size of answers."),
});

/** The table `http`. */
export const http = z.strictObject({
  bind: z.string().optional().describe("Address to listen on."),
  port: z.int().min(0).max(65535).optional().describe("Port; 0 picks one."),
  path: z
    .string()
    .regex(/^\/[A-Za-z0-9_\-/]*$/, "a path that begins with `/`")
    .optional()
    .describe("Path of the endpoint."),
  token_env: z.string().optional().describe("Environment variable that holds the token."),
  token_file: z.string().optional().describe("File that holds the token."),
  allowed_origins: z.array(z.string()).optional().meta(set("Origins that a browser may call from.")),
  allowed_hosts: z.array(z.string()).optional().meta(set("Values of `Host` that are served.")),
  max_sessions: positive.max(1024).optional().describe("Sessions at once."),
});
