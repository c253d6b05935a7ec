/**
 * Answers are about the files as they are on disk now: real servers are asked right after files were created, changed,
 * deleted, saved by rename, reached through a link, or switched with a branch.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LiveSession, openSession, repository, type ToolResult, testEnvironment } from "./session.js";

interface Language {
  config: string;
  /** A program that must run for the tests to make sense. */
  probe?: [program: string, ...args: string[]];
  /** Files beside the sources. */
  files: { [name: string]: string };
  /** The file with the function `shared`, and its name marked in it. */
  definition: [file: string, text: string, marked: string];
  /** A file that uses the function once for each number. */
  user: (name: string, uses: number) => [file: string, text: string];
}

const repeat = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => line(index)).join("");

const typescript: Omit<Language, "config"> = {
  files: { "tsconfig.json": '{ "compilerOptions": { "strict": true, "module": "esnext", "lib": ["es5"] } }' },
  definition: ["shared.ts", "export function shared(): number {\n  return 1;\n}\n", "function |shared"],
  user: (name, uses) => [
    `${name}.ts`,
    `import * as other from "./shared";\n${repeat(uses, (index) => `export const n${index} = other.shared();\n`)}`,
  ],
};

const languages: { [name: string]: Language } = {
  "typescript-language-server": {
    ...typescript,
    config: `[allow]
commands = ["typescript-language-server"]
[[servers]]
id = "ts"
kind = "typescript-language-server"
[servers.initialize_options.tsserver]
path = "${join(repository, "node_modules", "typescript-5", "lib", "tsserver.js")}"
`,
  },
  "typescript 7": {
    ...typescript,
    config: '[allow]\ncommands = ["tsc"]\n[[servers]]\nid = "ts"\nkind = "typescript"\n',
  },
  pyright: {
    config: '[allow]\ncommands = ["pyright-langserver"]\n[[servers]]\nid = "py"\nkind = "pyright"\n',
    files: { "pyrightconfig.json": "{}" },
    definition: ["shared.py", "def shared() -> int:\n    return 1\n", "def |shared"],
    user: (name, uses) => [
      `${name}.py`,
      `import shared as other\n${repeat(uses, (index) => `n${index} = other.shared()\n`)}`,
    ],
  },
  gopls: {
    config: `[allow]
commands = ["gopls"]
env = ["PATH", "HOME", "GOFLAGS", "GOPATH", "GOCACHE"]
[[servers]]
id = "go"
kind = "gopls"
`,
    probe: ["gopls", "version"],
    files: { "go.mod": "module example.test/truth\n\ngo 1.21\n" },
    definition: ["shared.go", "package truth\n\nfunc shared() int {\n\treturn 1\n}\n", "func |shared"],
    user: (name, uses) => [
      `${name}.go`,
      `package truth\n\n${repeat(uses, (index) => `var ${name}${index} = shared()\n`)}`,
    ],
  },
};

/** What an answer says of itself that is not called early or incomplete. Not every server tells when it is ready. */
const trusted = { readiness: expect.stringMatching(/^(ready|unknown)$/), warnings: [] };

