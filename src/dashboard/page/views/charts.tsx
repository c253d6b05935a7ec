/** Calls per minute, how long the tools take, the tokens served, and memory. */
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { sortBy } from "../../../base/order.js";
import type { CallRow, ToolTimes } from "../../api.js";
import type { ViewProps } from "../app.js";
import { count, duration, megabytes } from "../format.js";
import { Bars } from "../parts/bars.js";
import { Chart, type Line } from "../parts/chart.js";
import { Empty } from "../parts/empty.js";
import { Foreign, visible } from "../parts/foreign.js";

/** Bars and lines that can be told apart; the table has the rest. */
const MAX_BARS = 10;
const COLOURS = 6;

export function ChartsView({ state: { charts, calls } }: ViewProps): JSX.Element {
  const { minutes, memory } = charts;
  const drawn = useMemo(() => {
    const line = (label: string, colour: number, key: "calls" | "errors" | "tokens"): Line => ({
      label,
      colour,
      values: minutes.map((minute) => minute[key]),
    });
    return {
      minutes: minutes.map(({ at }) => at / 1000),
      calls: [line("calls", 1, "calls"), line("refused", 2, "errors")],
      tokens: [line("tokens", 3, "tokens")],
      memoryTimes: memory.at.map((at) => at / 1000),
      memory: memory.lines
        .slice(0, COLOURS)
        .map(({ label, mb }, index): Line => ({ label: visible(label), colour: index + 1, values: mb })),
    };
  }, [minutes, memory]);
  const tools = sortBy(charts.tools, ({ calls, tool }) => [-calls, tool]);
  return (
    <div class="charts">
      <Chart title="Calls per minute" times={drawn.minutes} lines={drawn.calls} format={count} bars />
      <Chart
        title="Tokens served per minute"
        times={drawn.minutes}
        lines={drawn.tokens}
        format={count}
        bars
      />
      <Chart title="Memory" times={drawn.memoryTimes} lines={drawn.memory} format={megabytes} />
      {tools.length === 0 ? (
        <Empty title="No calls yet">
          Calls, tokens and the times of the tools appear with the first call.
        </Empty>
      ) : (
        <>
          <Bars
            title="Duration by tool"
            names={tools.slice(0, MAX_BARS).map(({ tool }) => visible(tool))}
            lines={[
              { label: "p50", colour: 1, values: tools.slice(0, MAX_BARS).map(({ p50Ms }) => p50Ms) },
              { label: "p95", colour: 2, values: tools.slice(0, MAX_BARS).map(({ p95Ms }) => p95Ms) },
            ]}
            format={duration}
          />
          <ToolTable tools={tools} calls={calls} />
        </>
      )}
    </div>
  );
}

function ToolTable({ tools, calls }: { tools: ToolTimes[]; calls: CallRow[] }): JSX.Element {
  const listed = new Set(calls.map(({ tool }) => tool));
  return (
    <div class="card table-box whole-width">
      <table>
        <caption>Tools</caption>
        <thead>
          <tr>
            <th scope="col">Tool</th>
            {["Calls", "Refused", "p50", "p95", "Tokens"].map((name) => (
              <th key={name} scope="col" class="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {tools.map(({ tool, calls: made, errors, p50Ms, p95Ms, tokens }) => (
            <tr key={tool}>
              <th scope="row">
                {listed.has(tool) ? (
                  <a href={`#/calls?tool=${encodeURIComponent(tool)}`}>
                    <Foreign text={tool} />
                  </a>
                ) : (
                  <Foreign text={tool} />
                )}
              </th>
              <td class="number">{count(made)}</td>
              <td class="number">{count(errors)}</td>
              <td class="number">{duration(p50Ms)}</td>
              <td class="number">{duration(p95Ms)}</td>
              <td class="number">{count(tokens)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
