/** A time chart by uPlot, with a legend that shows the values under the pointer, else the newest. */
import type { JSX } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import uPlot from "uplot";
import { time } from "../format.js";
import { usePlot } from "./use-plot.js";

export interface Line {
  label: string;
  /** One of the colours `--chart-1` to `--chart-6`. */
  colour: number;
  values: (number | null)[];
}

interface ChartProps {
  title: string;
  /** Seconds since 1970, ascending. */
  times: number[];
  lines: Line[];
  format: (value: number) => string;
  /** Only the curve, without axes, legend and title. */
  small?: boolean;
  /** A bar for each minute. */
  bars?: boolean;
}

/** Bars count things: a part of one has no label, and a single one does not fill the chart. */
const FEWEST = 5;

/** A shorter time is shown at the right of this one, so that a chart does not jump while it fills. */
const SHORTEST_S = 600;

export function Chart({ title, times, lines, format, small, bars }: ChartProps): JSX.Element {
  const [pointed, setPointed] = useState<number | null>(null);
  const id = useId();
  const data: uPlot.AlignedData = [times, ...lines.map(({ values }) => values)];
  // The lines are fixed when a plot is made; only its data can be replaced.
  const { box, plot } = usePlot(
    (element) => {
      const made = new uPlot(options(element, lines, format, { small, bars }), data, element);
      if (!small) made.hooks.setCursor = [({ cursor }) => setPointed(cursor.idx ?? null)];
      return made;
    },
    lines.map(({ label, colour }) => `${label} ${colour}`).join("\n"),
  );
  useEffect(() => plot.current?.setData(data), [times, lines]);

  const at = pointed !== null && pointed < times.length ? pointed : times.length - 1;
  const shown = lines.map((line) => ({ ...line, value: line.values[at] ?? null }));
  const summary = shown
    .map(({ label, value }) => `${label} ${value === null ? "–" : format(value)}`)
    .join(", ");
  if (small) return <div ref={box} class="chart small" role="img" aria-label={`${title}: ${summary}`} />;
  return (
    <figure class="card chart-card" aria-labelledby={id}>
      <figcaption>
        <h2 id={id}>{title}</h2>
        <span class="muted">{pointed === null ? "" : time((times[at] ?? 0) * 1000)}</span>
      </figcaption>
      <ul class="legend">
        {shown.map(({ label, colour, value }) => (
          <li key={label}>
            <i class={`swatch chart-${colour}`} aria-hidden="true" />
            <span>{label}</span>
            <b>{value === null ? "–" : format(value)}</b>
          </li>
        ))}
      </ul>
      <div ref={box} class="chart" role="img" aria-label={`${title}: ${summary}`} />
    </figure>
  );
}

function options(
  element: HTMLElement,
  lines: Line[],
  format: (value: number) => string,
  { small, bars }: { small?: boolean; bars?: boolean },
): uPlot.Options {
  const style = getComputedStyle(element);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const axis = { stroke: colour("--muted"), font: `11px ${colour("--sans")}`, show: !small };
  const grid = { stroke: colour("--line"), width: 1 };
  return {
    width: element.clientWidth,
    height: small ? 26 : 216,
    legend: { show: false },
    cursor: { show: !small, drag: { x: false, y: false }, y: false, points: { size: 6 } },
    padding: small ? [2, 0, 2, 0] : [8, 18, 0, 0],
    scales: {
      x: {
        // The range that uPlot proposes for a single time is a whole day.
        range: ({ data: [times] }) => {
          const [from = 0, to = from] = [times[0], times.at(-1)];
          return small ? [from, to] : [Math.min(from, to - SHORTEST_S), to + (bars ? 60 : 0)];
        },
      },
      y: { range: (_plot, _low, high) => [0, Math.max(high * 1.1, bars ? FEWEST : 1)] },
    },
    axes: [
      { ...axis, grid: { show: false }, ticks: { show: false }, space: 70, size: 28, values: "{HH}:{mm}" },
      {
        ...axis,
        grid,
        ticks: { show: false },
        size: 62,
        splits: undefined,
        values: (_plot, values) =>
          values.map((value) => (bars && !Number.isInteger(value) ? "" : format(value))),
      },
    ],
    series: [
      {},
      ...lines.map((line): uPlot.Series => {
        const stroke = colour(`--chart-${line.colour}`);
        return {
          label: line.label,
          stroke,
          width: small ? 1.25 : 1.75,
          points: { show: false },
          ...(small ? { fill: `${stroke}22` } : {}),
          ...(bars
            ? { fill: stroke, width: 0, paths: uPlot.paths.bars?.({ size: [0.75, 60], align: 1 }) }
            : {}),
        };
      }),
    ],
  };
}
