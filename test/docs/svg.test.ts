/** Terminal output as SVG. */
import { describe, expect, it } from "vitest";
import { shownLines, svgOf } from "./svg.js";

const picture = (raw: string) =>
  svgOf({ title: "A <b>", description: "B & C", columns: 80, lines: shownLines(raw) });

describe("what a terminal shows", () => {
  it("has styles until they end", () => {
    expect(shownLines("a\u001b[1;36mb\u001b[0m c")).toEqual([
      [
        { style: "", text: "a" },
        { style: "1;36", text: "b" },
        { style: "", text: " c" },
      ],
    ]);
  });

  it("is the last state of a line that was written again", () => {
    expect(shownLines("1 s  loading\r\u001b[K2 s  loading\r\u001b[Kdone\nnext")).toEqual([
      [{ style: "", text: "done" }],
      [{ style: "", text: "next" }],
    ]);
  });

  it("has nothing that a picture cannot show", () => {
    expect(() => shownLines("\u001b[2Jx")).toThrow("not a colour");
    expect(() => picture("\u001b[7mx\u001b[0m")).toThrow("unknown style 7");
  });
});

describe("the picture", () => {
  it("has a title, a description and every character", () => {
    const svg = picture("\u001b[32m✓\u001b[0m a < b && c\n\n  d");
    expect(svg).toContain('<title id="title">A &lt;b&gt;</title>');
    expect(svg).toContain('<desc id="description">B &amp; C</desc>');
    expect(svg).toContain('textLength="100.8"><tspan class="s32">✓</tspan> a &lt; b &amp;&amp; c</text>');
    expect(svg).toContain('y="69" textLength="25.2">  d</text>');
  });

  it("needs nothing from elsewhere, and has colours for dark ground", () => {
    const svg = picture("\u001b[31mx\u001b[0m");
    expect(svg.replace('xmlns="http://www.w3.org/2000/svg"', "")).not.toMatch(
      /https?:|url\(|@import|<script|href/,
    );
    expect(svg).toMatch(/@media \(prefers-color-scheme: dark\) \{[^@]*\.s31 \{ fill: #ff7b72 \}/);
  });
});
