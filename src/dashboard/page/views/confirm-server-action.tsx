/** The confirmation before a server is restarted or stopped. */
import type { JSX } from "preact";
import type { ActionDone, ServerAction, ServerRow } from "../../api.js";
import { plural } from "../format.js";
import { ConfirmDialog } from "../parts/dialog.js";
import { Foreign } from "../parts/foreign.js";
import { post } from "../requests.js";

export type Action = "restart" | "stop";

interface ConfirmServerActionProps {
  server: ServerRow;
  action: Action;
  /** All rows of the server: an action is about each of its processes. */
  rows: ServerRow[];
  csrf: string;
  onClose: () => void;
}

export function ConfirmServerAction({
  server,
  action,
  rows,
  csrf,
  onClose,
}: ConfirmServerActionProps): JSX.Element {
  const body: ServerAction = { workspace: server.workspace, server: server.id };
  const roots = rows.flatMap(({ root }) => root ?? []);
  const pending = rows.reduce((sum, { pendingRequests }) => sum + pendingRequests, 0);
  return (
    <ConfirmDialog
      title={action === "restart" ? "Restart this server?" : "Stop this server?"}
      action={action === "restart" ? "Restart" : "Stop"}
      run={async () => {
        await post<ActionDone>(`api/${action}`, csrf, body);
      }}
      onClose={onClose}
    >
      <p>
        <strong>
          <Foreign text={server.id} />
        </strong>
        {roots.length > 0 && " at"}
      </p>
      {roots.length > 0 && (
        <ul class="lines mono">
          {roots.map((root) => (
            <li key={root}>
              <Foreign text={root} />
            </li>
          ))}
        </ul>
      )}
      <p class="muted">
        {action === "restart"
          ? "It starts anew and reads the project again. Until then answers may be incomplete."
          : "It starts again with the next question about one of its files."}
        {pending > 0 && ` ${plural(pending, "pending request")} will fail.`}
      </p>
    </ConfirmDialog>
  );
}
