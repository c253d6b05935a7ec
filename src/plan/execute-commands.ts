/** `workspace/executeCommand` runs allowed names only: a literal is checked, an argument becomes an enum of them. */
import type { ArgPlan, StepPlan } from "../abi/plan.js";
import { isTable } from "../base/json.js";
import { sortBy, sortedSet } from "../base/order.js";
import type { StepConfig } from "../config/schema.js";
import type { Report } from "./report.js";
import type { PlacedServer } from "./servers.js";

/** The arguments that name a command and so exist without being declared. */
export function commandArguments(steps: readonly StepConfig[]): string[] {
  return steps.flatMap((step) => {
    const from = step.kind === "execute_command" && isTable(step.command) ? step.command.from : undefined;
    const name = typeof from === "string" && from.startsWith("input.") ? from.slice("input.".length) : "";
    return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? [name] : [];
  });
}

/** The arguments with the enum of allowed commands where one names a command; what is not allowed is noted. */
export function addCommandNames(
  args: readonly ArgPlan[],
  steps: readonly StepPlan[],
  servers: readonly string[] | null,
  pointerOf: (index: number) => string,
  context: { servers: readonly PlacedServer[]; report: Report },
): ArgPlan[] {
  let out = [...args];
  steps.forEach((step, index) => {
    if (step.kind !== "execute_command") return;
    const at = `${pointerOf(index)}/command`;
    const allowed = allowedCommands(servers, context.servers);
    if (allowed.length === 0)
      context.report.add("plan/bad-step", at, "None of the tool's servers allows a command.", {
        fix: "Name the commands in the server's `execute_commands`.",
      });
    else out = narrow(out, step.command, allowed, at, context.report);
  });
  return sortBy(out, (arg) => [arg.name]);
}

function narrow(
  args: readonly ArgPlan[],
  command: Extract<StepPlan, { kind: "execute_command" }>["command"],
  allowed: string[],
  pointer: string,
  report: Report,
): ArgPlan[] {
  if (command.kind === "literal") {
    if (typeof command.value !== "string" || !allowed.includes(command.value))
      report.unknown("plan/bad-step", pointer, "The allowed command", String(command.value), allowed);
    return [...args];
  }
  if (command.kind !== "ref" || command.ref.root !== "input" || command.ref.name === null) {
    report.add("plan/bad-step", pointer, "`command` is neither a name nor an argument.", {
      fix: 'Write the name, or `{ from = "input.command" }`.',
    });
    return [...args];
  }
  const { name } = command.ref;
  const declared = args.find((arg) => arg.name === name) ?? commandArgument(name);
  const values = declared.enum?.filter((value) => allowed.includes(value)) ?? allowed;
  return [...args.filter((arg) => arg.name !== name), { ...declared, enum: values }];
}

function commandArgument(name: string): ArgPlan {
  return {
    name,
    type: "string",
    description: "The command to run.",
    required: true,
    default: null,
    enum: null,
    beyond: "refuse",
    minLength: null,
    maxLength: null,
    minimum: null,
    maximum: null,
  };
}

function allowedCommands(ids: readonly string[] | null, servers: readonly PlacedServer[]): string[] {
  return sortedSet(
    servers
      .filter(({ plan }) => ids === null || ids.includes(plan.id))
      .flatMap(({ plan }) => plan.executeCommands),
  );
}
