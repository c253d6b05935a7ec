/** The answer of a tool in the playground: its text, its structure, and the files with the places marked. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { CallRow, RunAnswer, WorkspaceFile } from "../../api.js";
import { bytes, count, plural } from "../format.js";
import { useAnswer } from "../hooks.js";
import { Badge, outcomeOf } from "../parts/badge.js";
import { Foreign, ForeignBlock, visible } from "../parts/foreign.js";
import { Loading } from "../parts/loading.js";
import { MarkedFile } from "../parts/marked-file.js";
import { type Tab, Tabs } from "../parts/tabs.js";
import { TimeSplit } from "../parts/time-split.js";
import { pretty } from "../requests.js";

export function AnswerCard({ answer, workspace }: { answer: RunAnswer; workspace: string }): JSX.Element {
  const { call, result, places, columnUnit } = answer;
  const [tone, text] = outcomeOf(call?.outcome ?? (result.isError ? "error" : "ok"));
  const { structured } = result;
  const tabs: Tab[] = [
    { id: "text", title: "Text", show: () => <ForeignBlock text={result.text} label="Text of the answer" /> },
  ];
  if (structured !== null)
    tabs.push({
      id: "structured",
      title: "Structured",
      show: () => <ForeignBlock text={pretty(structured)} label="Structured answer" />,
    });
  if (places.length > 0)
    tabs.push({
      id: "files",
      title: `Files (${new Set(places.map(({ path }) => path)).size})`,
      show: () => <Files places={places} columnUnit={columnUnit} workspace={workspace} />,
    });
  return (
    <div class="card pad">
      <div class="call-line" role="status">
        <Badge tone={tone} text={text} />
        {call !== null && <AnswerFacts call={call} />}
      </div>
      <Tabs label="Answer" tabs={tabs} />
    </div>
  );
}

function AnswerFacts({ call }: { call: CallRow }): JSX.Element {
  const sizes = [
    call.items === null ? [] : plural(call.items, "item"),
    call.tokens === null ? [] : `${count(call.tokens)} tokens`,
    call.bytes === null ? [] : bytes(call.bytes),
  ];
  return (
    <>
      {call.code !== null && (
        <code>
          <Foreign text={call.code} />
        </code>
      )}
      {call.time !== null && <TimeSplit time={call.time} />}
      <span class="muted small">{sizes.flat().join(" · ")}</span>
    </>
  );
}

type FilesProps = Pick<RunAnswer, "places" | "columnUnit"> & { workspace: string };

function Files({ places, columnUnit, workspace }: FilesProps): JSX.Element {
  const paths = [...new Set(places.map(({ path }) => path))];
  const [chosen, setChosen] = useState(paths[0] ?? "");
  const { answer, failure } = useAnswer<WorkspaceFile>("api/file", { workspace, path: chosen }, 0);
  const choice =
    paths.length < 2 ? (
      <code>
        <Foreign text={chosen} />
      </code>
    ) : (
      <label class="inline">
        <span>File</span>
        <select value={chosen} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
          {paths.map((path) => (
            <option key={path} value={path}>
              {visible(path)} ({places.filter((place) => place.path === path).length})
            </option>
          ))}
        </select>
      </label>
    );
  return (
    <div class="file">
      {answer === undefined ? (
        <>
          {choice}
          <Loading failure={failure} />
        </>
      ) : (
        <MarkedFile
          title={choice}
          file={answer}
          places={places.filter(({ path }) => path === chosen)}
          columnUnit={columnUnit}
        />
      )}
    </div>
  );
}
