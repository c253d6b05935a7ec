/** A uPlot chart in an element: made anew when what it draws has changed, as wide as the element, removed with it. */
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type uPlot from "uplot";
import { useDarkTheme } from "../use-theme.js";

/** The element's ref, and that of the plot. `drawing` names what `make` draws; a plot reads its colours once. */
export function usePlot(
  make: (element: HTMLElement) => uPlot,
  drawing: string,
): { box: RefObject<HTMLDivElement | null>; plot: RefObject<uPlot | null> } {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(null);
  const dark = useDarkTheme();
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const made = make(element);
    plot.current = made;
    const observer = new ResizeObserver(() =>
      made.setSize({ width: element.clientWidth, height: made.height }),
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [drawing, dark]);
  return { box, plot };
}
