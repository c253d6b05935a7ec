/** Requests for a client's roots that are answered late: only the newest counts. */
import { ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, expect, it } from "vitest";
import { closeAll, connect, definition, openGateway } from "./support.js";

afterEach(closeAll);

it.each([
  ["its roots", false],
  ["an error", true],
])(
  "an earlier request that is answered with %s changes nothing, and its call has the newest roots",
  async (_, isError) => {
    const { url, work } = await openGateway({
      files: { "old/a.fake": "one two\n", "new/a.fake": "one two\n" },
      servers: { fake: { scenario: definition } },
    });
    const client = await connect(url, { roots: [] });
    let asked = 0;
    let answerFirst: () => void = () => undefined;
    const first = new Promise<void>((resolve) => {
      answerFirst = resolve;
    });
    client.setRequestHandler(ListRootsRequestSchema, async () => {
      if (++asked > 1) return { roots: [{ uri: work.uri("new") }] };
      await first;
      if (isError) throw new Error("no roots");
      return { roots: [{ uri: work.uri("old") }] };
    });
    const look = async (folder: string) => {
      // Names start at the first root.
      const args = { file_path: work.uri(`${folder}/a.fake`), line: 1, character: 1 };
      return (await client.callTool({ name: "find_definition", arguments: args })).structuredContent;
    };
    const outside = { ok: false, error: { code: "guard/outside-root" } };
    const early = look("old");
    await expect.poll(() => asked).toBe(1);
    await client.sendRootsListChanged();
    expect(await look("new")).toMatchObject({ ok: true });
    expect(asked).toBe(2);
    answerFirst();
    expect(await early).toMatchObject(outside);
    expect(await look("new")).toMatchObject({ ok: true });
    expect(await look("old")).toMatchObject(outside);
    expect(asked).toBe(2);
  },
);
