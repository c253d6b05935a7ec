/** The choice of a workspace, in views that are about one. Nothing is shown where there is only one. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Known } from "../store.js";
import { visible } from "./foreign.js";

export function useWorkspace(known: Known): [string, (name: string) => void] {
  const names = known.state?.workspaces.map(({ name }) => name) ?? [];
  const [chosen, setChosen] = useState<string>();
  return [names.find((name) => name === chosen) ?? names[0] ?? "", setChosen];
}

interface Props {
  known: Known;
  value: string;
  onChange: (name: string) => void;
}

export function WorkspaceChoice({ known, value, onChange }: Props): JSX.Element | null {
  const workspaces = known.state?.workspaces ?? [];
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
