/** The shape `members`: the values of several steps side by side, each in its own shape and with its own cap. */
import type { AnswerOptions } from "../../abi/handler.js";
import type { MemberPlan, ShapeName } from "../../abi/plan.js";
import { define, isTable, type Json, type JsonObject } from "../../base/json.js";
import { Fault, type Refusal } from "../../base/problem.js";
import { cutCharacters } from "../../base/text.js";
import { Turns } from "../../base/timing.js";
import { memberOutput } from "../../protocol/shapes/members.js";
import { shapes } from "../../protocol/shapes.js";
import { table, textOf } from "../answer/answer-text.js";
import { listOf, type ReplyData } from "../ask/candidates.js";
import type { CallState } from "../call-state.js";
import { sortRendered } from "../listing/list.js";
import type { Shape } from "./shape.js";

type ShapeOf = (name: ShapeName) => Shape | undefined;

/** The shape, with the shapes that its members may have. */
export function membersShape(shapeOf: ShapeOf): Shape {
  return {
    nouns: undefined,
    async normalize(reply, call) {
      const beside: JsonObject = {};
      const failures: Refusal[] = [];
      const { members } = call.tool.output;
      for (const member of members) {
        const own = reply.members?.[member.name];
        if (own?.skipped !== undefined) failures.push(own.skipped);
        define(beside, member.name, own === undefined ? null : await memberValue(call, member, own, shapeOf));
      }
      const [failure] = failures;
      if (failure !== undefined && failures.length === members.length) throw failure;
      // The names and shapes of the members, for their text.
      return { items: members.map(({ name, shape }) => ({ name, shape })), beside };
    },
    shorten: (items, beside, characters) => ({
      items,
      beside: Object.fromEntries(
        Object.entries(beside).map(([name, value]) => [name, shorter(value, characters / items.length)]),
      ),
    }),
    text: (items, beside, dialect) =>
      items.flatMap((item) => {
        const name = textOf(table(item).name);
        const value = beside[name];
        if (!isTable(value)) return [`${name}: ${value === null ? "unknown" : JSON.stringify(value)}`];
        const shape = table(item).shape as ShapeName;
        const { list, counted } = shapes[shape];
        const rows = list === null ? [] : listOf(value[list]);
        const lines = shapeOf(shape)?.text(rows as Json[], value, dialect) ?? [];
        const total = counted
          ? ` ${rows.length === value.total ? value.total : `${rows.length} of ${value.total}`}`
          : "";
        const single = lines.flatMap((line) => line.split("\n"));
        return [`${name}:${total}`, ...single.map((line) => (line === "" ? "" : `  ${line}`))];
      }),
  };
}

/** The value of one member; null where the step failed or did not run. */
async function memberValue(
  call: CallState,
  member: MemberPlan,
  reply: ReplyData,
  shapeOf: ShapeOf,
): Promise<Json> {
  const { skipped, isAbsent, parts } = reply;
  if (skipped !== undefined) {
    const code = skipped.code === "lsp/not-supported" ? "answer/not-supported" : "answer/step-failed";
    call.evidence.warn(code, `\`${member.name}\` is not known: ${skipped.message}`, {
      step: member.step,
      code: skipped.code,
    });
    return null;
  }
  if (isAbsent) return null;
  if (member.shape === "count") return parts.reduce((sum, { value }) => sum + listOf(value).length, 0);
  const shape = shapeOf(member.shape);
  if (shape === undefined) throw new Fault(`there is no shape ${member.shape}`);
  const { at, language, snippet } = member;
  const maxItems = Math.min(member.maxItems, call.plan.limits.maxItems);
  const output = memberOutput(call.tool.output, member, member.shape);
  const own = { ...call, tool: { ...call.tool, output, maxItems, defaultItems: null, page: null } };
  const options: AnswerOptions = { at, ...(language === null ? {} : { language }) };
  const shown = { show: snippet, contextLines: undefined, maxChars: undefined };
  const hasText = snippet || member.shape === "locations";
  const found = await shape.normalize(reply, own, hasText ? { ...options, snippet: shown } : options);
  const facts = shapes[member.shape];
  if (!("list" in found) && !facts.counted)
    return {
      ...found.beside,
      ...(facts.list === null ? {} : { [facts.list]: found.items.slice(0, maxItems) }),
    };
  const turns = new Turns(call.signal);
  const list =
    "list" in found ? found.list : await sortRendered(found.items, facts, call.plan.dialect, turns);
  const count = Math.min(maxItems, list.length);
  const rendered = await list.render(0, count, { places: call.places, turns });
  if (count < list.length)
    call.evidence.truncated(`${count} of ${list.length} of \`${member.name}\` are shown.`, {
      step: member.step,
    });
  return { ...found.beside, total: list.length, shown: count, [facts.list ?? ""]: rendered };
}

/** A member with no more than so many characters: the first items of its lists, and cut texts. */
function shorter(value: Json, characters: number): Json {
  if (typeof value === "string") return cutCharacters(value, Math.floor(characters)).text;
  if (!isTable(value)) return value;
  const out: JsonObject = {};
  for (const [name, part] of Object.entries(value)) {
    if (!Array.isArray(part)) {
      define(out, name, typeof part === "string" ? shorter(part, characters) : part);
      continue;
    }
    const kept: Json[] = [];
    let left = characters;
    for (const item of part) {
      const cut = typeof item === "string" ? shorter(item, left) : item;
      left -= JSON.stringify(cut).length;
      if (left < 0) break;
      kept.push(cut);
    }
    define(out, name, kept);
    if (out.shown !== undefined) out.shown = kept.length;
  }
  return out;
}
