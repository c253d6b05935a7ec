/** Checks that the arguments in the conditions of steps can have the values that they are compared with. */
import type { ArgPlan, StepPlan, Template } from "../abi/plan.js";
import { violation } from "./argument-values.js";
import { argAt } from "./arguments.js";
import type { Report } from "./report.js";

const numbers: readonly string[] = ["integer", "number"];
const lists: readonly string[] = ["list", "string_list"];
const tables: readonly string[] = ["object", "string_map"];

/** Reports conditions of `where` and `when` that can never hold. */
export function checkConditions(
  steps: readonly StepPlan[],
  args: readonly ArgPlan[],
  reportOf: (index: number) => Report,
): void {
  steps.forEach((step, index) => {
    const report = reportOf(index);
    step.list?.where.forEach(({ is, in: words, moreThan, lessThan }, condition) => {
      const at = report.at("where", condition);
      const check = (value: Template | null, key: string, fits: (type: string) => boolean, kind: string) => {
        const arg = argumentOf(value, args);
        if (arg === undefined || fits(arg.type)) return;
        at.at(key).add(
          "plan/bad-step",
          `The argument \`${arg.name}\` is no ${kind}.`,
          `Compare with an argument that is a ${kind}.`,
        );
      };
      check(is, "is", (type) => ![...lists, ...tables].includes(type), "single value");
      check(words, "in", (type) => lists.includes(type), "list");
      check(moreThan, "more_than", (type) => numbers.includes(type), "number");
      check(lessThan, "less_than", (type) => numbers.includes(type), "number");
    });
    checkWhen(step, args, report.at("when", "is"));
  });
}

function checkWhen({ when }: StepPlan, args: readonly ArgPlan[], report: Report): void {
  if (when?.is?.kind !== "literal") return;
  const arg = args.find(({ name }) => name === when.argument);
  const why = arg === undefined ? undefined : violation(when.is.value, arg);
  if (why === undefined) return;
  const message = `The argument \`${when.argument}\` never has this value: it ${why}.`;
  report.add("plan/bad-step", message, "Correct the value.");
}

function argumentOf(value: Template | null, args: readonly ArgPlan[]): ArgPlan | undefined {
  if (value?.kind !== "ref" || value.ref.root !== "input" || value.ref.name === null) return undefined;
  return argAt(args, [value.ref.name, ...value.ref.path]);
}
