/** The part of the Plan that describes one tool: its arguments, its steps and its output. */

import type { Json } from "../base/json.js";
import type { FormPlan } from "./item-form.js";
import type { OutputPlan } from "./output-plan.js";
import type { ListPlan, Ref, Template, WhenPlan } from "./step-values.js";

export type Effect = "read" | "edit" | "command";
export type Anchor = "workspace" | "document" | "position" | "range" | "symbol" | "text" | "query";
export type ShapeName =
  | "locations"
  | "document_symbols"
  | "workspace_symbols"
  | "hover"
  | "calls"
  | "types"
  | "diagnostics"
  | "workspace_diagnostics"
  | "workspace_edit"
  | "text_edits"
  | "completions"
  | "signatures"
  | "code_actions"
  | "inlay_hints"
  | "semantic_tokens"
  | "folding_ranges"
  | "selection_ranges"
  | "links"
  | "highlights"
  | "code_lenses"
  | "monikers"
  | "text"
  | "json"
  | "batch"
  | "server_status"
  | "source"
  | "items"
  | "members";

export interface ToolPlan {
  name: string;
  title: string;
  description: string;
  effect: Effect;
  /** The annotations about its effects; null where they follow from the effect. */
  annotations: ToolAnnotations;
  /** Ids of the servers this tool may ask; null for all. */
  servers: string[] | null;
  /** The argument by which a call chooses one of them; null if there is none. */
  serverArgument: string | null;
  input: Anchor[];
  /** Pointing arguments that are required in addition to those that every anchor needs. */
  require: string[];
  /** Pointing argument, by the dialect's name → its own name and description in this tool; null for the usual. */
  pointing: { [name: string]: { name: string | null; description: string | null } };
  args: ArgPlan[];
  /** The place argument that the call points at; null if it points by `input`. */
  target: string | null;
  steps: StepPlan[];
  output: OutputPlan;
  /** Template of `content`: a shipped template's name or a template; null for the built-in text of the shape. */
  text: string | null;
  /** Text of `content` if nothing was found, or null. */
  empty: string | null;
  maxItems: number;
  /** A list with more items is refused. */
  refusePast?: number;
  /** Default number of items in an answer; null for `maxItems`. */
  defaultItems: number | null;
  maxBytes: number;
  timeoutMs: number;
  page: { defaultSize: number; maxSize: number } | null;
  /** Where the tool is declared: the name of a shipped config or `config`, and a JSON Pointer. */
  source: { file: string; pointer: string };
}

export interface ToolAnnotations {
  readOnly: boolean | null;
  destructive: boolean | null;
  idempotent: boolean | null;
  openWorld: boolean | null;
}

export interface ArgPlan {
  name: string;
  /** `operations`: the calls of a `batch` step; `enum` lists the allowed tools. `batch_options`: how to run them. */
  type:
    | "string"
    | "integer"
    | "number"
    | "boolean"
    | "list"
    | "object"
    | PlaceType
    | "string_list"
    | "string_map"
    | "file_edits"
    | "text_edits"
    | "document_changes"
    | "operations"
    | "batch_options";
  description: string;
  required: boolean;
  /** Null if there is none. */
  default: Json;
  enum: (string | number)[] | null;
  minLength: number | null;
  maxLength: number | null;
  minimum: number | null;
  maximum: number | null;
  /** The handling of a number outside its bounds. */
  beyond: "refuse" | "clamp";
  /** Members that only some types have; null for the others. */
  form: ArgForm | null;
}

/** The types of arguments that name a file or a place in one. */
export type PlaceType = "path" | "uri" | "position" | "range" | "symbol" | "item";

export type ArgForm =
  | { kind: "text"; pattern: string | null; format: string | null }
  | { kind: "list"; items: ArgPlan; minItems: number | null; maxItems: number }
  | { kind: "object"; properties: ArgPlan[] }
  /** `exists` is for files; `inDocument` means a place in the file that the call points at. */
  | { kind: "place"; exists: boolean | null; inDocument: boolean };

export type ParamsBase =
  | "none"
  | "text_document"
  | "text_document_position"
  | "text_document_positions"
  | "text_document_formatting"
  | "text_document_range"
  | "text_document_range_diagnostics";

export interface ParamsPlan {
  base: ParamsBase;
  set: Template | null;
}

export interface RetryPlan {
  attempts: number;
  delayMs: number;
  /** Each wait is `delayMs` longer than the one before, up to this; without it all are equal. */
  maxDelayMs?: number;
  while: "not_ready" | "always";
}

/** Repeats a step for each item. With `lacking`, only for items without that member; the others stay unchanged. */
export interface EachPlan {
  from: Ref;
  /** A number, or a reference to an argument. */
  limit: Template;
  lacking: string[] | null;
  /** Whether each result is `{ item, answer }`. */
  keep: boolean;
  /** Follow items of answers this many levels deep; null: ask once per item. */
  depth: number | null;
  /** With `depth`: path of the next item in an item of an answer. */
  next: string[];
}

/** The members that all kinds of steps have. */
interface StepCommon {
  id: string;
  optional: boolean;
  expect: "any" | "value" | "some" | "none";
  /** The operations on its list; null for none. */
  list: ListPlan | null;
  when: WhenPlan | null;
  /** The step that takes its place if it gives nothing; null for none. */
  orElse: string | null;
  /** Another form of its reply. */
  form?: FormPlan;
}

export type StepPlan =
  | (StepCommon & {
      kind: "request";
      method: string;
      params: ParamsPlan;
      each: EachPlan | null;
      retryEmpty: RetryPlan | null;
      /** Ask one server or all servers of the file. */
      merge: "first" | "all";
    })
  | (StepCommon & { kind: "notify"; method: string; params: ParamsPlan })
  | (StepCommon & {
      kind: "diagnostics";
      waitMs: Template;
      /** The wait for the first diagnostics of a file; null for the usual. */
      firstWaitMs: number | null;
      settleMs: number;
    })
  | (StepCommon & { kind: "execute_command"; command: Template; arguments: Template | null })
  | (StepCommon & { kind: "tool"; tool: string; args: Template; each: EachPlan | null })
  | (StepCommon & {
      kind: "batch";
      /** The tools that may be called, sorted. */
      tools: string[];
      operations: Template;
      /** Name of the argument with the batch options; null if they are arguments of their own. */
      options: string | null;
      parallel: Template;
      stopOnError: Template;
      /** Whether it may call tools that edit, if the config allows that effect. */
      edits: boolean;
      /** All or nothing; previews only. */
      atomic?: Template;
      dryRun?: Template;
    })
  /** Selects the item of an earlier step that has the given id. */
  | (StepCommon & { kind: "choose"; from: Ref; item: Template })
  | (StepCommon & { kind: "runtime"; action: RuntimeAction; args: Template | null });

/** The actions of the runtime that need no request to a language server. */
export type RuntimeAction =
  | "server_status"
  | "list_servers"
  | "current_config"
  | "symbol_source"
  | "restart_server"
  | "stop_server"
  | "edit_files"
  | "create_file"
  | "rename_file"
  | "delete_file"
  | "replace_symbol"
  | "insert_before_symbol"
  | "insert_after_symbol"
  | "delete_symbol"
  | "undo_edit";
