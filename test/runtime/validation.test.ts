/** Replies are checked against the `result` that the config declares for a method, and answers against their own schema. */
import { dirname } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../src/base/json.js";
import { Fault } from "../../src/base/problem.js";
import { loadBundle } from "../../src/runtime/bundle/load.js";
import { openRuntime } from "../../src/runtime/runtime.js";
import { openTestWorkspace, type TestWorkspace, writeTestWorkspace } from "./test-workspace.js";

const result = {
  type: "object",
  required: ["name"],
  additionalProperties: false,
  properties: { name: { type: "string" }, level: { enum: ["low", "high"] } },
};

const request = (name: string, more: JsonObject = {}) => ({
  name,
  input: "document",
  output: "json",
  request: { method: "custom/info", params: "text_document" },
  ...more,
});

const config: JsonObject = {
  methods: [{ method: "custom/info", result }, { method: "custom/any" }],
  tools: [
    request("info"),
    request("info_of_all", { merge: "all" }),
    request("any", { request: { method: "custom/any", params: "text_document" } }),
    {
      name: "info_then_any",
      input: "document",
      output: "json",
      steps: [
        { id: "info", method: "custom/info", params: "text_document" },
        {
          id: "any",
          method: "custom/any",
          params: { base: "text_document", set: { of: { from: "step.info" } } },
        },
      ],
    },
    {
      name: "info_of_each",
      input: "document",
      output: "json",
      steps: [
        { id: "items", method: "custom/any", params: "text_document" },
        {
          id: "each",
          method: "custom/info",
          each: { from: "step.items" },
          params: { set: { of: { from: "each" } } },
        },
      ],
    },
  ],
};

const withReplies = (info: Json, any: Json = [1]) => ({
  scenario: { replies: { "custom/info": info, "custom/any": any } },
});

describe("a reply to a method with a declared result", () => {
  const at = { file_path: "a.fake" };
  const open = (info: Json) =>
    openTestWorkspace({ files: { "a.fake": "x\n" }, servers: { fake: withReplies(info) }, config });

  it("is passed on where it is valid", async () => {
    const work = await open({ name: "a", level: "high" });
    const { structured } = await work.call("info", at);
    expect(structured).toMatchObject({ ok: true, value: { name: "a", level: "high" } });
    await work.close();
  });

  it.each<[string, Json, string]>([
    ["of another type", 7, "/ must be object (type)"],
    ["that is null", null, "/ must be object (type)"],
    ["without a member", { level: "low" }, "/name must have required property 'name' (required)"],
    ["with another value", { name: "a", level: "secret" }, '/level must be one of "low", "high" (enum)'],
  ])("is refused %s, whatever step asks", async (_, info, issue) => {
    const work = await open(info);
    for (const tool of ["info", "info_then_any", "info_of_each"]) {
      const { structured, text } = await work.call(tool, at);
      const message = `The server fake answered custom/info with a value that violates its declared result: ${issue}.`;
      expect(structured).toMatchObject({ ok: false, error: { code: "lsp/invalid-reply", message } });
      expect(JSON.stringify(structured)).not.toContain("secret");
      expect(text).toContain("custom/info");
    }
    expect((await work.call("any", at)).structured).toMatchObject({ ok: true, value: [1] });
    await work.close();
  });

  it("never names a path of the reply", async () => {
    const work = await open({ name: "a", "file:///elsewhere/secret.txt": 1 });
    const { structured } = await work.call("info", at);
    expect(structured).toMatchObject({ error: { code: "lsp/invalid-reply" } });
    expect(JSON.stringify(structured)).not.toContain("elsewhere");
    await work.close();
  });

  it("makes way for the reply of another server", async () => {
    const work = await openTestWorkspace({
      files: { "a.fake": "x\n" },
      servers: { bad: { ...withReplies(7), config: { priority: 1 } }, good: withReplies({ name: "good" }) },
      config,
    });
    expect((await work.call("info", at)).structured).toMatchObject({ ok: true, server_id: "good" });
    const { structured } = await work.call("info_of_all", at);
    expect(structured).toMatchObject({
      ok: true,
      server_id: "good",
      warnings: [{ code: "answer/partial-servers", data: { server_id: "bad", code: "lsp/invalid-reply" } }],
    });
    await work.close();
  });

  it("is checked by code of the bundle, for the servers that have the method", () => {
    // A server may have the name of a member that every object inherits.
    const servers = { constructor: { ...withReplies(1), config: { priority: 1 } }, two: withReplies(1) };
    const methods: Json = [
      { method: "custom/info", result, servers: ["constructor"] },
      { method: "custom/any" },
    ];
    const { bundle } = writeTestWorkspace({ files: {}, servers, config: { ...config, methods } });
    const replies = JSON.parse(bundle.files.find(({ path }) => path === "replies.json")?.text ?? "{}");
    expect(replies).toEqual({
      constructor: { "custom/info": expect.stringMatching(/^validators\/reply-\w{16}\.js$/) },
    });
    const code = bundle.files.find(({ path }) => path === replies.constructor["custom/info"])?.text ?? "";
    expect(code).toContain("export default");
    expect(code).not.toMatch(/\bimport\b|\brequire\(/);
  });
});

describe("an answer that violates its own schema", () => {
  let work: TestWorkspace;
  beforeAll(async () => {
    work = await openTestWorkspace({
      files: { "a.fake": "x\n" },
      servers: { fake: withReplies({ name: "a" }) },
      config,
    });
  });
  afterAll(() => work.close());

  /** A call in a runtime whose validators of answers accept nothing. */
  async function called(strictAnswers: boolean) {
    const { loaded } = work.runtime;
    const logged: string[] = [];
    const error = { instancePath: "/value", keyword: "type", message: "must be string", params: {} };
    const outputValidator = Object.assign(() => false, { errors: [error] });
    const runtime = await openRuntime(
      { ...loaded, tool: async (name) => ({ ...(await loaded.tool(name)), outputValidator }) },
      {
        base: dirname(work.folder),
        env: process.env,
        log: (level, message) => logged.push(`${level} ${message}`),
        stateFolder: `${work.folder}-state`,
        ownFiles: [],
        binFolders: [],
        avoid: [],
        version: "0",
        strictAnswers,
      },
    );
    const signal = new AbortController().signal;
    try {
      const outcome = await runtime.openSession().call("info", { file_path: "a.fake" }, { signal });
      return { outcome, logged };
    } finally {
      await runtime.close();
    }
  }

  const words = "the answer of info violates its output schema: /value must be string (type)";

  it("is a fault where answers are strict", async () => {
    await expect(called(true)).rejects.toThrow(new Fault(words));
  });

  it("is sent and logged otherwise", async () => {
    const { outcome, logged } = await called(false);
    expect(outcome.structured).toMatchObject({ ok: true, value: { name: "a" } });
    expect(logged).toContain(`warn ${words}`);
  });

  it("is found by the validators of the bundle", async () => {
    const { bundle } = writeTestWorkspace({ files: {}, servers: { fake: withReplies(1) }, config });
    const { outputValidator: validate } = await (await loadBundle({ bundle })).tool("info");
    const { structured } = await work.call("info", { file_path: "a.fake" });
    expect(validate(structured)).toBe(true);
    expect(validate({ ...structured, value: { level: "low" } })).toBe(false);
    expect(validate({ ...structured, other: 1 })).toBe(false);
  });
});
