/**
 * A server of the matrix in a repository in which everything that it might run leaves a mark: as long as nobody trusts it,
 * nothing does. `npm run matrix` runs this with each server, while it is there; `STRANGE_SERVERS` has their names.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "smol-toml";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/base/json.js";
import { openCatalogue } from "../../src/cli/presets.js";
import { sampleFor } from "../../src/cli/verify/sample.js";
import { serverLines } from "../../src/config/edit/server-text.js";
import { repository } from "../live/session.js";
import { askIn, makeStrange } from "../live/strange.js";
import { type Entry, fetch } from "./fetch.mjs";

const servers = parse(readFileSync(join(repository, "test/matrix/servers.toml"), "utf8")) as {
  [id: string]: Entry;
};
const wanted = (process.env.STRANGE_SERVERS ?? "").split(" ").filter((id) => id in servers);

describe.skipIf(wanted.length === 0)("in an untrusted repository", () => {
  it.each(wanted.length === 0 ? ["no server"] : wanted)(
    "%s runs nothing of it",
    async (id) => {
      const entry = servers[id] ?? {};
      const preset = openCatalogue().preset(id)?.config;
      const sample = preset && sampleFor(preset);
      if (sample === undefined) throw new Error(`there is no sample for ${id}`);
      const { bins = [], modules, failure } = fetch(id, entry);
      expect(failure).toBeUndefined();
      const strange = makeStrange(sample);
      const command: { command?: string } = entry.command === undefined ? {} : { command: entry.command };
      const server = { id: "x", kind: id, ...sample.server, ...command } as JsonObject;
      const own = serverLines(server).join("\n");
      const file = sample.ask?.file ?? sample.broken?.file ?? Object.keys(sample.files)[0] ?? "";
      try {
        await askIn(strange, id, sample.ask ?? { file, line: 1, character: 1 }, {
          ...command,
          path: [...bins, ...(modules === undefined ? [] : [join(modules, ".bin")])],
          config: sample.stack === null ? `[[servers]]\n${own}\n` : `extends = ["stacks/${sample.stack}"]\n`,
        });
        expect(strange.marks()).toEqual([]);
      } finally {
        strange.remove();
      }
    },
    240_000,
  );
});
