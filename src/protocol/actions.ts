/** The runtime's own actions: what each may do, whether it needs a place in a file, and what it gives. */
import type { Effect, RuntimeAction } from "../abi/plan.js";

export interface ActionFacts {
  effect: Effect;
  /** Whether it is about the place or symbol that the call points at. */
  place: boolean;
  /** A plain value, the servers' statuses, or an edit. */
  gives: "value" | "servers" | "edit";
}

const edit: ActionFacts = { effect: "edit", place: false, gives: "edit" };
const symbolEdit: ActionFacts = { ...edit, place: true };

export const actions: { readonly [action in RuntimeAction]: ActionFacts } = {
  server_status: { effect: "read", place: false, gives: "servers" },
  list_servers: { effect: "read", place: false, gives: "value" },
  current_config: { effect: "read", place: false, gives: "value" },
  restart_server: { effect: "command", place: false, gives: "value" },
  stop_server: { effect: "command", place: false, gives: "value" },
  edit_files: edit,
  create_file: edit,
  rename_file: edit,
  delete_file: edit,
  replace_symbol: symbolEdit,
  insert_before_symbol: symbolEdit,
  insert_after_symbol: symbolEdit,
  undo_edit: edit,
};