for (const [name, { config, probe, files, definition, user }] of Object.entries(languages)) {
  const [program, ...args] = probe ?? [process.execPath, "--version"];
  const isInstalled = spawnSync(program, args, { env: testEnvironment() }).status === 0;
  const title = isInstalled ? name : `${name} (not installed)`;

  describe.skipIf(!isInstalled)(title, { timeout: 300_000 }, () => {
    const [file, text, marked] = definition;
    let session: LiveSession;
    const at = (path: string) => join(session.folder, path);
    const write = (path: string, uses: number) => session.write(...user(path, uses));

    async function findReferences(path = file): Promise<ToolResult["structuredContent"]> {
      const place = session.place(file, marked);
      const { structuredContent } = await session.call("find_references", { file_path: path, ...place });
      expect(structuredContent).toMatchObject({ ok: true });
      return structuredContent;
    }

    /** The number of references in each file, without the definition's own. */
    function countsOf({ locations }: ToolResult["structuredContent"]): { [path: string]: number } {
      const counts: { [path: string]: number } = {};
      for (const found of locations as { path: string }[])
        if (found.path !== file) counts[found.path] = (counts[found.path] ?? 0) + 1;
      return counts;
    }

    /** The counts of an answer that must be right: it has no warning that it may be wrong. */
    async function references(path = file): Promise<{ [path: string]: number }> {
      const answer = await findReferences(path);
      expect(answer).toMatchObject(trusted);
      return countsOf(answer);
    }

    const counts = (uses: { [name: string]: number }) =>
      Object.fromEntries(Object.entries(uses).map(([path, count]) => [user(path, 0)[0], count]));

    beforeAll(async () => {
      session = await openSession("empty", config, [], { ...files, [file]: text });
      write("first", 1);
      expect(await references()).toEqual(counts({ first: 1 }));
    });
    afterAll(() => session?.close());

    it("knows a file that was created in the same instant", async () => {
      for (let round = 0; round < 3; round++) {
        write(`new${round}`, 1);
        expect(Object.keys(await references())).toContain(user(`new${round}`, 1)[0]);
      }
    });

    it("knows a file that was changed, and one that was deleted, in the same instant", async () => {
      write("new0", 2);
      rmSync(at(user("new1", 0)[0]));
      expect(await references()).toEqual(counts({ first: 1, new0: 2, new2: 1 }));
    });

    it("knows a file that was saved by rename", async () => {
      const [path, changed] = user("new2", 3);
      writeFileSync(at(`${path}.tmp`), changed);
      renameSync(at(`${path}.tmp`), at(path));
      expect(await references()).toEqual(counts({ first: 1, new0: 2, new2: 3 }));
    });

    it("knows the asked file itself when it was changed", async () => {
      session.write(file, text.replace("1", "2"));
      expect(await references()).toEqual(counts({ first: 1, new0: 2, new2: 3 }));
    });

    it("takes a symbolic link for the file that it leads to", async () => {
      symlinkSync(at(file), at(`link-${file}`));
      expect(await references(`link-${file}`)).toEqual(counts({ first: 1, new0: 2, new2: 3 }));
      rmSync(at(`link-${file}`));
    });

    it("knows all files after a switch to a branch with 1 000 others", async () => {
      const git = (...words: string[]) =>
        execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.test", ...words], {
          cwd: session.folder,
          // Not the user's: it may want signed commits.
          env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null" },
        });
      git("init", "-q", "-b", "one");
      git("add", ".");
      git("commit", "-q", "-m", "one");
      git("checkout", "-q", "-b", "two");
      for (let index = 0; index < 1_000; index++) write(`many${index}`, 1);
      write("first", 2);
      git("add", ".");
      git("commit", "-q", "-m", "two");
      git("checkout", "-q", "one");
      const before = await references();
      expect(before).toEqual(counts({ first: 1, new0: 2, new2: 3 }));
      git("checkout", "-q", "two");
      // The definition and every use.
      const total = 1 + 1_000 + 2 + 2 + 3;
      expect(await findReferences()).toMatchObject({ total, readiness: trusted.readiness });
      git("checkout", "-q", "one");
      expect(await references()).toEqual(before);
    });

    it("never calls an answer ready that misses a file of the same instant", async () => {
      for (let round = 0; round < 10; round++) {
        const created = [0, 1, 2].map((index) => `burst${round}x${index}`);
        for (const name of created) write(name, 1);
        const answer = await findReferences();
        const found = countsOf(answer);
        const missed = created.filter((name) => found[user(name, 1)[0]] === undefined);
        if (missed.length > 0) expect(answer.readiness, missed.join()).not.toBe("ready");
      }
    });
  });
}
