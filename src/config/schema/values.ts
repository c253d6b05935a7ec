/** The values that several tables of the config are made of. */
import * as z from "zod";

/** What is told of an array whose order has no meaning. */
export const set = (description: string) => ({ description, order: "set" as const });
/** What is told of an array whose order is kept. */
export const sequence = (description: string) => ({ description, order: "sequence" as const });

/** A count from one on. */
export const positive = z.int().min(1);
/** A time, a day at the most. */
export const milliseconds = z.int().min(0).max(86_400_000);
/** Any JSON value. */
export const json: z.ZodType<JsonValue> = z
  .lazy(() =>
    z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(json), z.record(z.string(), json)]),
  )
  .meta({ id: "json", description: "Any JSON value." });
type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };
/** Any JSON object. */
export const jsonTable = z.record(z.string(), json);

/** A server's id. */
export const identifier = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, "1 to 64 letters, digits, `_`, `.` or `-`");
/** A tool's name. */
export const toolName = z
  .string()
  .regex(
    /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/,
    "1 to 64 letters, digits, `_`, `.` or `-`, beginning with a letter",
  );
/** An argument's or a member's name. */
export const argName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, "1 to 64 letters, digits or `_`");
/** A step's name. */
export const stepId = z.string().regex(/^[a-z][a-z0-9_]{0,39}$/, "1 to 40 lower-case letters, digits or `_`");
/** What a tool may do. */
export const effect = z.enum(["read", "edit", "command"]);

/** A Handlebars text, or the name of a shipped one. */
export const template = z.string().min(1).max(8000);
/** What happens to a number beyond its bounds. */
export const beyond = z.enum(["refuse", "clamp"]);
