/** Ignore rules: the same verdicts as git's own, within bounds, and what is not used is told. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { GlobBudget } from "../../src/base/glob.js";
import { GitIgnore } from "../../src/workspace/git-ignore.js";
import { MAX_RULES, parseIgnoreRules, verdictOf } from "../../src/workspace/ignore-rules.js";
import { scanWorkspace } from "../../src/workspace/scan.js";
import { memoryFiles } from "../config/memory-files.js";
import { limitFor } from "../processor-time.mjs";

const options = { timeout: 120_000 };
const user = { env: {}, home: "/home/me" };

/** Whether rules ignore a path whose folders are not ignored. */
function isIgnored(text: string, path: string): boolean {
  const isFolder = path.endsWith("/");
  const { rules } = parseIgnoreRules(text);
  return verdictOf(rules, isFolder ? path.slice(0, -1) : path, isFolder, new GlobBudget(1e6)) ?? false;
}

describe("an ignore file", () => {
  it.each([
    ["a name matches in every folder", "x", ["x", "a/x", "a/x/"], ["xx", "a/xx"]],
    ["a leading slash anchors", "/x", ["x"], ["a/x"]],
    ["a slash inside anchors", "a/x", ["a/x"], ["b/a/x", "x"]],
    ["a slash at the end means folders", "x/", ["x/", "a/x/"], ["x", "a/x"]],
    ["`!` takes back", "*.a\n!k.a", ["x.a"], ["k.a", "d/k.a"]],
    ["the last rule decides", "!k.a\n*.a", ["k.a"], []],
    ["`#` is a comment and `\\#` is not", "#x\n\\#y\n\\!z", ["#y", "!z"], ["#x", "x"]],
    [
      "spaces at the end do not count, escaped ones do",
      "x   \ny\\ \nz\\\\  ",
      ["x", "y ", "z\\"],
      ["y", "z"],
    ],
    ["line ends of Windows and a byte order mark", "\uFEFFx\r\ny\r\n", ["x", "y"], ["x\r"]],
    [
      "`**/x`, `x/**` and `a/**/b`",
      "**/m\nx/**\na/**/b",
      ["m", "q/m", "x/y", "x/y/z", "a/b", "a/1/2/b"],
      ["x", "x/", "q/a/b"],
    ],
    ["braces are plain", "{a,b}", ["{a,b}"], ["a", "b"]],
    [
      "sets and classes",
      "[a-c]1\n[!a-c]2\n[[:digit:]]z\n[]]q",
      ["b1", "d2", "7z", "]q"],
      ["d1", "a2", "az", "q"],
    ],
    ["an open set or a last backslash matches nothing", "[a\nx\\", [], ["[a", "a", "x", "x\\"]],
  ])("%s", (_, text, ignored, kept) => {
    for (const path of ignored) expect([path, isIgnored(text, path)]).toEqual([path, true]);
    for (const path of kept) expect([path, isIgnored(text, path)]).toEqual([path, false]);
  });
});

const gitVersion = (() => {
  try {
    return execFileSync("git", ["--version"], { encoding: "utf8" });
  } catch {
    return undefined;
  }
})();

