/** The arguments that come with an edit that a call may apply: they exist without being declared, as those of a batch. */
import type { ArgPlan, OutputPlan } from "../abi/plan.js";
import { sortBy } from "../base/order.js";
import type { ToolConfig } from "../config/schema.js";
import { editArguments } from "../protocol/edit-arguments.js";

/** The names of these arguments, for references. */
export function editArgumentNames({ output }: ToolConfig): string[] {
  return typeof output === "object" && output.apply === "on_request" ? Object.values(editArguments) : [];
}

/** The arguments with those of an edit; a tool may declare one of them itself, to word it or to set its default. */
export function addEditArguments(args: readonly ArgPlan[], { apply }: OutputPlan): ArgPlan[] {
  if (apply !== "on_request") return [...args];
  const own = editArgs.filter(({ name }) => !args.some((arg) => arg.name === name));
  return sortBy([...args, ...own], (arg) => [arg.name]);
}

const plain = {
  required: false,
  default: null,
  beyond: "refuse" as const,
  enum: null,
  minLength: null,
  maxLength: null,
  minimum: null,
  maximum: null,
};

const editArgs: readonly ArgPlan[] = [
  {
    ...plain,
    name: editArguments.dryRun,
    type: "boolean",
    description: "True shows the edit, false applies it; default true.",
    default: true,
  },
  {
    ...plain,
    name: editArguments.token,
    type: "string",
    maxLength: 128,
    description: "With dry_run false: the edit_token of a preview; applies that very edit.",
  },
  {
    ...plain,
    name: editArguments.expected,
    type: "string_map",
    description: "With dry_run false: path → before_sha256 of every file, as previewed.",
  },
];
