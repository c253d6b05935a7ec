/** A plan full of strings that try to break out of code, comments, Markdown and templates. */
import type { Plan } from "../../src/abi/plan.js";
import { planOf } from "../plan/config.js";

export const hostileText =
  'a"b\'c`d\u0024{process.exit(1)}*/ //\\ \n\r\u2028\u2029</script><!-- {{lit name}} {{{this}}} --> import("x") | _x_ \u0000 \ud83d\udc4d';

/** A valid plan with hostile descriptions, literals, paths and step ids. */
export function hostilePlan(): Plan {
  const { plan, problems } = planOf({
    servers: [{ id: "s", command: "rust-analyzer", extensions: ["rs"], execute_commands: [hostileText] }],
    allow: { effects: ["read", "command"] },
    methods: [
      {
        method: hostileText,
        result: {
          type: "object",
          title: hostileText,
          properties: { [hostileText]: { const: hostileText }, process: { enum: [{ eval: hostileText }] } },
        },
      },
    ],
    tools: [
      {
        name: "hostile",
        title: hostileText.slice(0, 60),
        description: hostileText,
        input: ["position", "symbol"],
        args: {
          process: { type: "string", description: hostileText, default: hostileText, enum: [hostileText] },
        },
        steps: [
          { id: "await", method: hostileText, params: { base: "text_document_position", set: hostileSet() } },
          {
            id: "eval",
            method: "textDocument/hover",
            each: { from: `step.await.${hostileText.replaceAll(".", "")}`, limit: 3 },
            params: { set: { import: { from: "each.process.eval" } } },
          },
          {
            id: "item",
            method: hostileText,
            params: { set: { x: { from: `step.eval.${hostileText.replaceAll(".", "")}` } } },
          },
        ],
      },
      {
        name: "run.hostile-command",
        effect: "command",
        input: "document",
        output: { shape: "text", at: `/${hostileText}`, language: hostileText },
        steps: [{ id: "process", kind: "execute_command", command: hostileText, arguments: [hostileText] }],
      },
    ],
  });
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  return plan;
}

/** Parameters whose keys are as hostile as their values. */
function hostileSet() {
  return JSON.parse(
    JSON.stringify({
      KEY: { deep: [hostileText] },
      process: { from: "input.process" },
      [hostileText]: hostileText,
    }).replace('"KEY"', '"__proto__"'),
  ) as { [key: string]: string };
}