describe.skipIf(gitVersion === undefined)("git check-ignore (skipped where git is not installed)", () => {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-ignore-")));
  afterAll(() => rmSync(top, { recursive: true, force: true }));

  const folders = ["", "a", "b", "a/b", "a/b/a"];
  const names = ["a", "b", "ab", "a.b", "x y", "a ", ".a", "b]", "a!"];
  /** Every file of the test repository; folders are asked about with their files. */
  const files = folders.flatMap((folder) =>
    names.map((name) => `${folder}${folder === "" ? "" : "/"}${name}.f`),
  );

  /** Cases that git is asked about at once; each has a folder of its own in the repository. */
  const CASES = 20;
  const cases = Array.from({ length: CASES }, (_, index) => String(index));
  const asked = cases.flatMap((folder) => files.map((file) => `${folder}/${file}`));

  /** The files of all cases that git ignores. */
  function ignoredByGit(root: string): Set<string> {
    const env = { PATH: process.env.PATH, HOME: join(root, "none"), GIT_CONFIG_NOSYSTEM: "1" };
    const options = { cwd: root, env, input: `${asked.join("\0")}\0`, encoding: "utf8" as const };
    try {
      const found = execFileSync("git", ["check-ignore", "-z", "--stdin", "--no-index"], {
        ...options,
        stdio: ["pipe", "pipe", "ignore"],
      });
      return new Set(found.split("\0").filter((name) => name !== ""));
    } catch (error) {
      // 1: none of them is.
      if ((error as { status?: number }).status === 1) return new Set();
      throw error;
    }
  }

  /** The files that we ignore: a walk down, as the program does it. */
  function ignoredByUs(root: string, ignoreFiles: { [folder: string]: string }): Set<string> {
    const contents = {
      ...Object.fromEntries(files.map((file) => [`${root}/${file}`, ""])),
      ...Object.fromEntries(
        Object.entries(ignoreFiles).map(([folder, text]) => [join(root, folder, ".gitignore"), text]),
      ),
    };
    const git = new GitIgnore(memoryFiles(contents), user, (note) => expect(note).toBe("nothing to tell"));
    const found = new Set<string>();
    for (const file of files) {
      const parts = file.split("/");
      const rules = git.folderRules(root, "");
      for (let depth = 1; depth <= parts.length; depth++) {
        const path = parts.slice(0, depth).join("/");
        const isFolder = depth < parts.length;
        if (git.isIgnored(path, isFolder, rules)) {
          found.add(file);
          break;
        }
        if (isFolder) rules.push(...git.folderRules(root, path));
      }
    }
    return found;
  }

  it("has the same verdict for generated files of rules", { timeout: 120_000 }, () => {
    execFileSync("git", ["init", "-q", top], { stdio: "ignore" });
    for (const each of cases)
      for (const folder of folders) mkdirSync(join(top, each, folder), { recursive: true });
    const piece = fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom("a", "b", ".f", "/", "*") },
      {
        weight: 2,
        arbitrary: fc.constantFrom("**/", "/**", "?", "[ab]", "[!a]", "\\", " ", ".", "[[:alpha:]]"),
      },
      {
        weight: 1,
        arbitrary: fc.constantFrom("**", "[", "]", "!", "[^b-z]", "[[:nope:]]", "\\ ", "{a,b}", "x y"),
      },
    );
    const line = fc
      .tuple(fc.constantFrom("", "", "", "!", "/", "#"), fc.array(piece, { minLength: 1, maxLength: 5 }))
      .map(([start, parts]) => start + parts.join(""))
      // Git takes two stars behind plain characters, `a**/b`, for a folder wildcard in some places and not in others.
      .filter((text) => !/[^/*]\*\*|\*\*[^/*]/.test(text.replace(/^[!/]+/, "")));
    const text = fc
      .tuple(fc.array(line, { minLength: 1, maxLength: 5 }), fc.constantFrom("\n", "\n", "\r\n"))
      .map(([lines, end]) => lines.join(end) + end);
    const ignoreFiles = fc.record({ "": text, a: fc.option(text), "a/b": fc.option(text) });
    let ignored = 0;
    fc.assert(
      fc.property(fc.array(ignoreFiles, { minLength: CASES, maxLength: CASES }), (all) => {
        const present = all.map((given) =>
          Object.fromEntries(
            Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== null),
          ),
        );
        for (const [index, texts] of present.entries())
          for (const folder of ["", "a", "a/b"])
            writeFileSync(join(top, String(index), folder, ".gitignore"), texts[folder] ?? "");
        const theirs = [...ignoredByGit(top)];
        ignored += theirs.length;
        for (const [index, texts] of present.entries()) {
          const root = `${index}/`;
          const expected = theirs.flatMap((path) => (path.startsWith(root) ? [path.slice(root.length)] : []));
          const found = ignoredByUs(join(top, root), texts);
          expect([texts, ...[...found].sort()]).toEqual([texts, ...expected.sort()]);
        }
      }),
      { numRuns: 400 / CASES, endOnFailure: false },
    );
    expect(ignored).toBeGreaterThan(1_000);
  });
});

describe("ignore files over a bound", () => {
  const scan = (contents: { [path: string]: string }) => scanWorkspace("/w", memoryFiles(contents), user);

  it("rules that are too long, or too many, are skipped and reported; the others hold", async () => {
    const found = await scan({
      "/w/.gitignore": `${"a".repeat(1_001)}\n*.log\n`,
      "/w/x.log": "",
      "/w/x.py": "",
    });
    expect(found.extensions.get("log")).toBeUndefined();
    expect(found.notes).toEqual([expect.stringMatching(/^\/w\/\.gitignore has 1 rules that are too long/)]);
    const many = `*.log\n${"x\n".repeat(MAX_RULES)}*.py\n`;
    const cut = await scan({ "/w/.gitignore": many, "/w/x.log": "", "/w/x.py": "" });
    expect([cut.extensions.get("log"), cut.extensions.get("py")]).toEqual([undefined, 1]);
    expect(cut.notes).toHaveLength(1);
  });

  it("a file of more than 1 MiB is not used, and is reported", async () => {
    const found = await scan({ "/w/.gitignore": "*.py\n".repeat(300_000), "/w/x.py": "" });
    expect(found.extensions.get("py")).toBe(1);
    expect(found.notes).toEqual(["/w/.gitignore is larger than 1 MiB and is not used"]);
  });

  it("many files with many rules are used up to a bound in all, and the rest is reported", async () => {
    const text = Array.from({ length: 9_000 }, (_, n) => `r${n}`).join("\n");
    const contents: { [path: string]: string } = {};
    for (let n = 0; n < 20; n++) {
      contents[`/w/f${n}/.gitignore`] = text;
      contents[`/w/f${n}/x.py`] = "";
    }
    const found = await scan(contents);
    expect(found.extensions.get("py")).toBe(20);
    expect(found.notes).toEqual([expect.stringContaining("too many ignore rules")]);
  });

  it("adding up what very many files use takes no longer for the last than for the first", options, () => {
    const notes: string[] = [];
    const git = new GitIgnore({ read: () => "x\n", list: () => [] }, user, (note) => notes.push(note));
    const before = process.cpuUsage();
    for (let n = 0; n < 99_000; n++) git.folderRules("/w", `f${n}`);
    // What is read again replaces what it had.
    for (let n = 0; n < 2_000; n++) git.folderRules("/w", "f0");
    // It takes less than a second, and a minute if each file is added to all the others again.
    const ms = process.cpuUsage(before).user / 1_000;
    expect(ms).toBeLessThan(limitFor(ms, 10_000));
    expect(notes).toEqual([]);
    for (let n = 99_000; n <= 100_000; n++) git.folderRules("/w", `f${n}`);
    expect(notes).toEqual([expect.stringContaining("too many ignore rules")]);
  });

  it("rules that take too long end the walk, and are reported", options, async () => {
    const rule = (n: number) => `${"*a".repeat(200)}[b${n}]`;
    const contents: { [path: string]: string } = {
      "/w/.gitignore": Array.from({ length: 2_000 }, (_, n) => rule(n)).join("\n"),
    };
    for (let n = 0; n < 2_000; n++) contents[`/w/${n}${"a".repeat(200)}.py`] = "";
    const found = await scan(contents);
    expect(found.cut).toBe(true);
    expect(found.notes).toEqual([expect.stringContaining("takes too long")]);
  });
});
