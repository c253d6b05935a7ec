import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { canonicalText, isTable } from "../../src/base/json.js";
import { sortedSet } from "../../src/base/order.js";
import { planOf } from "./config.js";

const folder = new URL("./goldens/", import.meta.url);
const separator = "\n---------- plan, where it differs from that of an empty config ----------\n";

/** Each file is a config and its plan; `vitest -u` writes the plan anew. */
describe("plan goldens", () => {
  const { plan: empty } = planOf({});
  for (const name of sortedSet(readdirSync(folder))) {
    it(name, async () => {
      const [toml = ""] = readFileSync(new URL(name, folder), "utf8").split(separator);
      const { plan, problems } = planOf(toml);
      const told = difference({ ...plan, problems }, { ...empty, problems: [] }, 2);
      const text = `${JSON.stringify(told, null, 2)}\n`;
      await expect(toml + separator + text).toMatchFileSnapshot(new URL(name, folder).pathname);
    });
  }
});

/** The members of a table that differ from another's, down to a depth. */
function difference(value: unknown, other: unknown, depth: number): unknown {
  if (depth === 0 || !isTable(value) || !isTable(other)) return value;
  const differing = Object.entries(value).filter(
    ([key, member]) => canonicalText(member) !== canonicalText(other[key]),
  );
  return Object.fromEntries(
    differing.map(([key, member]) => [key, difference(member, other[key], depth - 1)]),
  );
}
