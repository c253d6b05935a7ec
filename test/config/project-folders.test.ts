/** Trust and configs are found from the folders of a project, and from nowhere else. */
import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { folderWithConfig } from "../../src/config/project-folders.js";
import { recordedFolders } from "../../src/config/trust/recorded-folders.js";
import {
  addTrusted,
  addTrustedFolder,
  isTrusted,
  isTrustedFolder,
  openTrust,
} from "../../src/config/trust/trust.js";

let top: string;
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "project-")));
  mkdirSync(join(top, "home"));
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const at = (name: string) => join(top, name);
function write(name: string, text = ""): void {
  mkdirSync(dirname(at(name)), { recursive: true });
  writeFileSync(at(name), text);
}
const folder = (name: string) => {
  mkdirSync(at(name), { recursive: true });
  return at(name);
};
const store = () => openTrust({ XDG_STATE_HOME: at("state") }, at("home"));
const trusts = (name: string) => addTrustedFolder(store(), at(name));
const isFolderTrusted = (name: string) => isTrustedFolder(store(), at(name));
const git = (cwd: string, ...words: string[]) =>
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...words], {
    cwd: at(cwd),
    stdio: "pipe",
    env: { PATH: process.env.PATH ?? "", HOME: at("home") },
  });

describe("a folder's trust", () => {
  it("covers its subfolders, and neither what is above nor beside it", () => {
    for (const name of ["a/b/c", "ab"]) folder(name);
    trusts("a");
    expect(["a", "a/b", "a/b/c"].map(isFolderTrusted)).toEqual([true, true, true]);
    expect(["ab", "."].map(isFolderTrusted)).toEqual([false, false]);
  });

  it("does not cover another repository inside it, whether that has a folder or a file `.git`", () => {
    folder("a/.git");
    folder("a/clone/.git");
    folder("a/clone/src");
    write("a/module/.git", "gitdir: ../.git/modules/module\n");
    trusts("a");
    expect(["a", "a/clone", "a/clone/src", "a/module"].map(isFolderTrusted)).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  it("of the home covers nothing below it", () => {
    folder("home/project");
    trusts("home");
    expect([isFolderTrusted("home"), isFolderTrusted("home/project")]).toEqual([true, false]);
  });

  it("is that of the real folder", () => {
    folder("a/b");
    folder("c");
    symlinkSync(at("c"), at("a/link"));
    symlinkSync(at("a/b"), at("in"));
    trusts("a");
    expect([isFolderTrusted("a/link"), isFolderTrusted("in")]).toEqual([false, true]);
  });
});

describe("a git worktree", () => {
  beforeEach(() => {
    folder("main");
    git("main", "init", "-q");
    write("main/src/a.txt");
    git("main", "add", ".");
    git("main", "commit", "-qm", "x");
    git("main", "worktree", "add", "-q", at("tree"), "-b", "other");
    trusts("main");
  });

  it("is trusted with its main working tree, and with it only", () => {
    expect([isFolderTrusted("tree"), isFolderTrusted("tree/src")]).toEqual([true, true]);
    folder("second");
    git("second", "init", "-q");
    git("second", "commit", "-q", "--allow-empty", "-m", "x");
    git("second", "worktree", "add", "-q", at("foreign"), "-b", "other");
    expect(isFolderTrusted("foreign")).toBe(false);
  });

  it("has its config trusted where that of the main working tree is trusted and equal", () => {
    const isConfigTrusted = (name: string, hash: string) => isTrusted(store(), at(name), hash);
    addTrusted(store(), at("main/lspi.toml"), "sha256-a");
    expect(isConfigTrusted("tree/lspi.toml", "sha256-a")).toBe(true);
    expect(isConfigTrusted("tree/lspi.toml", "sha256-b")).toBe(false);
    expect(isConfigTrusted("tree/src/lspi.toml", "sha256-a")).toBe(false);
    write("claim/.git", `gitdir: ${at("main/.git/worktrees/tree")}\n`);
    expect(isConfigTrusted("claim/lspi.toml", "sha256-a")).toBe(false);
  });

  it("is not what merely claims to be one", () => {
    // It names the entry of a real worktree, which names another folder.
    write("claim/.git", `gitdir: ${at("main/.git/worktrees/tree")}\n`);
    expect(isFolderTrusted("claim")).toBe(false);
    // It brings an entry of its own that names it, and names the trusted repository as its common folder.
    write("forged/.git", "gitdir: fake/.git/worktrees/x\n");
    write("forged/fake/.git/worktrees/x/gitdir", `${at("forged/.git")}\n`);
    write("forged/fake/.git/worktrees/x/commondir", `${at("main/.git")}\n`);
    expect(isFolderTrusted("forged")).toBe(false);
    // Links do not help: to the file of a real worktree, or into the trusted repository.
    folder("linked");
    symlinkSync(at("tree/.git"), at("linked/.git"));
    expect(isFolderTrusted("linked")).toBe(false);
    write("through/.git", "gitdir: main/.git/worktrees/tree\n");
    symlinkSync(at("main"), at("through/main"));
    expect(isFolderTrusted("through")).toBe(false);
  });

  it("is no longer one where it was moved without git", () => {
    renameSync(at("tree"), at("moved"));
    expect(isFolderTrusted("moved")).toBe(false);
  });
});

describe("a config", () => {
  const found = (name: string) => folderWithConfig(folder(name), at("home")).slice(top.length + 1);

  it("is found from subfolders, the nearest first", () => {
    folder("project/.git");
    write("project/lspi.toml");
    write("project/part/.lspi/config.toml");
    expect(found("project/src/deep")).toBe("project");
    expect(found("project/part/src")).toBe("project/part");
  });

  it("is not found above the repository", () => {
    write("lspi.toml");
    write("project/lspi.toml");
    folder("project/clone/.git");
    expect(found("project/clone/src")).toBe("project/clone/src");
    write("project/module/.git", "gitdir: ../.git/modules/module\n");
    expect(found("project/module/src")).toBe("project/module/src");
  });

  it("is found without a repository in the user's home, but not in the home itself or above it", () => {
    write("lspi.toml");
    write("home/lspi.toml");
    expect(found("home/project/src")).toBe("home/project/src");
    write("home/project/lspi.toml");
    expect(found("home/project/src")).toBe("home/project");
    folder(".git");
    expect(found("home/other")).toBe("home/other");
  });

  it("is not looked for above a folder elsewhere that is in no repository", () => {
    write("shared/lspi.toml");
    expect(found("shared/mine")).toBe("shared/mine");
    expect(found("shared")).toBe("shared");
  });

  it("is found there up to a folder that is trusted, not above it and not above a repository in it", () => {
    write("shared/lspi.toml");
    write("shared/mine/lspi.toml");
    folder("shared/bare/src");
    const trusting = (...names: string[]) => {
      for (const name of names) addTrustedFolder(store(), at(name));
      return (name: string) =>
        folderWithConfig(folder(name), at("home"), () => recordedFolders(store().file)).slice(top.length + 1);
    };
    expect(trusting()("shared/mine/src/deep")).toBe("shared/mine/src/deep");
    const found = trusting("shared/mine", "shared/bare");
    expect(found("shared/mine/src/deep")).toBe("shared/mine");
    expect(found("shared/bare/src")).toBe("shared/bare/src");
    expect(found("shared/other")).toBe("shared/other");
    folder("shared/mine/clone/.git");
    expect(found("shared/mine/clone/src")).toBe("shared/mine/clone/src");
    writeFileSync(store().file, "damaged");
    expect(found("shared/mine/src")).toBe("shared/mine/src");
  });
});
