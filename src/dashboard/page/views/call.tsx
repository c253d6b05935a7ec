/** One call: its facts, its arguments, and its answer as the agent saw it. */
import type { JSX } from "preact";
import type { CallDetail, CallRow } from "../../api.js";
import { bytes, count, time } from "../format.js";
import { useAnswer } from "../hooks.js";
import { Badge, outcomeOf } from "../parts/badge.js";
import { CopyButton } from "../parts/copy-button.js";
import { Dialog } from "../parts/dialog.js";
import { Fact } from "../parts/fact.js";
import { Foreign, ForeignBlock } from "../parts/foreign.js";
import { Tabs } from "../parts/tabs.js";
import { TimeSplit, TimeSplitKey } from "../parts/time-split.js";
import { pretty } from "../requests.js";

interface CallDialogProps {
  id: number;
  /** As the table has it; undefined when the table does not reach back that far. */
  row: CallRow | undefined;
  onClose: () => void;
}

export function CallDialog({ id, row, onClose }: CallDialogProps): JSX.Element {
  // Asked again when the call has ended.
  const { answer, failure } = useAnswer<CallDetail>("api/call", { id: String(id) }, row?.outcome ?? "");
  const call = row ?? answer?.call;
  return (
    <Dialog title={call ? <Foreign text={call.tool} /> : `Call ${id}`} kind="panel" onClose={onClose}>
      {() => (
        <>
          {call && <CallFacts call={call} />}
          {failure !== undefined && (
            <p class="notice warn">
              <Foreign text={failure} />
            </p>
          )}
          {answer && <Content detail={answer} />}
        </>
      )}
    </Dialog>
  );
}

function CallFacts({ call }: { call: CallRow }): JSX.Element {
  const [tone, text] = outcomeOf(call.outcome);
  return (
    <>
      <p class="call-line">
        <Badge tone={tone} text={text} />
        {call.code !== null && (
          <code>
            <Foreign text={call.code} />
          </code>
        )}
        {call.target !== "" && (
          <span class="mono">
            <Foreign text={call.target} />
          </span>
        )}
      </p>
      <dl class="facts">
        <Fact name="Time" value={time(call.at)} />
        <Fact name="Session" value={<Foreign text={`${call.client ?? "Unnamed"} · ${call.session}`} />} />
        <Fact name="Server" value={call.server === null ? "–" : <Foreign text={call.server} />} />
        <Fact name="Readiness" value={call.readiness ?? "–"} />
        <Fact name="Items" value={call.items === null ? "–" : count(call.items)} />
        <Fact
          name="Size"
          value={call.tokens === null ? "–" : `${count(call.tokens)} tokens`}
          note={call.bytes === null ? undefined : bytes(call.bytes)}
        />
      </dl>
      {call.time !== null && (
        <div class="call-time">
          <TimeSplit time={call.time} />
          <TimeSplitKey time={call.time} />
        </div>
      )}
    </>
  );
}

function Content({ detail: { note, arguments: args, result } }: { detail: CallDetail }): JSX.Element {
  return (
    <>
      {note !== null && (
        <p class="notice">
          <Foreign text={note} />
        </p>
      )}
      {args !== null && (
        <section>
          <Head title="Arguments" text={pretty(args)} />
          <ForeignBlock text={pretty(args)} label="Arguments" />
        </section>
      )}
      {result !== null && (
        <section>
          <Head title="Answer, as the agent saw it" text={result.text} />
          <Tabs
            label="Answer"
            tabs={[
              {
                id: "text",
                title: "Text",
                show: () => <ForeignBlock text={result.text} label="Text of the answer" />,
              },
              ...(result.structured === null
                ? []
                : [
                    {
                      id: "structured",
                      title: "Structured",
                      show: () => <ForeignBlock text={pretty(result.structured)} label="Structured answer" />,
                    },
                  ]),
            ]}
          />
        </section>
      )}
    </>
  );
}

function Head({ title, text }: { title: string; text: string }): JSX.Element {
  return (
    <div class="section-head">
      <h3>{title}</h3>
      <CopyButton text={text} what={title.toLowerCase()} />
    </div>
  );
}
