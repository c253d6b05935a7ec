/** Vue 3 by config alone: two servers, feature lists, a forward rule. The servers are fetched once, beside the repository. */
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fetch } from "../matrix/fetch.mjs";
import { type LiveSession, openSession } from "./session.js";

/** They want a TypeScript 5 of their own next to them, so they cannot stand among this project's packages. */
const packages = [
  "@vue/language-server@3.3.11",
  "@vtsls/language-server@0.3.0",
  "@vue/typescript-plugin@3.3.11",
  "vue@3.5.45",
  "typescript@5.9.3",
];
const { modules, failure } = fetch("vue-language-server", { npm: packages });

const component = `<script setup lang="ts">
import { greet } from "./a";
const msg = greet("q");
</script>
<template><div>{{ greet("x") }} {{ msg }}</div></template>
`;

if (failure !== undefined) console.warn(`stacks/vue is skipped: ${failure}`);

describe.skipIf(modules === undefined)("stacks/vue", () => {
  let session: LiveSession;
  beforeAll(async () => {
    const config = 'extends = ["stacks/vue"]\n[limits]\ntimeout_ms = 120000\n';
    session = await openSession("empty", config, ["--trust-workspace"], {
      "package.json": '{ "name": "x", "type": "module" }',
      "tsconfig.json":
        '{ "compilerOptions": { "strict": true, "module": "esnext", "moduleResolution": "bundler", "target": "es2022" } }',
      "a.ts": "export function greet(name: string): string {\n  return name;\n}\n",
      "Comp.vue": component,
    });
    symlinkSync(modules ?? "", join(session.folder, "node_modules"), "dir");
  });
  afterAll(() => session?.close());

  const ask = async (tool: string, args: object) => {
    const { structuredContent } = await session.call(tool, args);
    expect(structuredContent).toMatchObject({ ok: true });
    return structuredContent;
  };
  const greet = expect.objectContaining({ path: "a.ts", line: 1, character: 17 });

  it("finds the uses in a template from a plain module, and gives the outline of a component", async () => {
    // Nothing of the component is open yet: the project itself must know it.
    const { locations } = await ask("find_references", { file_path: "a.ts", line: 1, character: 18 });
    expect(locations).toContainEqual(expect.objectContaining({ path: "Comp.vue", line: 5 }));
    const { symbols } = await ask("get_document_symbols", { file_path: "Comp.vue" });
    expect((symbols as { name: string }[]).map(({ name }) => name)).toContain("msg");
  });

  it("goes from script and from template to the definition", async () => {
    for (const place of [
      { line: 3, character: 14 },
      { line: 5, character: 20 },
    ]) {
      const answer = await ask("find_definition", { file_path: "Comp.vue", ...place });
      expect(answer.locations).toEqual([greet]);
    }
  });
});
