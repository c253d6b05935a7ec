/** The setup of a new agent or a further language: entries to copy, and servers to install. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { LanguageInfo, SetupInfo } from "../../api.js";
import type { ViewProps } from "../app.js";
import { count } from "../format.js";
import { useAnswer } from "../hooks.js";
import { Badge } from "../parts/badge.js";
import { CopyButton } from "../parts/copy-button.js";
import { Empty } from "../parts/empty.js";
import { Foreign, ForeignBlock, visible } from "../parts/foreign.js";
import { Loading } from "../parts/loading.js";
import { useWorkspace, WorkspaceChoice } from "../parts/workspace.js";

export function SetUpView({ state }: ViewProps): JSX.Element {
  const [workspace, setWorkspace] = useWorkspace(state);
  const { answer, failure } = useAnswer<SetupInfo>("api/setup", { workspace }, state.configVersion);
  return (
    <>
      <WorkspaceChoice state={state} value={workspace} onChange={setWorkspace} />
      {answer === undefined ? (
        <Loading failure={failure} />
      ) : (
        <>
          <Languages languages={answer.languages} />
          <Clients clients={answer.clients} note={answer.note} />
        </>
      )}
    </>
  );
}

function Languages({ languages }: { languages: LanguageInfo[] }): JSX.Element {
  if (languages.length === 0)
    return (
      <Empty title="No language was found">The workspace has no files of a language that has a preset.</Empty>
    );
  return (
    <section class="card table-box">
      <table>
        <caption>Languages of the workspace</caption>
        <thead>
          <tr>
            <th scope="col">Language</th>
            <th scope="col">Server</th>
            <th scope="col">State</th>
          </tr>
        </thead>
        <tbody>
          {languages.flatMap(({ language, files, servers }) =>
            servers.map(({ id, installed, install }, index) => (
              <tr key={`${language} ${id}`}>
                {index === 0 && (
                  <th scope="rowgroup" rowSpan={servers.length}>
                    <Foreign text={language} />
                    {files !== null && <span class="sub">{count(files)} files</span>}
                  </th>
                )}
                <td>
                  <Foreign text={id} />
                </td>
                <td>
                  <Badge tone={installed ? "ok" : "warn"} text={installed ? "Installed" : "Missing"} />
                  {!installed && install !== null && (
                    <p class="command">
                      <code>
                        <Foreign text={install} />
                      </code>
                      <CopyButton text={install} what={`the command that installs ${id}`} />
                    </p>
                  )}
                </td>
              </tr>
            )),
          )}
        </tbody>
      </table>
    </section>
  );
}

function Clients({ clients, note }: Pick<SetupInfo, "clients" | "note">): JSX.Element {
  // A client may have several files, so its id does not name an entry.
  const [chosen, setChosen] = useState(0);
  const client = clients[chosen] ?? clients[0];
  if (clients.length === 0)
    return (
      <Empty title="No entry for a client">
        <code>lsp-proxy client</code> prints the entries of the MCP clients that it knows.
      </Empty>
    );
  return (
    <section class="card pad" aria-labelledby="clients">
      <div class="section-head">
        <h2 id="clients">Connect an agent</h2>
        <label class="inline">
          <span>Client</span>
          <select value={chosen} onChange={({ currentTarget }) => setChosen(Number(currentTarget.value))}>
            {clients.map(({ name, file }, index) => (
              <option key={`${name} ${file}`} value={index}>
                {visible(name)}
              </option>
            ))}
          </select>
        </label>
      </div>
      {note !== null && <p class="notice warn small">{note}</p>}
      {client && (
        <>
          <div class="section-head">
            <p class="muted small">
              {client.file === null ? (
                "Paste this into the settings of the client:"
              ) : (
                <>
                  Add this to{" "}
                  <code>
                    <Foreign text={client.file} />
                  </code>
                  :
                </>
              )}
            </p>
            <CopyButton text={client.text} what={`the entry for ${client.name}`} />
          </div>
          <ForeignBlock text={client.text} label={`Entry for ${client.name}`} />
        </>
      )}
    </section>
  );
}
