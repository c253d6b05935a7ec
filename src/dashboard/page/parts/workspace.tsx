/** The choice of a workspace, in views that are about one. Nothing is shown where there is only one. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { State } from "../store.js";
import { visible } from "./foreign.js";

export function useWorkspace(state: State): [string, (name: string) => void] {
  const names = state.proxy?.workspaces.map(({ name }) => name) ?? [];
  const [chosen, setChosen] = useState<string>();
  return [names.find((name) => name === chosen) ?? names[0] ?? "", setChosen];
}

interface WorkspaceChoiceProps {
  state: State;
  value: string;
  onChange: (name: string) => void;
}

export function WorkspaceChoice({ state, value, onChange }: WorkspaceChoiceProps): JSX.Element | null {
  const workspaces = state.proxy?.workspaces ?? [];
  if (workspaces.length < 2) return null;
  return (
    <form class="filters" aria-label="Workspace" onSubmit={(event) => event.preventDefault()}>
      <label>
        <span>Workspace</span>
        <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
          {workspaces.map(({ name }) => (
            <option key={name} value={name}>
              {visible(name)}
            </option>
          ))}
        </select>
      </label>
    </form>
  );
}
