import { expect, test } from "vitest";
import { ask, received, session, signal } from "./support.js";

test("smoke", async () => {
  const { server, file } = await session({
    capabilities: { hoverProvider: true },
    replies: { "textDocument/hover": { contents: "hi" } },
  });
  const document = await server.sync(file, signal());
  expect(document).toMatchObject({ version: 1, languageId: "fake" });
  expect(
    await ask(server, "textDocument/hover", {
      textDocument: { uri: document.uri },
      position: { line: 0, character: 0 },
    }),
  ).toEqual({ contents: "hi" });
  const [init] = await received(server, "initialize");
  expect(init?.processId).toBe(process.pid);
});
