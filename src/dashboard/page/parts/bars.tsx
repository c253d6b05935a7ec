/** Horizontal bars by uPlot: one group for each name, one bar in it for each line. */
import type { JSX } from "preact";
import { useId } from "preact/hooks";
import uPlot from "uplot";
import { usePlot } from "./use-plot.js";

interface BarsProps {
  title: string;
  names: string[];
  lines: { label: string; colour: number; values: number[] }[];
  format: (value: number) => string;
}

const GROUP_HEIGHT = 32;
const AXIS_HEIGHT = 34;

export function Bars({ title, names, lines, format }: BarsProps): JSX.Element {
  const data: uPlot.AlignedData = [names.map((_, index) => index), ...lines.map(({ values }) => values)];
  const { box } = usePlot(
    (element) => new uPlot(options(element, { names, lines, format }), data, element),
    JSON.stringify([names, lines]),
  );
  const id = useId();
  const summary = names
    .map(
      (name, index) =>
        `${name} ${lines.map(({ label, values }) => `${label} ${format(values[index] ?? 0)}`).join(" ")}`,
    )
    .join(", ");
  return (
    <figure class="card chart-card" aria-labelledby={id}>
      <figcaption>
        <h2 id={id}>{title}</h2>
      </figcaption>
      <ul class="legend">
        {lines.map(({ label, colour }) => (
          <li key={label}>
            <i class={`swatch chart-${colour}`} aria-hidden="true" />
            <span>{label}</span>
          </li>
        ))}
      </ul>
      <div ref={box} class="chart" role="img" aria-label={`${title}: ${summary}`} />
    </figure>
  );
}

function options(element: HTMLElement, { names, lines, format }: Omit<BarsProps, "title">): uPlot.Options {
  const style = getComputedStyle(element);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const axis = { stroke: colour("--muted"), font: `11px ${colour("--sans")}`, ticks: { show: false } };
  const longest = names.reduce((most, name) => Math.max(most, name.length), 0);
  const thickness = 0.76 / lines.length;
  const bars = uPlot.paths.bars;
  return {
    width: element.clientWidth,
    height: names.length * GROUP_HEIGHT + AXIS_HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    padding: [4, 24, 0, 0],
    scales: {
      // The names go down the left side, the first on top; the values go to the right.
      x: { time: false, ori: 1, dir: -1, range: () => [-0.5, names.length - 0.5] },
      y: { ori: 0, range: (_plot, _low, high) => [0, high > 0 ? high * 1.05 : 1] },
    },
    axes: [
      {
        ...axis,
        side: 3,
        size: Math.min(170, 16 + longest * 6.2),
        splits: () => names.map((_, index) => index),
        values: () => names,
        grid: { show: false },
      },
      {
        ...axis,
        side: 2,
        size: AXIS_HEIGHT - 6,
        space: 70,
        grid: { stroke: colour("--line"), width: 1 },
        values: (_plot, values) => values.map((value) => format(value)),
      },
    ],
    series: [
      {},
      ...lines.map((line, index): uPlot.Series => {
        const from = index * thickness - 0.38;
        return {
          label: line.label,
          stroke: colour(`--chart-${line.colour}`),
          fill: colour(`--chart-${line.colour}`),
          width: 0,
          points: { show: false },
          paths: bars?.({
            disp: {
              x0: { unit: 1, values: () => names.map((_, place) => place + from) },
              size: { unit: 1, values: () => names.map(() => thickness * 0.9) },
            },
          }),
        };
      }),
    ],
  };
}
