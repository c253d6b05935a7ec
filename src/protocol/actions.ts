/** The actions of the runtime: the effect of each, whether it needs a position, and the kind of its result. */
import type { Effect, RuntimeAction } from "../abi/plan.js";

interface ActionFacts {
  effect: Effect;
  /** Whether it acts on the position or symbol that the call points at. */
  place: boolean;
  gives: "value" | "servers" | "edit" | "source";
}

const edit: ActionFacts = { effect: "edit", place: false, gives: "edit" };
const symbolEdit: ActionFacts = { ...edit, place: true };

export const actions: { readonly [action in RuntimeAction]: ActionFacts } = {
  server_status: { effect: "read", place: false, gives: "servers" },
  list_servers: { effect: "read", place: false, gives: "value" },
  current_config: { effect: "read", place: false, gives: "value" },
  symbol_source: { effect: "read", place: true, gives: "source" },
  restart_server: { effect: "command", place: false, gives: "value" },
  stop_server: { effect: "command", place: false, gives: "value" },
  edit_files: edit,
  create_file: edit,
  rename_file: edit,
  delete_file: edit,
  replace_symbol: symbolEdit,
  insert_before_symbol: symbolEdit,
  insert_after_symbol: symbolEdit,
  delete_symbol: symbolEdit,
  undo_edit: edit,
};
