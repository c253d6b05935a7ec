/**
 * What a generated handler may touch. It receives the ABI as an argument and imports nothing; all it does is
 * point, ask and shape.
 */
import type { Json, JsonObject } from "../base/json.js";
import type { Effect, RetryPlan, RuntimeAction, ShapeName } from "./plan.js";

/** The argument of a handler module's default export. */
export interface Abi {
  version: number;
  tool(definition: ToolDefinition): ToolDefinition;
}

export type HandlerModule = (abi: Abi) => ToolDefinition;

export interface ToolDefinition {
  name: string;
  effect: Effect;
  run(call: Call, input: JsonObject): Promise<Answer>;
}

/** One call of one tool. */
export interface Call {
  /** Finds the document, the servers and the position that the arguments point at. */
  at(input: JsonObject): Promise<At>;
  /** A part of a step's value. */
  pick(reply: Reply, path: string[]): Json;
  /** Another tool, called with these arguments; its structured answer. */
  tool(name: string, args: Json): Promise<Reply>;
  /** Several calls of the named tools, side by side or in order; what each of them gave. */
  batch(tools: string[], operations: Json, options: BatchOptions): Promise<Reply>;
  /** The one item of a reply that has this id, still knowing its server. */
  choose(items: Reply, path: string[], id: Json | undefined): Promise<Reply>;
  /** Something the runtime itself can tell or do. */
  runtime(action: RuntimeAction, args: Json): Promise<Reply>;
  /** Several steps' values in one, each under its step's id. */
  gather(parts: { [step: string]: Reply }): Reply;
  /** The answer: the value in one of the output shapes. */
  answer(shape: ShapeName, value: Reply, options?: AnswerOptions): Promise<Answer>;
}

/** How the operations of a batch are run. */
export interface BatchOptions {
  parallel: Json | undefined;
  stopOnError: Json | undefined;
}

export interface AnswerOptions {
  at?: string;
  language?: string;
  apply?: "never" | "on_request";
  /** How much of the file stands beside each place. */
  snippet?: { show: Json | undefined; contextLines: Json | undefined; maxChars: Json | undefined };
  /** The answer's own budget of characters. */
  maxChars?: Json | undefined;
}

/** What a call points at: one document (or the workspace), one place in it, and the servers that know it. */
export interface At {
  readonly uri: string;
  readonly languageId: string;
  readonly version: number;
  /** Parameters without a base. */
  plain(set?: JsonObject): Params;
  /** `{ textDocument }` overlaid with `set`. */
  document(set?: JsonObject): Params;
  /** `{ textDocument, position }` overlaid with `set`. */
  position(set?: JsonObject): Params;
  /** `{ textDocument, positions: [position] }` overlaid with `set`. */
  positions(set?: JsonObject): Params;
  /** `{ textDocument, options }` overlaid with `set`: how the file is indented, unless that is set. */
  formatting(set?: JsonObject): Params;
  /** `{ textDocument, range }` overlaid with `set`. */
  range(set?: JsonObject): Params;
  /** The same with `context.diagnostics`: what `diagnostics` told before, within the range. */
  rangeDiagnostics(set?: JsonObject): Params;
  request(method: string, params: Params, options?: RequestOptions): Promise<Reply>;
  /** The request once per item of an earlier reply, each sent to the server that gave the item. */
  each(
    method: string,
    items: Reply,
    options: EachOptions,
    params: (item: Json) => JsonObject,
  ): Promise<Reply>;
  diagnostics(options: { waitMs: number; settleMs: number }): Promise<Reply>;
  command(name: string, args: Json[]): Promise<Reply>;
}

export interface RequestOptions {
  optional?: boolean;
  expect?: "value" | "some";
  merge?: "all";
  retryEmpty?: RetryPlan;
}

export interface EachOptions extends RequestOptions {
  limit: Json | undefined;
  /** Path into the reply where the items stand. */
  path?: string[];
  /** Asks only about items without this member; the answer takes the item's place, all others stay. */
  lacking?: string[];
}

declare const opaque: unique symbol;
/** Parameters that are finished per server, in its own position encoding. */
export interface Params {
  readonly [opaque]: "params";
}
/** What one or several servers replied, each part still knowing its server. */
export interface Reply {
  readonly [opaque]: "reply";
}
/** A finished answer in both of its forms. */
export interface Answer {
  structured: JsonObject;
  text: string;
  /** What must be known beside a text that a tool words itself: warnings, the next page. Empty where the text says it. */
  notes: string;
  /** The answer in one line. */
  headline: string;
  /** Where several symbols or lines are meant: what the agent may choose from. */
  candidates?: JsonObject[];
  /** Whether something was left out. */
  isCut?: boolean;
}
