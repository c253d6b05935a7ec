/** Arguments that a tool has without declaring them: those of batches, of edits, and of commands to run. */
import type { ArgPlan, OutputPlan, StepPlan } from "../abi/plan.js";
import { isTable } from "../base/json.js";
import { sortBy, sortedSet } from "../base/order.js";
import type { StepConfig, ToolConfig } from "../config/schema.js";
import { editArguments } from "../protocol/edit-arguments.js";
import { maxOperations } from "./defaults.js";
import type { Report } from "./report.js";
import type { PlacedServer } from "./servers.js";

/** The names of the implicit arguments, for references. */
export function implicitNames(tool: ToolConfig, steps: readonly StepConfig[]): string[] {
  const { output } = tool;
  const isEdit = typeof output === "object" && output.apply === "on_request";
  return [
    ...steps.flatMap(commandArgumentName),
    ...steps.flatMap((step) =>
      step.kind === "batch" ? batchArguments(step.options ?? null).map(({ name }) => name) : [],
    ),
    ...(isEdit ? Object.values(editArguments) : []),
  ];
}

/** Adds the implicit arguments, and limits commands to those that the tool's servers allow. */
export function addImplicitArguments(
  declared: readonly ArgPlan[],
  tool: { steps: readonly StepPlan[]; servers: readonly string[] | null; output: OutputPlan },
  pointerOf: (index: number) => string,
  context: { servers: readonly PlacedServer[]; report: Report },
): ArgPlan[] {
  const allowed = allowedCommands(tool.servers, context.servers);
  let args = [...declared];
  tool.steps.forEach((step, index) => {
    if (step.kind === "execute_command")
      args = limitCommand(args, step.command, allowed, `${pointerOf(index)}/command`, context.report);
  });
  const batch = tool.steps.find((step) => step.kind === "batch");
  const own = [
    ...(batch === undefined ? [] : batchArguments(batch.options)),
    ...(tool.output.apply === "on_request" ? editArgs : []),
  ];
  // A tool may declare one of them itself, to describe it or to set its default.
  const missing = own.filter(({ name }) => !args.some((arg) => arg.name === name));
  return sortBy([...args, ...missing], (arg) => [arg.name]);
}

function argument(
  name: string,
  type: ArgPlan["type"],
  description: string,
  more: Partial<ArgPlan> = {},
): ArgPlan {
  return {
    name,
    type,
    description,
    required: false,
    default: null,
    enum: null,
    minLength: null,
    maxLength: null,
    minimum: null,
    maximum: null,
    beyond: "refuse",
    ...more,
  };
}

const editArgs: readonly ArgPlan[] = [
  argument(editArguments.dryRun, "boolean", "True shows the edit, false applies it; default true.", {
    default: true,
  }),
  argument(
    editArguments.token,
    "string",
    "With dry_run false: the edit_token of a preview; applies that very edit.",
    { maxLength: 128 },
  ),
  argument(
    editArguments.expected,
    "string_map",
    "With dry_run false: path → before_sha256 of every file, as previewed.",
  ),
];

/** The operations of a batch, and its options as two arguments or as one table of the given name. */
function batchArguments(options: string | null): readonly ArgPlan[] {
  const operations = argument("operations", "operations", `The calls, 1 to ${maxOperations}.`, {
    required: true,
    minimum: 1,
    maximum: maxOperations,
  });
  if (options !== null)
    return [operations, argument(options, "batch_options", "How the operations are run.")];
  return [
    operations,
    argument("parallel", "boolean", "Side by side instead of one after the other; default false.", {
      default: false,
    }),
    argument("stop_on_error", "boolean", "Skips what has not begun when one fails; default true.", {
      default: true,
    }),
  ];
}

/** The argument that names the command of an `execute_command` step, if it is one. */
function commandArgumentName(step: StepConfig): string[] {
  const from = step.kind === "execute_command" && isTable(step.command) ? step.command.from : undefined;
  const name = typeof from === "string" && from.startsWith("input.") ? from.slice("input.".length) : "";
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? [name] : [];
}

/** Checks a literal command, or makes the argument that names the command an enum of the allowed ones. */
function limitCommand(
  args: ArgPlan[],
  command: Extract<StepPlan, { kind: "execute_command" }>["command"],
  allowed: string[],
  pointer: string,
  report: Report,
): ArgPlan[] {
  if (allowed.length === 0) {
    const fix = "Name the commands in the server's `execute_commands`.";
    report.add("plan/bad-step", pointer, "None of the tool's servers allows a command.", fix);
    return args;
  }
  if (command.kind === "literal") {
    if (typeof command.value !== "string" || !allowed.includes(command.value))
      report.unknown("plan/bad-step", pointer, "The allowed command", String(command.value), allowed);
    return args;
  }
  if (command.kind !== "ref" || command.ref.root !== "input" || command.ref.name === null) {
    const fix = 'Write the name, or `{ from = "input.command" }`.';
    report.add("plan/bad-step", pointer, "`command` is neither a name nor an argument.", fix);
    return args;
  }
  const { name } = command.ref;
  const declared =
    args.find((arg) => arg.name === name) ??
    argument(name, "string", "The command to run.", { required: true });
  const values = declared.enum?.filter((value) => allowed.includes(value)) ?? allowed;
  return [...args.filter((arg) => arg.name !== name), { ...declared, enum: values }];
}

function allowedCommands(ids: readonly string[] | null, servers: readonly PlacedServer[]): string[] {
  return sortedSet(
    servers
      .filter(({ plan }) => ids === null || ids.includes(plan.id))
      .flatMap(({ plan }) => plan.executeCommands),
  );
}
