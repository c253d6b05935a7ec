/** A temporary workspace with a state folder beside it, for tests of edits. */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { sha256 } from "../../../src/base/hash.js";
import { Refusal } from "../../../src/base/problem.js";
import type { Disk } from "../../../src/workspace/edits/disk.js";
import { type Edits, openEdits } from "../../../src/workspace/edits/edits.js";
import { realDisk } from "../../../src/workspace/edits/real-disk.js";
import type {
  Applied,
  Change,
  EditLimits,
  Recovery,
  TextChange,
} from "../../../src/workspace/edits/types.js";
import { openGate } from "../../../src/workspace/gate.js";

export interface Bench {
  top: string;
  root: string;
  state: string;
  recoveries: Recovery[];
  write(name: string, content: string | Uint8Array, mode?: number): void;
  text(name: string): string;
  hash(name: string): string;
  /** Everything in the workspace: kind, mode and content by path. */
  snapshot(): { [path: string]: string };
  open(limits?: Partial<EditLimits>, disk?: Disk): Promise<Edits>;
  /** A change of a file's current text: replaces the first `from` by `to`. */
  change(name: string, from: string, to: string): Change;
  remove(): void;
}

/** Makes a workspace. */
export function makeBench(parent = tmpdir()): Bench {
  return benchAt(realpathSync(mkdtempSync(join(parent, "edits-"))));
}

/** A memory file system, if there is one: hundreds of flushed edits are slow on a disk. */
export const memory = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** A workspace in an existing folder. */
export function benchAt(
  top: string,
  deny: string[] = ["**/.git/**", "secret", "**/.dot*", "**/.lsp-proxy-*"],
): Bench {
  const root = join(top, "root");
  const state = join(top, "state");
  for (const folder of [root, join(top, "extra"), join(top, "outside")])
    mkdirSync(folder, { recursive: true });
  const recoveries: Recovery[] = [];
  const text = (name: string): string => readFileSync(join(root, name), "utf8");
  const hash = (name: string): string => sha256(readFileSync(join(root, name)));
  return {
    ...{ top, root, state, recoveries, text, hash },
    write(name, content, mode) {
      const path = join(root, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
      if (mode !== undefined) chmodSync(path, mode);
    },
    snapshot: () => snapshotOf(root),
    async open(limits, disk = realDisk) {
      const gate = await openGate({ roots: [root], extraRoots: [join(top, "extra")], deny });
      const recovered = (recovery: Recovery): void => void recoveries.push(recovery);
      return openEdits({ gate, stateFolder: state, limits: limits ?? {}, recovered }, disk);
    },
    change(name, from, to) {
      const start = text(name)
        .replace(/^\ufeff/, "")
        .indexOf(from);
      if (start < 0) throw new Error(`no such text in ${name}`);
      return edit(name, hash(name), [{ start, end: start + from.length, newText: to }]);
    },
    remove: () => rmSync(top, { recursive: true, force: true }),
  };
}

/** Everything below a folder: kind, mode and content by path. */
export function snapshotOf(folder: string): { [path: string]: string } {
  const found: { [path: string]: string } = {};
  const walk = (path: string, shown: string): void => {
    const facts = lstatSync(path);
    const mode = (facts.mode & 0o7777).toString(8);
    if (facts.isSymbolicLink()) found[shown] = `link ${readlinkSync(path)}`;
    else if (facts.isDirectory()) {
      found[shown] = `folder ${mode}`;
      for (const name of readdirSync(path)) walk(join(path, name), `${shown}/${name}`);
    } else found[shown] = `file ${mode} ${readFileSync(path).toString("base64")}`;
  };
  walk(folder, ".");
  return found;
}

export const edit = (path: string, hash: string, changes: TextChange[]): Change => ({
  ...{ kind: "edit", path, sha256: hash, changes },
});
export const create = (path: string, text = "", options: { [key: string]: boolean } = {}): Change => ({
  ...{ kind: "create", path, text, overwrite: false, ignoreIfExists: false, ...options },
});
export const rename = (from: string, to: string, options: { [key: string]: boolean } = {}): Change => ({
  ...{ kind: "rename", from, to, overwrite: false, ignoreIfExists: false, ...options },
});
export const remove = (path: string, options: { [key: string]: boolean } = {}): Change => ({
  ...{ kind: "delete", path, recursive: false, ignoreIfNotExists: false, ...options },
});

/** Previews and applies. */
export async function applyNow(edits: Edits, changes: Change[]): Promise<Applied> {
  const preview = await edits.preview(changes);
  return edits.apply(preview);
}

/**
 * Tries moment after moment, from 1, until one is over. Four at the same time: an edit mostly waits for the threads that
 * read and write files.
 */
export async function atEachMoment(isOver: (at: number) => Promise<boolean>): Promise<void> {
  let [next, isDone] = [1, false];
  const worker = async (): Promise<void> => {
    while (!isDone) if (await isOver(next++)) isDone = true;
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
}

/** The Refusal that a promise rejects with. */
export async function refusalOf(act: Promise<unknown>): Promise<Refusal> {
  try {
    await act;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error("was not refused");
}

/** The reasons of a refusal, as `code path`. */
export function reasonsOf(refusal: Refusal): string[] {
  const { reasons } = refusal.data;
  if (!Array.isArray(reasons)) return [];
  return reasons.map((reason) => {
    if (typeof reason !== "object" || reason === null || Array.isArray(reason)) throw new Error("no reason");
    return `${reason.code} ${reason.path}`;
  });
}
