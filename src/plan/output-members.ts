/** The members that an output names itself: each only where its shape and tool have what it tells, and none twice. */
import type { OutputPlan } from "../abi/plan.js";
import type { ToolConfig } from "../config/schema.js";
import { evidenceMembers } from "../protocol/envelope.js";
import { shapes } from "../protocol/shapes.js";
import type { Report } from "./report.js";

/** Reports names that cannot stand in the answers of a tool. */
export function checkMembers(output: OutputPlan, tool: ToolConfig, pointer: string, report: Report): void {
  const bad = (message: string, fix: string) => report.add("plan/bad-tool", pointer, message, { fix });
  const facts = shapes[output.shape];
  if (output.list !== null && facts?.list === null)
    bad(`The shape \`${output.shape}\` has no list.`, "Remove `list`.");
  if (output.count !== null && !facts?.counted)
    bad(`The shape \`${output.shape}\` has no items to count.`, "Remove `count`.");
  const { symbols } = output;
  if (symbols !== null && (!facts?.counted || facts.within !== undefined))
    bad(`The items of the shape \`${output.shape}\` do not stand under a symbol.`, "Remove `symbols`.");
  const anchors = [tool.input ?? []].flat();
  if (symbols !== null && (anchors.length !== 1 || anchors[0] !== "symbol"))
    bad("`symbols` is for tools that point by a symbol's name alone.", 'Set `input = "symbol"`.');
  const own = [symbols?.list ?? output.list, output.count, symbols?.count].flatMap((name) => name ?? []);
  const twice = own.find((name, index) => evidenceMembers.includes(name) || own.indexOf(name) !== index);
  if (twice !== undefined)
    bad(`The answer has another member \`${twice}\` already.`, "Choose another name for one of them.");
}
