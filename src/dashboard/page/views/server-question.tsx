/** The question before a server is restarted or stopped. */
import type { JSX } from "preact";
import type { ActionDone, ServerAction, ServerRow } from "../../api.js";
import { plural } from "../format.js";
import { Question } from "../parts/dialog.js";
import { Foreign } from "../parts/foreign.js";
import { post } from "../requests.js";

export type Action = "restart" | "stop";

interface Props {
  server: ServerRow;
  action: Action;
  csrf: string;
  onClose: () => void;
}

export function ServerQuestion({ server, action, csrf, onClose }: Props): JSX.Element {
  const body: ServerAction = { workspace: server.workspace, server: server.id };
  return (
    <Question
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
        {server.root !== null && (
          <>
            {" at "}
            <code>
              <Foreign text={server.root} />
            </code>
          </>
        )}
      </p>
      <p class="muted">
        {action === "restart"
          ? "It starts anew and reads the project again. Until then answers may be incomplete."
          : "It starts again with the next question about one of its files."}
        {server.pendingRequests > 0 && ` ${plural(server.pendingRequests, "pending request")} will fail.`}
      </p>
    </Question>
  );
}
