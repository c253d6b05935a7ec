/** The meaning of the config, its problems on disk, and the size of its tools in a model's context. */
import type { JSX } from "preact";
import { sortBy } from "../../../base/order.js";
import type { ConfigInfo, ConfigProblem } from "../../api.js";
import { bytes, count, plural } from "../format.js";
import { Badge } from "../parts/badge.js";
import { Foreign, ForeignBlock } from "../parts/foreign.js";

export interface ConfigProps {
  config: ConfigInfo;
  /** Reads the config again, as it is on disk. */
  onCheck: () => void;
}

export function Config({ config, onCheck }: ConfigProps): JSX.Element {
  const isBroken = config.problems.some(({ severity }) => severity === "error");
  return (
    <>
      <section class="card pad" aria-labelledby="problems">
        <div class="section-head">
          <h2 id="problems">Problems</h2>
          <button type="button" onClick={onCheck}>
            Check again
          </button>
        </div>
        <p class="muted small">
          <code>
            <Foreign text={config.source} />
          </code>
          {isBroken && " · the last good config is served"}
        </p>
        {config.problems.length === 0 ? (
          <p class="muted">The config has no problems.</p>
        ) : (
          <ul class="problems">
            {config.problems.map((problem, index) => (
              <li key={index}>
                <Problem problem={problem} />
              </li>
            ))}
          </ul>
        )}
      </section>
      {config.explain !== null && (
        <section class="card pad" aria-labelledby="explain">
          <h2 id="explain">What the config means</h2>
          <ForeignBlock text={config.explain} label="Explanation" />
        </section>
      )}
    </>
  );
}

function Problem({ problem }: { problem: ConfigProblem }): JSX.Element {
  const { severity, code, message, file, line, column, fix } = problem;
  const position = [file, line, column].filter((part) => part !== null).join(":");
  return (
    <>
      <p>
        <Badge
          tone={severity === "error" ? "bad" : "warn"}
          text={severity === "error" ? "Error" : "Warning"}
        />{" "}
        <Foreign text={message} />
      </p>
      <p class="muted small">
        <code>
          <Foreign text={code} />
        </code>
        {position !== "" && (
          <>
            {" at "}
            <code>
              <Foreign text={position} />
            </code>
          </>
        )}
      </p>
      {fix !== null && (
        <p class="small">
          <strong>Fix: </strong>
          <Foreign text={fix} />
        </p>
      )}
    </>
  );
}

export function Weights({ config }: Pick<ConfigProps, "config">): JSX.Element {
  const { total } = config;
  const most = config.weights.reduce((high, { tokens }) => Math.max(high, tokens), 1);
  return (
    <section class="card table-box">
      <table>
        <caption>
          {plural(config.weights.length, "tool")} weigh about {count(total.tokens)} tokens (
          {bytes(total.bytes)}) in a model's context
        </caption>
        <thead>
          <tr>
            <th scope="col">Tool</th>
            <th scope="col">Effect</th>
            <th scope="col" class="number">
              Bytes
            </th>
            <th scope="col" class="number">
              Tokens
            </th>
            <th scope="col" class="wide-only">
              <span class="visually-hidden">Share</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {sortBy(config.weights, ({ tokens, name }) => [-tokens, name]).map(
            ({ name, effect, ...weight }) => (
              <tr key={name}>
                <th scope="row">
                  <Foreign text={name} />
                </th>
                <td>
                  <Foreign text={effect} />
                </td>
                <td class="number">{count(weight.bytes)}</td>
                <td class="number">{count(weight.tokens)}</td>
                <td class="wide-only">
                  <progress class="share" aria-label={`Share of ${name}`} max={most} value={weight.tokens} />
                </td>
              </tr>
            ),
          )}
        </tbody>
      </table>
    </section>
  );
}
