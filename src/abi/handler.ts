/**
 * The interface that generated handlers use. A handler imports nothing: it receives the ABI as an argument, finds a
 * position (`at`), sends requests and shapes the answer.
 */
import type { Json, JsonObject } from "../base/json.js";
import type { FormPlan } from "./item-form.js";
import type { Effect, FilterPlan, PickForm, RetryPlan, RuntimeAction, ShapeName } from "./plan.js";

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
  /** Checks the files of the arguments that are or contain places, before any server is asked. */
  admit(input: JsonObject): Promise<void>;
  /** Resolves the arguments to a document, a position and the candidate servers. */
  at(input: JsonObject): Promise<At>;
  /** The arguments that are or contain places: each place is checked and, in parameters, encoded for the server. */
  places(input: JsonObject): Promise<{ [argument: string]: Json }>;
  /** A part of the value of a step. */
  pick(reply: Reply, path: string[]): Json;
  /** Calls another tool and returns its structured answer. */
  tool(name: string, args: Json): Promise<Reply>;
  /** Calls another tool once per item of an earlier reply, and returns the structured answers. */
  eachTool(name: string, items: Reply, options: EachToolOptions, args: (item: Json) => Json): Promise<Reply>;
  /** A list argument as the items of `eachTool`. */
  list(value: Json | undefined): Reply;
  /** Runs a step that may be skipped, replaced by another, or whose list is filtered and reshaped. */
  step(options: StepOptions, ...alternatives: (() => Promise<Reply>)[]): Promise<Reply>;
  /** Runs several calls of the named tools, in parallel or in order, and returns each result. */
  batch(tools: string[], operations: Json, options: BatchOptions): Promise<Reply>;
  /** The item of a reply that has this id, together with its server. */
  choose(items: Reply, path: string[], id: Json | undefined): Promise<Reply>;
  /** Performs an action of the runtime itself. */
  runtime(action: RuntimeAction, args: Json): Promise<Reply>;
  /** Joins the values of several steps in one object, by step id. */
  gather(parts: { [step: string]: Reply }): Reply;
  /** Keeps the values of several steps apart, by the name of the answer's member. */
  members(parts: { [member: string]: Reply }): Reply;
  /** Converts a value to an output shape. */
  answer(shape: ShapeName, value: Reply, options?: AnswerOptions): Promise<Answer>;
}

/** How to run the operations of a batch. */
export interface BatchOptions {
  parallel: Json | undefined;
  stopOnError: Json | undefined;
  /** Whether the edits are undone unless every operation is done. */
  atomic?: Json | undefined;
  /** Whether every edit is only previewed. */
  dryRun?: Json | undefined;
}

export interface AnswerOptions {
  at?: string;
  language?: string;
  apply?: "never" | "on_request";
  /** How much source text to show with each location. */
  snippet?: { show: Json | undefined; contextLines: Json | undefined; maxChars: Json | undefined };
  /** Which items to leave out: see `FilterPlan`. */
  filter?: { [name in keyof FilterPlan]?: Json | undefined };
  /** Maximum of characters in the answer. */
  maxChars?: Json | undefined;
}

/** The target of a call: a document (or the workspace), a position in it, and the candidate servers. */
export interface At {
  readonly uri: string;
  readonly languageId: string;
  readonly version: number;
  /** `set` alone. */
  plain(set?: JsonObject): Params;
  /** `{ textDocument }` overlaid with `set`. */
  document(set?: JsonObject): Params;
  /** `{ textDocument, position }` overlaid with `set`. */
  position(set?: JsonObject): Params;
  /** `{ textDocument, positions: [position] }` overlaid with `set`. */
  positions(set?: JsonObject): Params;
  /** `{ textDocument, options }` overlaid with `set`. The options follow the indentation of the file. */
  formatting(set?: JsonObject): Params;
  /** `{ textDocument, range }` overlaid with `set`. */
  range(set?: JsonObject): Params;
  /** The same with `context.diagnostics`: the results of an earlier `diagnostics` step within the range. */
  rangeDiagnostics(set?: JsonObject): Params;
  request(method: string, params: Params, options?: RequestOptions): Promise<Reply>;
  /** Sends the request once per item of an earlier reply, to the server that returned the item. */
  each(
    method: string,
    items: Reply,
    options: EachOptions,
    params: (item: Json) => JsonObject,
  ): Promise<Reply>;
  diagnostics(options: { waitMs: number; firstWaitMs?: number; settleMs: number }): Promise<Reply>;
  command(name: string, args: Json[]): Promise<Reply>;
  /** Sends a notification to every candidate server that takes it. */
  notify(method: string, params: Params): Promise<Reply>;
}

export interface RequestOptions {
  optional?: boolean;
  expect?: "value" | "some";
  merge?: "all";
  retryEmpty?: RetryPlan;
}

export interface EachOptions extends RequestOptions {
  limit: Json | undefined;
  /** Path of the items in the reply. */
  path?: string[];
  /** Sends the request only for items without this member. The reply replaces the item; others stay. */
  lacking?: string[];
  /** Each result is `{ item, answer }`. */
  keep?: boolean;
  /** Asks about the items of the answers in turn, so many levels deep; the result is the tree in order. */
  depth?: number;
  /** With `depth`: path of the next item in an item of an answer. */
  next?: string[];
}

export type EachToolOptions = Pick<EachOptions, "limit" | "path" | "keep">;

/** The operations on the list of a step. All paths lead into an item, and that of `items` into the reply. */
export interface ListOptions {
  items?: string[];
  flatten?: string[];
  where?: Condition[];
  pick?: { [member: string]: Picked };
  sort?: { at: string[]; descending: boolean }[];
  limit?: Json | undefined;
}

/** A condition on an item. A value that the call does not give is no condition. */
export interface Condition {
  at: string[];
  is?: Json | undefined;
  in?: Json | undefined;
  exists?: boolean;
  moreThan?: Json | undefined;
  lessThan?: Json | undefined;
  outside?: string[];
}

export interface Picked {
  at: string[];
  as?: PickForm;
  outside?: string[];
}

export interface StepOptions extends ListOptions {
  id: string;
  /** Another form of the reply. */
  form?: FormPlan;
  /** The names of the steps that may take its place, in the order of the further alternatives. */
  orElse?: string[];
  when?: { capability?: string; command?: string; argument?: boolean };
  expect?: "value" | "some" | "none";
  /** A failure leaves the value unknown instead of failing the call. */
  tolerant?: boolean;
}

declare const opaque: unique symbol;
/** Request parameters. They are encoded for each server, in its position encoding. */
export interface Params {
  readonly [opaque]: "params";
}
/** The replies of one or several servers, each with its server. */
export interface Reply {
  readonly [opaque]: "reply";
}
/** A finished answer in its structured and its text form. */
export interface Answer {
  structured: JsonObject;
  text: string;
  /** Warnings and next page, to add to a text from the tool's own template. Empty if the text contains them. */
  notes: string;
  /** The answer in one line. */
  headline: string;
  /** If several symbols or lines match: the candidates that the agent may choose from. */
  candidates?: JsonObject[];
  /** Whether something was left out. */
  isCut?: boolean;
  /** How many items of a list it shows. */
  shown?: number | undefined;
  /**
   * The cursor of the next page. Like `status`, it is here because a dialect may rename the member of the structure.
   */
  next?: string | undefined;
  /** The `status` of an edit or of diagnostics. */
  status?: Json | undefined;
}
