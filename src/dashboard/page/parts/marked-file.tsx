/** A file with places marked: the lines around them, or the whole file. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { sortBy } from "../../../base/order.js";
import type { FileRange, RunAnswer, WorkspaceFile } from "../../api.js";
import { Foreign, visible } from "./foreign.js";

type ColumnUnit = RunAnswer["columnUnit"];

/** Lines shown before and after a place. */
const AROUND = 4;

interface MarkedFileProps {
  /** Names the file, or lets a person choose it. */
  title: JSX.Element;
  file: WorkspaceFile;
  places: FileRange[];
  columnUnit: ColumnUnit;
}

export function MarkedFile({ title, file, places, columnUnit }: MarkedFileProps): JSX.Element {
  const [whole, setWhole] = useState(false);
  const lines = file.text.split(/\r\n|\r|\n/);
  const near = (line: number) =>
    places.some(
      (place) => line >= place.line - AROUND && line <= Math.min(place.endLine, place.line + 40) + AROUND,
    );
  const numbers = lines.map((_, index) => index + 1).filter((line) => whole || near(line));
  return (
    <>
      <div class="section-head">
        {title}
        <label class="inline small">
          <input
            type="checkbox"
            checked={whole}
            onChange={({ currentTarget }) => setWhole(currentTarget.checked)}
          />
          <span>whole file</span>
        </label>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by the keyboard. */}
      <section class="block code-lines" tabIndex={0} aria-label={`Lines of ${visible(file.path)}`} dir="ltr">
        {numbers.map((number, index) => (
          <div
            key={number}
            class={index > 0 && numbers[index - 1] !== number - 1 ? "line after-gap" : "line"}
          >
            <span class="line-number">{number}</span>
            <span class="line-text">
              <MarkedLine text={lines[number - 1] ?? ""} marks={marksOf(places, number)} unit={columnUnit} />
            </span>
          </div>
        ))}
      </section>
      {file.isCut && <p class="muted small">The end of the file is left out.</p>}
    </>
  );
}

/** The columns of a line that belong to places, from 0, without overlaps. */
function marksOf(places: FileRange[], line: number): [from: number, to: number][] {
  const touching = places.filter((place) => place.line <= line && line <= place.endLine);
  const ranges = touching.map((place): [number, number] => [
    place.line === line ? place.column - 1 : 0,
    place.endLine === line ? place.endColumn - 1 : Number.POSITIVE_INFINITY,
  ]);
  const marks: [number, number][] = [];
  for (const [from, to] of sortBy(ranges, (range) => range)) {
    const last = marks.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else marks.push([from, to]);
  }
  return marks;
}

interface MarkedLineProps {
  text: string;
  marks: [from: number, to: number][];
  unit: ColumnUnit;
}

function MarkedLine({ text, marks, unit }: MarkedLineProps): JSX.Element {
  const pieces: JSX.Element[] = [];
  let at = 0;
  for (const mark of marks) {
    const [from, to] = mark.map((column) => offsetOf(column, text, unit)) as typeof mark;
    if (from > at) pieces.push(<Foreign text={text.slice(at, from)} isCode />);
    const marked = text.slice(from, to);
    if (marked !== "")
      pieces.push(
        <mark>
          <Foreign text={marked} isCode />
        </mark>,
      );
    at = to;
  }
  if (at < text.length) pieces.push(<Foreign text={text.slice(at)} isCode />);
  return <>{pieces}</>;
}

/** The offset of a column in the text of its line. */
function offsetOf(column: number, text: string, unit: ColumnUnit): number {
  if (unit === "utf-16") return column;
  const encoder = new TextEncoder();
  let offset = 0;
  let units = 0;
  for (const character of text) {
    if (units >= column) break;
    units += unit === "utf-32" ? 1 : encoder.encode(character).length;
    offset += character.length;
  }
  return offset;
}
