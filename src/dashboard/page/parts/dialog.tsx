/**
 * Modal dialogs: a panel at the side, and a confirmation before an action.
 * The browser keeps the focus inside and restores it.
 */
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Foreign } from "./foreign.js";

interface DialogProps {
  title: ComponentChildren;
  kind: "panel" | "confirm";
  /** After it was closed, by its buttons, Escape or a click beside it. */
  onClose: () => void;
  children: (close: () => void) => ComponentChildren;
}

export function Dialog({ title, kind, onClose, children }: DialogProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const close = () => dialog.current?.close();
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // A screen reader begins with the title; the first control is one step away.
    element?.querySelector("h2")?.focus();
  }, []);
  return (
    <dialog ref={dialog} class={`dialog ${kind}`} aria-labelledby={id} onClose={onClose} closedby="any">
      <div class="dialog-content">
        <header class="dialog-head">
          <h2 id={id} tabIndex={-1}>
            {title}
          </h2>
          {kind === "panel" && (
            <button type="button" class="quiet" onClick={close} aria-label="Close">
              ✕
            </button>
          )}
        </header>
        {children(close)}
      </div>
    </dialog>
  );
}

interface ConfirmDialogProps {
  title: string;
  action: string;
  /** Fails with a message that the dialog shows. */
  run: () => Promise<void>;
  onClose: () => void;
  children: ComponentChildren;
}

/** Asks for a confirmation before an action, and stays open while it runs and when it fails. */
export function ConfirmDialog({ title, action, run, onClose, children }: ConfirmDialogProps): JSX.Element {
  const [running, setRunning] = useState(false);
  const [failure, setFailure] = useState<string>();
  async function confirm(close: () => void) {
    setRunning(true);
    setFailure(undefined);
    try {
      await run();
      close();
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error));
      setRunning(false);
    }
  }
  return (
    <Dialog title={title} kind="confirm" onClose={onClose}>
      {(close) => (
        <>
          <div class="dialog-body">{children}</div>
          {failure !== undefined && (
            <p class="notice bad" role="alert">
              <Foreign text={failure} />
            </p>
          )}
          <div class="dialog-actions">
            <button type="button" onClick={close}>
              Cancel
            </button>
            <button type="button" class="primary" disabled={running} onClick={() => confirm(close)}>
              {running ? "Working…" : action}
            </button>
          </div>
        </>
      )}
    </Dialog>
  );
}
