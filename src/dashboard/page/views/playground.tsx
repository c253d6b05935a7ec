/** A place to try the tools as an agent sees them, and to see what the config means and weighs. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ConfigInfo, ToolInfo } from "../../api.js";
import type { ViewProps } from "../app.js";
import { useAnswer, useReturns } from "../hooks.js";
import { Loading } from "../parts/loading.js";
import { Tabs } from "../parts/tabs.js";
import { useWorkspace, WorkspaceChoice } from "../parts/workspace.js";
import type { State } from "../store.js";
import { Config, type ConfigProps, Weights } from "./config.js";
import { TryTool } from "./try-tool.js";

export function PlaygroundView({ state, address }: ViewProps): JSX.Element {
  const [workspace, setWorkspace] = useWorkspace(state);
  const at = { state, workspace };
  return (
    <>
      <WorkspaceChoice state={state} value={workspace} onChange={setWorkspace} />
      <Tabs
        label="Playground"
        chosen={address.words[1] ?? "tool"}
        onChoose={(id) => {
          location.hash = `#/playground/${id}`;
        }}
        tabs={[
          { id: "tool", title: "Try a tool", show: () => <ToolTab {...at} /> },
          { id: "config", title: "Config", show: () => <ConfigTab key="config" {...at} show={Config} /> },
          { id: "weights", title: "Weights", show: () => <ConfigTab key="weights" {...at} show={Weights} /> },
        ]}
      />
    </>
  );
}

interface TabProps {
  state: State;
  workspace: string;
}

function ToolTab({ state, workspace }: TabProps): JSX.Element {
  const { answer, failure } = useAnswer<ToolInfo[]>("api/tools", { workspace }, state.configVersion);
  if (answer === undefined) return <Loading failure={failure} />;
  return <TryTool key={workspace} tools={answer} workspace={workspace} csrf={state.proxy?.csrf ?? ""} />;
}

function ConfigTab({
  state,
  workspace,
  show: Show,
}: TabProps & { show: (props: ConfigProps) => JSX.Element }): JSX.Element {
  const [asked, setAsked] = useState(0);
  const version = `${state.configVersion} ${useReturns()} ${asked}`;
  const { answer, failure } = useAnswer<ConfigInfo>("api/config", { workspace }, version);
  if (answer === undefined) return <Loading failure={failure} />;
  return <Show config={answer} onCheck={() => setAsked(asked + 1)} />;
}
