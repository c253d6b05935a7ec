/** The form of a tool in the playground: its fields from the schema, and its arguments from what was filled in. */
import { expect, it } from "vitest";
import { argumentsOf, fieldsOf, isUsual } from "../../src/dashboard/page/schema-fields.js";

const schema = {
  type: "object",
  properties: {
    cursor: { type: "string" },
    line: { type: "integer", description: "1-based." },
    file_path: { type: "string" },
    dry_run: { type: "boolean", default: true },
    mode: { enum: ["fast", "slow"] },
    kinds: { type: "array", items: { type: "string" } },
    operations: { type: "array", items: { type: "object" } },
    name: { type: "string" },
  },
  required: ["name"],
};

it("asks for what is required first, then for what most calls need", () => {
  const fields = fieldsOf(schema);
  expect(fields.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
    "name text",
    "file_path text",
    "line number",
    "cursor text",
    "dry_run choice",
    "mode choice",
    "kinds lines",
    "operations json",
  ]);
  expect(fields.filter(isUsual).map(({ name }) => name)).toEqual(["name", "file_path", "line"]);
  expect(fields.find(({ name }) => name === "dry_run")).toMatchObject({
    options: ["true", "false"],
    defaultText: "true",
  });
  expect(fieldsOf({})).toEqual([]);
});

it("gives each argument its type, and leaves out what is empty", () => {
  const values = {
    name: " a ",
    line: "12",
    dry_run: "false",
    mode: '"slow"',
    kinds: "quickfix\n\nrefactor\n",
    operations: '[{ "tool": "x" }]',
    cursor: "  ",
  };
  expect(argumentsOf(fieldsOf(schema), values)).toEqual({
    arguments: {
      name: " a ",
      line: 12,
      dry_run: false,
      mode: "slow",
      kinds: ["quickfix", "refactor"],
      operations: [{ tool: "x" }],
    },
    wrong: {},
  });
});

it("says by field what is wrong", () => {
  const { wrong } = argumentsOf(fieldsOf(schema), { line: "two", operations: "[" });
  expect(Object.keys(wrong).toSorted()).toEqual(["line", "name", "operations"]);
  expect(wrong.name).toBe("This argument is required.");
});
