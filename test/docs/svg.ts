/** A picture of a terminal as SVG: text, colours, bold and dim, light or dark as the reader has it. No script, no font from elsewhere. */
import { displayWidth } from "../../src/cli/terminal/text.js";

/** A part of a line with the codes of its style, such as `1;36`. */
export interface Span {
  style: string;
  text: string;
}

export interface Picture {
  title: string;
  description: string;
  columns: number;
  lines: readonly (readonly Span[])[];
}

const CELL = 8.4;
const LINE = 20;
const EDGE = 16;

/** The colours of a style on light and on dark ground; each has a contrast of at least 4.5 there. */
const colours: { [code: string]: [light: string, dark: string] } = {
  "2": ["#59636e", "#9198a1"],
  "31": ["#b3202b", "#ff7b72"],
  "32": ["#116329", "#56d364"],
  "33": ["#7d4e00", "#e3b341"],
  "34": ["#0550ae", "#79c0ff"],
  "35": ["#6639ba", "#d2a8ff"],
  "36": ["#0a5a66", "#56d4dd"],
};
const ground = { light: ["#f6f8fa", "#1f2328", "#d1d9e0"], dark: ["#0d1117", "#e6edf3", "#3d444d"] };

const ESCAPE = "\u001b";
const rewrite = new RegExp(`\\r|${ESCAPE}\\[\\d*K`);
const styling = new RegExp(`(${ESCAPE}\\[[\\d;]*m)`);

/** What a terminal shows after this output, line by line. */
export function shownLines(raw: string): Span[][] {
  return raw.split("\n").map((line) => {
    // A line that is written again, such as one with progress, shows its last state.
    const last = line.split(rewrite).at(-1) ?? "";
    const spans: Span[] = [];
    let style = "";
    for (const part of last.split(styling)) {
      const code = styling.exec(part)?.[1]?.slice(2, -1);
      if (code !== undefined) style = code === "0" ? "" : code;
      else if (part.includes(ESCAPE)) throw new Error(`not a colour: ${JSON.stringify(part)}`);
      else if (part !== "") spans.push({ style, text: part });
    }
    return spans;
  });
}

export function svgOf({ title, description, columns, lines }: Picture): string {
  const [width, height] = [columns * CELL + 2 * EDGE, lines.length * LINE + 2 * EDGE - 4];
  const texts = lines.flatMap((spans, index) => {
    const text = spans.map((span) => span.text).join("");
    if (text.trim() === "") return [];
    // The length keeps the columns where they are, whatever font the reader has.
    const length = (displayWidth(text) * CELL).toFixed(1);
    const y = EDGE + 13 + index * LINE;
    return [`<text x="${EDGE}" y="${y}" textLength="${length}">${spans.map(markup).join("")}</text>`];
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title description">
<title id="title">${escaped(title)}</title>
<desc id="description">${escaped(description)}</desc>
<style>
${styles()}
</style>
<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
${texts.join("\n")}
</svg>
`;
}

function markup({ style, text }: Span): string {
  if (style === "") return escaped(text);
  const classes = style.split(";").map((code) => {
    if (code !== "1" && colours[code] === undefined) throw new Error(`unknown style ${style} of ${text}`);
    return `s${code}`;
  });
  return `<tspan class="${classes.join(" ")}">${escaped(text)}</tspan>`;
}

function styles(): string {
  const rules = (side: 0 | 1, [back, front, border]: readonly string[]) => [
    `rect { fill: ${back}; stroke: ${border} }`,
    `text { fill: ${front} }`,
    ...Object.entries(colours).map(([code, pair]) => `.s${code} { fill: ${pair[side]} }`),
  ];
  return [
    'text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre }',
    ".s1 { font-weight: bold }",
    ...rules(0, ground.light),
    `@media (prefers-color-scheme: dark) {\n${rules(1, ground.dark).join("\n")}\n}`,
  ].join("\n");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
