/** Tabs by the pattern of the ARIA practices: arrow keys move, only the chosen tab is in the tab order. */
import type { JSX } from "preact";
import { useId, useRef, useState } from "preact/hooks";

export interface Tab {
  id: string;
  title: string;
  show: () => JSX.Element;
}

interface TabsProps {
  label: string;
  tabs: Tab[];
  /** Chosen from outside, such as by the address; else the tabs remember it themselves. */
  chosen?: string;
  onChoose?: (id: string) => void;
}

export function Tabs({ label, tabs, chosen, onChoose }: TabsProps): JSX.Element {
  const base = useId();
  const list = useRef<HTMLDivElement>(null);
  const [own, setOwn] = useState<string>();
  const at = Math.max(
    0,
    tabs.findIndex(({ id }) => id === (chosen ?? own)),
  );
  const tab = tabs[at];
  function choose(index: number) {
    const next = tabs[(index + tabs.length) % tabs.length];
    if (next === undefined) return;
    setOwn(next.id);
    onChoose?.(next.id);
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[tabs.indexOf(next)]?.focus();
  }
  const steps: { [key: string]: () => number } = {
    ArrowRight: () => at + 1,
    ArrowLeft: () => at - 1,
    Home: () => 0,
    End: () => tabs.length - 1,
  };
  return (
    <div class="tabs">
      <div
        ref={list}
        class="tab-list"
        role="tablist"
        aria-label={label}
        tabIndex={-1}
        onKeyDown={(event) => {
          const step = steps[event.key];
          if (step === undefined) return;
          event.preventDefault();
          choose(step());
        }}
      >
        {tabs.map(({ id, title }, index) => (
          <button
            key={id}
            type="button"
            role="tab"
            id={`${base}-${id}`}
            aria-selected={index === at}
            aria-controls={`${base}-panel`}
            tabIndex={index === at ? 0 : -1}
            onClick={() => choose(index)}
          >
            {title}
          </button>
        ))}
      </div>
      <div id={`${base}-panel`} role="tabpanel" aria-labelledby={`${base}-${tab?.id ?? ""}`}>
        {tab?.show()}
      </div>
    </div>
  );
}
