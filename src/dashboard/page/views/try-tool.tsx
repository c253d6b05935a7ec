/** A tool, a form for its arguments, and its answer. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { JsonObject } from "../../../base/json.js";
import type { RunAnswer, RunRequest, ToolInfo } from "../../api.js";
import { ConfirmDialog } from "../parts/dialog.js";
import { Empty } from "../parts/empty.js";
import { Foreign, visible } from "../parts/foreign.js";
import { post } from "../requests.js";
import { argumentsOf, type Field, fieldsOf, isUsual } from "../schema-fields.js";
import { AnswerCard } from "./answer.js";
import { FieldInput } from "./field-input.js";

interface TryToolProps {
  tools: ToolInfo[];
  workspace: string;
  csrf: string;
}

export function TryTool({ tools, workspace, csrf }: TryToolProps): JSX.Element {
  const [name, setName] = useState<string>();
  // Values stay when another tool is chosen: most tools point at things in the same way.
  const [values, setValues] = useState<{ [field: string]: string }>({});
  const [wrong, setWrong] = useState<{ [field: string]: string }>({});
  const [asked, setAsked] = useState<JsonObject>();
  const [running, setRunning] = useState(false);
  const [answer, setAnswer] = useState<RunAnswer>();
  const [failure, setFailure] = useState<string>();
  const shown = useRef<HTMLElement>(null);
  // A long form, or a phone, has the answer outside of the window.
  useEffect(() => {
    if (answer !== undefined || failure !== undefined) shown.current?.scrollIntoView({ block: "nearest" });
  }, [answer, failure]);
  const tool = tools.find((each) => each.name === name) ?? tools[0];
  if (tool === undefined) return <Empty title="No tools">The config lists no tool.</Empty>;
  const fields = fieldsOf(tool.inputSchema);

  async function run(args: JsonObject) {
    if (tool === undefined) return;
    setRunning(true);
    setFailure(undefined);
    try {
      const request: RunRequest = { workspace, tool: tool.name, arguments: args };
      setAnswer(await post<RunAnswer>("api/run", csrf, request));
    } catch (error) {
      setAnswer(undefined);
      setFailure(error instanceof Error ? error.message : String(error));
    } finally {
      setRunning(false);
    }
  }

  function submit(event: Event) {
    event.preventDefault();
    const checked = argumentsOf(fields, values);
    setWrong(checked.wrong);
    const [first] = Object.keys(checked.wrong);
    if (first !== undefined) document.getElementById(`field-${first}`)?.focus();
    else if (tool?.effect === "read") run(checked.arguments);
    else setAsked(checked.arguments);
  }

  const input = (field: Field) => (
    <FieldInput
      key={field.name}
      field={field}
      value={values[field.name] ?? ""}
      wrong={wrong[field.name]}
      onChange={(value) => setValues({ ...values, [field.name]: value })}
    />
  );
  const further = fields.filter((field) => !isUsual(field));
  return (
    <div class="try">
      <form class="card pad fields" aria-label="Call" noValidate onSubmit={submit}>
        <div class="field">
          <label for="tool">Tool</label>
          <select
            id="tool"
            value={tool.name}
            disabled={running}
            onChange={({ currentTarget }) => {
              setName(currentTarget.value);
              setWrong({});
              setAnswer(undefined);
              setFailure(undefined);
            }}
          >
            {tools.map((each) => (
              <option key={each.name} value={each.name}>
                {visible(each.name)}
              </option>
            ))}
          </select>
          <p class="hint">
            <Foreign text={tool.description} />
          </p>
        </div>
        {fields.filter(isUsual).map(input)}
        {further.length > 0 && (
          <details
            open={further.length === fields.length || further.some(({ name }) => wrong[name] ?? values[name])}
          >
            <summary>More arguments</summary>
            <div class="fields">{further.map(input)}</div>
          </details>
        )}
        <button type="submit" class="primary" disabled={running}>
          {running ? "Running…" : "Run"}
        </button>
      </form>
      <section ref={shown} class="answer" aria-label="Answer" aria-busy={running}>
        {failure !== undefined && (
          <p class="notice bad" role="alert">
            <Foreign text={failure} />
          </p>
        )}
        {answer !== undefined && <AnswerCard answer={answer} workspace={workspace} />}
        {answer === undefined && failure === undefined && (
          <Empty title="The answer appears here">
            As an agent sees it: text, structure, and the places in their files.
          </Empty>
        )}
      </section>
      {asked !== undefined && (
        <ConfirmDialog
          title="Run this tool?"
          action="Run"
          run={() => run(asked)}
          onClose={() => setAsked(undefined)}
        >
          <p>
            <strong>
              <Foreign text={tool.name} />
            </strong>{" "}
            may change files or the state of a server.
          </p>
        </ConfirmDialog>
      )}
    </div>
  );
}
