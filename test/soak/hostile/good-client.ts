/** A client that behaves, beside all that do not: each of its calls must be answered in time, validly and correctly. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import {
  StreamableHTTPClientTransport,
  StreamableHTTPError,
} from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { JsonObject } from "../../../src/base/json.js";
import type { LoadedBundle } from "../../../src/runtime/bundle/load.js";
import { assertValidAnswers, type ToolResult } from "../../live/session.js";
import { pause, queuedMs, type Start, token } from "./proxy.js";
import { CALL_LIMIT_MS, MARGIN_MS, type Run } from "./run.js";

export class GoodClient {
  #stderr = "";
  pid = 0;
  slowestMs = 0;

  private constructor(
    readonly name: string,
    readonly run: Run,
    readonly client: Client,
    readonly bundle: LoadedBundle,
  ) {}

  static async overStdio(name: string, run: Run, bundle: LoadedBundle, start: Start): Promise<GoodClient> {
    const transport = new StdioClientTransport({ ...start, stderr: "pipe" });
    const good = new GoodClient(name, run, new Client({ name, version: "0" }), bundle);
    transport.stderr?.on("data", (part: Buffer) => {
      good.#stderr = (good.#stderr + part.toString()).slice(-200_000);
    });
    await good.client.connect(transport);
    good.pid = transport.pid ?? 0;
    return good;
  }

  static async overHttp(
    name: string,
    run: Run,
    bundle: LoadedBundle,
    url: string,
    pid: number,
  ): Promise<GoodClient> {
    const transport = new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    });
    const good = new GoodClient(name, run, new Client({ name, version: "0" }), bundle);
    await good.client.connect(transport as Parameters<Client["connect"]>[0]);
    good.pid = pid;
    return good;
  }

  /** The structured answer of a call; undefined when there is none in time: a failure of the run, or of the machine. */
  async call(tool: string, args: JsonObject): Promise<JsonObject | undefined> {
    const started = performance.now();
    const waited = queuedMs(this.pid);
    const timeout = CALL_LIMIT_MS + MARGIN_MS;
    this.run.inFlight++;
    const what = `${this.name} ${tool} ${JSON.stringify(args).slice(0, 200)}`;
    try {
      const result = (await this.client.callTool({ name: tool, arguments: args }, undefined, {
        timeout,
      })) as unknown as ToolResult;
      this.slowestMs = Math.max(this.slowestMs, performance.now() - started);
      this.run.count("answered calls");
      const answer = await this.#checked(what, tool, result);
      const isTimeout = (answer?.error as JsonObject | undefined)?.code === "lsp/timeout";
      if (!isTimeout || queuedMs(this.pid) - waited < CALL_LIMIT_MS / 2) return answer;
      // The proxy had no processor for most of the time: a fault of the machine.
      this.run.count("calls without a processor");
      return undefined;
    } catch (error) {
      const status = error instanceof StreamableHTTPError ? `HTTP ${error.code}: ` : "";
      this.run.fail(`${what}: no answer within ${timeout} ms: ${status}${String(error).slice(0, 300)}`);
      // A proxy that is gone fails at once; the others of the run should still get the processor.
      await pause(200);
      return undefined;
    } finally {
      this.run.inFlight--;
    }
  }

  async #checked(what: string, tool: string, result: ToolResult): Promise<JsonObject | undefined> {
    const answer = result.structuredContent as JsonObject | undefined;
    const { outputValidator: validate } = await this.bundle.tool(tool);
    if (answer === undefined) {
      this.run.fail(`${what}: no structured answer: ${JSON.stringify(result).slice(0, 300)}`);
      return undefined;
    }
    if (!validate(answer))
      this.run.fail(`${what}: violates its schema: ${JSON.stringify(validate.errors).slice(0, 300)}`);
    const code = (answer.error as JsonObject | undefined)?.code;
    if (typeof code === "string" && code.includes("internal"))
      this.run.fail(`${what}: ${JSON.stringify(answer).slice(0, 300)}`);
    return answer;
  }

  /** Asks about a file of its own, which nobody else writes, and compares the answer with its text. */
  async askAboutOwnFile(): Promise<void> {
    const { run } = this;
    const file = `own/${this.name}${Math.floor(run.random() * 3)}.fake`;
    if (run.random() < 0.4)
      writeFileSync(join(run.work, file), `${run.pick(["BUG", "fine"])} é😀 ${run.random()}\n`);
    const text = readFileSync(join(run.work, file), "utf8");
    const found = text.includes("BUG") ? 1 : 0;
    const at = { file_path: file, line: 1, character: 1 };
    const [tool, args, wanted] = run.pick<[string, JsonObject, JsonObject]>([
      ["get_hover", at, { contents: [text] }],
      ["find_references", at, { total: found }],
      [
        "get_diagnostics",
        { file_path: file, wait_ms: 20_000 },
        { status: found ? "diagnostics" : "clean", total: found },
      ],
    ]);
    const answer = await this.call(tool, args);
    if (answer === undefined) return;
    run.count("calls about own files");
    const got = Object.fromEntries(Object.keys(wanted).map((key) => [key, answer[key]]));
    if (JSON.stringify(got) !== JSON.stringify(wanted))
      run.fail(
        `${this.name} ${tool} ${file}: ${JSON.stringify(answer).slice(0, 400)}, not ${JSON.stringify(wanted)}`,
      );
  }

  /** Asks about a file of a hostile server, or one that others write, move and delete: any answer will do. */
  async askAboutForeignFile(): Promise<void> {
    const { run } = this;
    const file = run.pick([
      ...["bad0", "bad0", "bad1", "bad1", "bad2", "bad2"].map((extension) => `foreign.${extension}`),
      ...["race/n0.fake", "race/n1/n2.fake", "race/n3/n3.fake"],
    ]);
    const at = { file_path: file, line: 1, character: 1 };
    const [tool, args] = run.pick<[string, JsonObject]>([
      ["get_hover", at],
      ["find_references", at],
      ["get_document_symbols", { file_path: file }],
      ["get_diagnostics", { file_path: file }],
    ]);
    await this.call(tool, args);
  }

  async close(): Promise<void> {
    await this.client.close();
    try {
      assertValidAnswers(this.#stderr);
    } catch (error) {
      this.run.fail(`${this.name}: ${String(error)}`);
    }
  }

  /** The last words of the proxy, for a failure's report. */
  get stderr(): string {
    return this.#stderr.slice(-2_000);
  }
}
