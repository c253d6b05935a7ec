/** The profile `pathfinder` against a scripted server: three tries while nothing is found, and URIs only. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadText, planText } from "../plan/config.js";
import { range } from "../runtime/test-workspace.js";
import { openProfile, type Scripted } from "./scripted.js";

const place = { uri: "file:///work/a.fake", range: range(0, 1, 2) };

describe("pathfinder", () => {
  let pathfinder: Scripted;
  beforeAll(async () => {
    pathfinder = await openProfile(
      "pathfinder",
      { "a.fake": "text\ntext\n" },
      {
        capabilities: { definitionProvider: true },
        replies: {
          "textDocument/definition": {
            $each: [
              [],
              null,
              [],
              [],
              [place],
              {
                targetUri: place.uri,
                targetRange: range(0, 0, 4),
                targetSelectionRange: place.range,
              },
            ],
          },
        },
      },
    );
  });
  afterAll(() => pathfinder?.close());

  const ask = async (line: number) => {
    const before = (await pathfinder.work.received("textDocument/definition")).length;
    const [text = ""] = await pathfinder.texts("definition", {
      uri: pathfinder.work.uri("a.fake"),
      line,
      character: 0,
    });
    const asked = (await pathfinder.work.received("textDocument/definition")).length - before;
    const came = (await pathfinder.work.arrivals("textDocument/definition")).slice(before);
    const gaps = came.slice(1).map((ms, index) => ms - (came[index] ?? ms));
    return { found: JSON.parse(text) as unknown, asked, gaps };
  };

  it("asks three times, 150 ms apart, while nothing is found, and no more when something is", async () => {
    const nothing = await ask(0);
    expect(nothing).toMatchObject({ found: [], asked: 3 });
    expect(nothing.gaps).toHaveLength(2);
    // By the server's own clock; a timer may be early by a little.
    for (const gap of nothing.gaps) expect(gap).toBeGreaterThanOrEqual(140);
    const found = [{ uri: pathfinder.work.uri("a.fake"), range: place.range }];
    expect(await ask(1)).toMatchObject({ found, asked: 2 });
    // A single link is a list of one, and of a link the name counts.
    expect(await ask(0)).toMatchObject({ found, asked: 1 });
  });

  it("closes its documents before it asks the server to end", async () => {
    const folder = mkdtempSync(join(tmpdir(), "lsp-proxy-pathfinder-"));
    const closed = join(folder, "closed.json");
    const other = await openProfile(
      "pathfinder",
      { "a.fake": "x\n" },
      {
        capabilities: { definitionProvider: true },
        replies: { "textDocument/definition": [place] },
        on: { "textDocument/didClose": [{ save: closed }] },
      },
    );
    try {
      const uri = other.work.uri("a.fake");
      await other.texts("definition", { uri, line: 0, character: 0 });
      expect(existsSync(closed)).toBe(false);
      await other.close();
      expect(readFileSync(closed, "utf8")).toContain(uri);
    } finally {
      await other.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it.each(["a.fake", "./a.fake", "https://host/a.fake"])("refuses %s", async (uri) => {
    const { isError, text } = await pathfinder.call("definition", { uri, line: 0, character: 0 });
    expect(isError).toBe(true);
    expect(text).toContain("guard/bad-uri");
    expect(text).toContain("Only `file:` URIs without a host are accepted.");
    expect(text).toContain("Give the whole URI");
  });
});

describe("pathfinder's own config", () => {
  const server = { extensions: ["fake"], command: ["/bin/my-server", "--stdio"], rootDir: "src" };

  it("is read: one server, its root, and the profile", () => {
    const { config } = loadText(JSON.stringify({ server }), "json");
    expect(config.workspace?.roots).toEqual(["src"]);
    expect(config.mcp?.context).toBe("pathfinder");
    expect(config.servers).toMatchObject([
      { id: "my-server", command: ["/bin/my-server", "--stdio"], extensions: ["fake"] },
    ]);
    const { mcp, servers, tools } = planText(JSON.stringify({ server }), "json");
    expect(mcp).toMatchObject({ name: "pathfinder", listed: ["definition"] });
    expect(servers).toHaveLength(1);
    expect(tools.find(({ name }) => name === "definition")?.timeoutMs).toBe(15_000);
  });

  it.each([
    [{ ...server, command: [] }, "/server/command"],
    [{ ...server, command: "" }, "/server/command"],
    [{ ...server, rootDir: 5 }, "/server/rootDir"],
    [{ ...server, extensions: [] }, "/server"],
  ])("%j is refused at its own place %s", (given, pointer) => {
    expect(() => planText(JSON.stringify({ server: given }), "json")).toThrow(
      expect.objectContaining({
        problems: [expect.objectContaining({ pointer: expect.stringContaining(pointer) })],
      }),
    );
  });
});
