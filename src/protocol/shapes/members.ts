/**
 * The shapes `items` (custom items with the members that a step picks) and `members` (several answers side by side).
 */
import type { ColumnPlan, DialectPlan, MemberPlan, OutputPlan, ShapeName } from "../../abi/plan.js";
import type { JsonObject } from "../../base/json.js";
import { documentFields, pointSchema, spanFields, spanSchema } from "../dialect-format.js";
import { closed, count, type Fields, joinFields, none, optional, required, text } from "../schema-fields.js";
import type { ShapeFacts } from "./facts.js";

export const itemsFacts: ShapeFacts = {
  list: "items",
  counted: true,
  // The step sorts its items.
  order: [],
  item: (dialect, output) => closed(...output.columns.map((column) => columnFields(column, dialect))),
};

/** A member of an item. Only counts are always known. */
function columnFields({ name, as }: ColumnPlan, dialect: DialectPlan): Fields {
  switch (as) {
    case "count":
      return required({ [name]: count });
    case "path":
    case "kind":
    case "text":
      return optional({ [name]: text });
    case "range":
      return optional({ [name]: spanSchema(dialect) });
    case "position":
      return optional({ [name]: pointSchema(dialect) });
    case "location":
      return optional({ [name]: closed(documentFields(dialect), spanFields(dialect)) });
    case null:
      return optional({ [name]: {} });
  }
}

/** The facts of `members`; `factsOf` gives those of the shapes that it is made of. */
export function membersFacts(factsOf: (shape: ShapeName) => ShapeFacts): ShapeFacts {
  return {
    list: null,
    counted: false,
    order: [],
    item: () => ({}),
    otherMembers: (dialect, output) =>
      joinFields(
        ...output.members.map((member) =>
          required({ [member.name]: memberSchema(member, dialect, output, factsOf) }),
        ),
      ),
  };
}

/** A member is null if its step failed or was skipped. */
function memberSchema(
  member: MemberPlan,
  dialect: DialectPlan,
  output: OutputPlan,
  factsOf: (shape: ShapeName) => ShapeFacts,
): JsonObject {
  if (member.shape === "count") return { type: ["integer", "null"], minimum: 0 };
  const facts = factsOf(member.shape);
  const own = memberOutput(output, member, member.shape);
  const items = { type: "array", items: facts.item(dialect, own) };
  const value = closed(
    facts.otherMembers?.(dialect, own) ?? none,
    facts.counted ? required({ total: count, shown: count }) : none,
    facts.list === null ? none : required({ [facts.list]: items }),
  );
  return { oneOf: [value, { type: "null" }] };
}

/** The output of one member, as if it were the output of a tool. */
export function memberOutput(output: OutputPlan, member: MemberPlan, shape: ShapeName): OutputPlan {
  const { at, language, columns } = member;
  const plain = { list: null, count: null, symbols: null, ids: false, schema: null, filter: null };
  return { ...output, ...plain, shape, at, language, columns, members: [] };
}
