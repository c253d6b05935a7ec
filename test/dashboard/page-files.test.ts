/** The built page: small, all its own, nothing inline; and a source that never makes HTML of text. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { repository } from "../live/session.js";

const built = join(repository, "dist", "dashboard");
const source = join(repository, "src", "dashboard", "page");
const sources = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((name) =>
  /\.tsx?$/.test(name),
);

it("is four files of less than 150 KB together", () => {
  const files = readdirSync(built).toSorted();
  expect(files).toEqual(["icon.svg", "index.html", "page.css", "page.js"]);
  const bytes = files.reduce((sum, name) => sum + statSync(join(built, name)).size, 0);
  expect(bytes).toBeLessThan(150_000);
});

it("has nothing inline and loads nothing from elsewhere", () => {
  const html = readFileSync(join(built, "index.html"), "utf8");
  const loaded = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, url]) => url);
  expect(loaded.toSorted()).toEqual(["icon.svg", "page.css", "page.js"]);
  expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|<script[^>]*>[^<]/);
  expect(readFileSync(join(built, "page.css"), "utf8")).not.toMatch(/url\(|@import/);
  expect(readFileSync(join(built, "page.js"), "utf8")).not.toMatch(/\bimport\s*\(|\beval\(|new Function/);
});

it("never makes HTML of text", () => {
  expect(sources.length).toBeGreaterThan(20);
  const found = sources.filter((name) =>
    /innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser/.test(
      readFileSync(join(source, name), "utf8"),
    ),
  );
  expect(found).toEqual([]);
});

it("has the licences of what is bundled", () => {
  const notices = readFileSync(join(repository, "dist", "THIRD_PARTY_NOTICES.txt"), "utf8");
  for (const name of ["preact", "uplot"])
    expect(notices).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(MIT\\)$`, "m"));
});
