/**
 * A model that says what a test wrote down: it calls one tool after the other and then stops. It speaks the APIs of the models
 * that the clients are made for, on this machine, and keeps what it was shown.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A call that the model makes. */
export interface ScriptedCall {
  /** The end of the tool's name, as the model is shown it. */
  tool: string;
  args: object;
  /** The whole name, by which a tool is called that is not on offer. */
  name?: string;
}

/** What the model was shown in one turn. */
export interface Shown {
  tools: string[];
  /** The answers to its calls so far, as text. */
  results: string[];
  /** The whole request. */
  text: string;
}

export interface ScriptedModel {
  url: string;
  /** The turns in which our tools were on offer. */
  turns: Shown[];
  close(): Promise<void>;
}

type Body = { [key: string]: unknown };

/** How one API spells what goes in and out. */
interface Api {
  path: RegExp;
  tools(body: Body): Tool[];
  results(body: Body): string[];
  /** The events of an answer: a call of a tool, or the end of the conversation. */
  answer(call: (Tool & { args: object; id: string }) | undefined, body: Body): string[];
}

interface Tool {
  name: string;
  namespace?: string;
}

/** Starts the model; `calls` are made in this order, each after the answer to the one before. */
export async function startModel(calls: readonly ScriptedCall[]): Promise<ScriptedModel> {
  const turns: Shown[] = [];
  const server = createServer(async (request, response) => {
    const text = await textOf(request);
    const path = (request.url ?? "").split("?", 1)[0] ?? "";
    const api = apis.find((candidate) => candidate.path.test(path));
    const body = (text === "" ? {} : JSON.parse(text)) as Body;
    if (api === undefined) return respond(response, path.endsWith("/models") ? 200 : 404, "{}");
    const tools = api.tools(body);
    const results = api.results(body);
    const next = calls[results.length];
    const isOurs = tools.some(({ name }) => calls.some((call) => name.endsWith(call.tool)));
    const tool =
      next &&
      (tools.find(({ name }) => name.endsWith(next.tool)) ??
        (isOurs && next.name !== undefined ? { name: next.name } : undefined));
    if (isOurs) turns.push({ tools: tools.map(({ name }) => name), results, text });
    const call = tool && next ? { ...tool, args: next.args, id: `call_${results.length}` } : undefined;
    const events = api.answer(call, body);
    response.writeHead(200, {
      "content-type": path.includes("stream") || body.stream ? "text/event-stream" : "application/json",
    });
    response.end(events.join(""));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    turns,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const part of request.setEncoding("utf8")) text += part;
  return text;
}

function respond(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(text);
}

const event = (type: string, data: object) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
const data = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
const list = (value: unknown) => (Array.isArray(value) ? value : []) as Body[];
const plain = (value: unknown): string =>
  typeof value === "string"
    ? value
    : list(value)
        .map((part) => String(part.text ?? ""))
        .join("\n");

/** Anthropic's Messages. */
const messages: Api = {
  path: /\/v1\/messages$/,
  tools: (body) => list(body.tools).map(({ name }) => ({ name: String(name) })),
  results: (body) =>
    list(body.messages)
      .flatMap(({ content }) => list(content))
      .filter(({ type }) => type === "tool_result")
      .map(({ content }) => plain(content)),
  answer(call, { model, stream }) {
    const usage = { input_tokens: 1, output_tokens: 1 };
    const whole = {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage,
    };
    const block = call
      ? { type: "tool_use", id: call.id, name: call.name, input: {} }
      : { type: "text", text: "" };
    const stop = call ? "tool_use" : "end_turn";
    const delta = call
      ? { type: "input_json_delta", partial_json: JSON.stringify(call.args) }
      : { type: "text_delta", text: "done" };
    if (!stream) {
      const content = [call ? { ...block, input: call.args } : { type: "text", text: "done" }];
      return [JSON.stringify({ ...whole, content, stop_reason: stop })];
    }
    return [
      event("message_start", { message: whole }),
      event("content_block_start", { index: 0, content_block: block }),
      event("content_block_delta", { index: 0, delta }),
      event("content_block_stop", { index: 0 }),
      event("message_delta", {
        delta: { stop_reason: stop, stop_sequence: null },
        usage: { output_tokens: 1 },
      }),
      event("message_stop", {}),
    ];
  },
};

/** Google's generateContent. */
const generate: Api = {
  path: /:(stream)?generateContent$/i,
  tools: (body) =>
    list(body.tools)
      .flatMap(({ functionDeclarations }) => list(functionDeclarations))
      .map(({ name }) => ({ name: String(name) })),
  results: (body) =>
    list(body.contents)
      .flatMap(({ parts }) => list(parts))
      .filter(({ functionResponse }) => functionResponse !== undefined)
      .map(({ functionResponse }) => {
        const { response } = functionResponse as { response: { output?: string; error?: string } };
        return String(response.output ?? response.error ?? JSON.stringify(response));
      }),
  answer(call) {
    const part = call ? { functionCall: { name: call.name, args: call.args } } : { text: "done" };
    const candidates = [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }];
    const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
    return [data({ candidates, usageMetadata })];
  },
};

/** OpenAI's chat completions. */
const chat: Api = {
  path: /\/chat\/completions$/,
  tools: (body) => list(body.tools).map((tool) => ({ name: String((tool.function as Body).name) })),
  results: (body) =>
    list(body.messages)
      .filter(({ role }) => role === "tool")
      .map(({ content }) => plain(content)),
  answer(call, { model }) {
    const chunk = (delta: object, reason: string | null) =>
      data({
        id: "c",
        object: "chat.completion.chunk",
        created: 1,
        model,
        choices: [{ index: 0, delta, finish_reason: reason }],
      });
    if (!call)
      return [chunk({ role: "assistant", content: "done" }, null), chunk({}, "stop"), "data: [DONE]\n\n"];
    const made = { name: call.name, arguments: JSON.stringify(call.args) };
    const calls = [{ index: 0, id: call.id, type: "function", function: made }];
    return [
      chunk({ role: "assistant", tool_calls: calls }, null),
      chunk({}, "tool_calls"),
      "data: [DONE]\n\n",
    ];
  },
};

/** OpenAI's Responses. */
const responses: Api = {
  path: /\/responses$/,
  tools: (body) =>
    list(body.tools).flatMap(({ type, name, tools }) =>
      type === "namespace"
        ? list(tools).map((tool) => ({ name: String(tool.name), namespace: String(name) }))
        : [{ name: String(name) }],
    ),
  results: (body) =>
    list(body.input)
      .filter(({ type }) => type === "function_call_output")
      .map(({ output }) => plain(output)),
  answer(call) {
    const item = call
      ? {
          type: "function_call",
          id: `f${call.id}`,
          call_id: call.id,
          name: call.name,
          ...(call.namespace ? { namespace: call.namespace } : {}),
          arguments: JSON.stringify(call.args),
        }
      : { type: "message", id: "m", role: "assistant", content: [{ type: "output_text", text: "done" }] };
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    return [
      event("response.created", { response: { id: "r" } }),
      event("response.output_item.done", { output_index: 0, item }),
      event("response.completed", { response: { id: "r", output: [item], usage } }),
    ];
  },
};

const apis: Api[] = [messages, generate, chat, responses];
