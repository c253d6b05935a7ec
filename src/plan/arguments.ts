/** The arguments of a tool → ArgPlans: those that it declares, and those of batches, edits and commands. */
import type { ArgPlan, OutputPlan, StepPlan } from "../abi/plan.js";
import { isTable } from "../base/json.js";
import { sortBy, sortedSet } from "../base/order.js";
import type { StepConfig, ToolConfig } from "../config/schema.js";
import { batchArgumentTexts, editArguments } from "../protocol/edit-arguments.js";
import { buildArg, noBounds } from "./argument-forms.js";
import { maxOperations } from "./defaults.js";
import type { Report } from "./report.js";
import type { PlacedServer } from "./servers.js";

/** The declared arguments; `taken` are the names of the tool's pointing and paging arguments. */
export function buildArgs(args: ToolConfig["args"], taken: readonly string[], report: Report): ArgPlan[] {
  return Object.entries(args ?? {}).map(([name, arg]) => {
    const message = `The argument \`${name}\` has the name of a pointing or paging argument.`;
    if (taken.includes(name)) report.at(name).add("plan/bad-tool", message, "Rename the argument.");
    return buildArg(name, arg, 0, report.at(name));
  });
}

/** The argument with this name, or the member of an object argument at the rest of the path. */
export function argAt(args: readonly ArgPlan[], [name, ...rest]: readonly string[]): ArgPlan | undefined {
  const arg = args.find((candidate) => candidate.name === name);
  if (rest.length === 0) return arg;
  return arg?.form?.kind === "object" ? argAt(arg.form.properties, rest) : undefined;
}

/** The names of the implicit arguments, for references. */
export function implicitNames(tool: ToolConfig, steps: readonly StepConfig[]): string[] {
  const { output } = tool;
  const isEdit = typeof output === "object" && output.apply === "on_request";
  return [
    ...steps.flatMap(commandArgumentName),
    ...steps.flatMap((step) =>
      step.kind === "batch"
        ? batchArguments(step.options ?? null, step.edits ?? false).map(({ name }) => name)
        : [],
    ),
    ...(isEdit ? Object.values(editArguments) : []),
  ];
}

/** Adds the implicit arguments, sorts all by name, and limits commands to those that the tool's servers allow. */
export function addImplicitArguments(
  declared: readonly ArgPlan[],
  tool: { steps: readonly StepPlan[]; servers: readonly string[] | null; output: OutputPlan },
  servers: readonly PlacedServer[],
  stepReport: (index: number) => Report,
): ArgPlan[] {
  const asked = servers.filter(({ plan }) => tool.servers?.includes(plan.id) ?? true);
  const allowed = sortedSet(asked.flatMap(({ plan }) => plan.executeCommands));
  let args = [...declared];
  tool.steps.forEach((step, index) => {
    // A command that must be offered first may be one that no server has.
    if (step.kind === "execute_command" && (step.when?.command ?? null) === null)
      args = limitCommand(args, step.command, allowed, stepReport(index).at("command"));
  });
  const batch = tool.steps.find((step) => step.kind === "batch");
  const own = [
    ...(batch === undefined ? [] : batchArguments(batch.options, batch.edits)),
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
  return { name, type, description, required: false, default: null, ...noBounds, form: null, ...more };
}

const editArgs: readonly ArgPlan[] = [
  argument(editArguments.dryRun, "boolean", "True shows the edit, false applies it; default true.", {
    default: true,
  }),
  argument(
    editArguments.token,
    "string",
    "With dry_run false: the edit_token of a preview; applies exactly that edit.",
    { maxLength: 128 },
  ),
  argument(
    editArguments.expected,
    "string_map",
    "With dry_run false: path → before_sha256 of every file, as previewed.",
  ),
];

/** The operations of a batch, and its options as arguments or as one table of the given name. */
function batchArguments(options: string | null, edits: boolean): readonly ArgPlan[] {
  const operations = argument("operations", "operations", `The calls, 1 to ${maxOperations}.`, {
    required: true,
    minimum: 1,
    maximum: maxOperations,
  });
  if (options !== null)
    return [operations, argument(options, "batch_options", "How the operations are run.")];
  return [
    operations,
    argument("parallel", "boolean", batchArgumentTexts.parallel, { default: false }),
    argument("stop_on_error", "boolean", batchArgumentTexts.stopOnError, { default: true }),
    ...(edits
      ? [
          argument("atomic", "boolean", batchArgumentTexts.atomic, { default: false }),
          argument("dry_run", "boolean", batchArgumentTexts.dryRun, { default: false }),
        ]
      : []),
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
  report: Report,
): ArgPlan[] {
  if (allowed.length === 0) {
    const fix = "Name the commands in the server's `execute_commands`.";
    report.add("plan/bad-step", "None of the tool's servers allows a command.", fix);
    return args;
  }
  if (command.kind === "literal") {
    if (typeof command.value !== "string" || !allowed.includes(command.value))
      report.unknown("plan/bad-step", "The allowed command", String(command.value), allowed);
    return args;
  }
  if (command.kind !== "ref" || command.ref.root !== "input" || command.ref.name === null) {
    const fix = 'Write the name, or `{ from = "input.command" }`.';
    report.add("plan/bad-step", "`command` is neither a name nor an argument.", fix);
    return args;
  }
  const { name } = command.ref;
  const declared =
    args.find((arg) => arg.name === name) ??
    argument(name, "string", "The command to run.", { required: true });
  const values = declared.enum?.filter((value) => allowed.includes(String(value))) ?? allowed;
  return [...args.filter((arg) => arg.name !== name), { ...declared, enum: values }];
}
