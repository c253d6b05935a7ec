/**
 * Reads the folders under the roots and keeps a snapshot of them. What git ignores is told apart, and followed as far as
 * its zones reach; an ignored folder may be large, so a look does not wait long until it is read for the first time.
 */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { entryFacts } from "../../base/facts.js";
import { IgnoreRules } from "./ignore-rules.js";
import type { Zone } from "./ignored-zones.js";
import { type Folder, Snapshot, type SnapshotContext } from "./snapshot.js";

/** Folders of version control are never entered. */
const SKIPPED = new Set([".git", ".hg", ".svn", ".jj"]);
/** Folders of installed packages are taken for ignored, whether git is told so or not. */
const DEPENDENCIES = new Set(["node_modules"]);

/** Stands among the touched names for an event without one. */
const ANYTHING = "";

export interface TreeContext extends SnapshotContext {
  isDenied: (path: string, isFolder: boolean) => boolean;
  /** How long a look waits for ignored folders that it has found. */
  openWaitMs: number;
}

export class WatchedTree {
  /** What is known. */
  readonly known: Snapshot;
  readonly #context: TreeContext;
  /** Ignored folders that are being read for the first time. */
  readonly #opening = new Set<Promise<void>>();
  /** Which folder each root was in the last look. */
  readonly #identities = new Map<string, string>();

  constructor(context: TreeContext) {
    this.#context = context;
    this.known = new Snapshot(context);
  }

  /** Reads what may have changed, everything when `all` says so, and the roots that are new. */
  async look(roots: readonly string[], all: boolean): Promise<void> {
    await each(roots, (root) => this.#renewIfReplaced(root));
    if (all || this.known.isStirred) await this.#readStale(all);
    await each(roots, (root) => this.#enter(root, new IgnoreRules([]), undefined));
    this.known.first = false;
    if (this.isOpening) await atMost(Promise.all(this.#opening), this.#context.openWaitMs);
  }

  /** A root that was moved away for another keeps its watches with it, and so do the folders in it: the new one has none. */
  async #renewIfReplaced(root: string): Promise<void> {
    const facts = entryFacts(root);
    // A number is given again as soon as it is free; the moment of birth tells the two apart.
    const identity = `${facts?.dev}:${facts?.ino}:${facts?.birthtimeMs}`;
    const before = this.#identities.get(root);
    this.#identities.set(root, identity);
    const folder = this.known.get(root);
    if (before === undefined || before === identity || folder === undefined) return;
    await this.#renew(folder, new IgnoreRules([]));
  }

  async #readStale(all: boolean): Promise<void> {
    this.known.isStirred = false;
    const isStale = (folder: Folder): boolean => folder.dirty || !folder.watcher;
    // One that is being read for the first time keeps its events for the next look.
    const stale = this.known.folders.filter((folder) => folder.read && (all || isStale(folder)));
    await each(stale, (folder) => this.#read(folder, false, all));
    if (this.known.folders.some(isStale)) this.known.isStirred = true;
  }

  /** Whether ignored folders are being read for the first time. */
  get isOpening(): boolean {
    return this.#opening.size > 0;
  }

  /** Follows one folder of an ignored part that is too large as a whole. */
  async follow(path: string): Promise<void> {
    const zone = this.#context.zones.at(path, "files");
    await this.#enter(path, new IgnoreRules([]), zone, true);
  }

  /** Follows it no longer; nothing in it counts as deleted. */
  unfollow(path: string): void {
    const folder = this.known.get(path);
    if (folder?.alone) this.known.drop(folder);
  }

  async #enter(path: string, rules: IgnoreRules, zone: Zone | undefined, alone = false): Promise<void> {
    if (this.known.get(path) || this.#context.watchers.isClosed) return;
    if (zone && !this.#context.zones.fits(zone, 0, 1)) {
      this.known.closeZone(zone);
      return;
    }
    const folder: Folder = {
      path,
      files: new Map(),
      folders: new Set(),
      rules,
      watcher: undefined,
      touched: new Set(),
      dirty: true,
      zone,
      alone,
      read: false,
    };
    this.known.add(folder);
    // Watched before it is read: what happens in between is an event.
    this.#observe(folder);
    await this.#read(folder, false);
  }

  /** Begins to read an ignored folder. */
  #open(path: string, rules: IgnoreRules, zone: Zone): void {
    zone.first = this.known.first;
    const opening = this.#enter(path, rules, zone).finally(() => {
      zone.first = false;
      this.#opening.delete(opening);
    });
    this.#opening.add(opening);
  }

  /** A folder that was replaced, or whose ignore rules changed: its old watch may look at nothing any more. */
  async #renew(folder: Folder, rules: IgnoreRules): Promise<void> {
    folder.rules = rules;
    this.known.unwatch(folder);
    this.#observe(folder);
    await this.#read(folder, true);
  }

  #observe(folder: Folder): void {
    const onEvent = (name: string | null): void => {
      folder.dirty = true;
      this.known.isStirred = true;
      folder.touched.add(name ?? ANYTHING);
    };
    folder.watcher = this.#context.watchers.observe(folder.path, onEvent, () => this.known.unwatch(folder));
  }

  /** Compares one folder with what was known of it; `deep` renews the folders in it as well. */
  async #read(folder: Folder, deep: boolean, whole = deep): Promise<void> {
    const touched = folder.touched;
    folder.dirty = false;
    folder.touched = new Set();
    const listing = await readdir(folder.path, { withFileTypes: true }).catch(() => undefined);
    if (!this.known.holds(folder)) return;
    if (!listing) {
      this.known.leave(folder);
      return;
    }
    if (folder.zone && !folder.watcher && this.#context.watchers.isUsedUp) {
      this.known.closeZone(folder.zone);
      return;
    }
    const hasRules = !folder.zone && listing.some((entry) => entry.isFile() && entry.name === ".gitignore");
    const otherRules = await folder.rules.read(folder.path, hasRules);
    if (otherRules && folder.read) this.#context.zones.reopen(folder.path);
    const names = (wanted: "isFile" | "isDirectory"): string[] =>
      listing
        .filter((entry) => entry[wanted]() && !this.#isOut(folder, entry.name, wanted === "isDirectory"))
        .map(({ name }) => name);
    const files = names("isFile");
    const folders = folder.alone ? [] : names("isDirectory");
    this.known.forgetMissing(folder, new Set(files), new Set(folders));
    // In a large folder that is written all the time, say a build's, only what events named is looked at.
    const isTold = folder.zone && folder.read && folder.watcher && !whole && !touched.has(ANYTHING);
    const changed = isTold ? files.filter((name) => touched.has(name) || !folder.files.has(name)) : files;
    await this.#readFiles(folder, changed, touched);
    folder.read = true;
    folder.folders = new Set(folders);
    await each(folders, (name) => this.#readChild(folder, name, deep || otherRules || touched.has(name)));
  }

  async #readFiles(folder: Folder, names: readonly string[], touched: ReadonlySet<string>): Promise<void> {
    const zoned = new Map<string, Zone | undefined>(
      names.map((name) => [name, this.#zoneOf(folder, name, false)]),
    );
    for (const zone of new Set(zoned.values())) {
      if (!zone) continue;
      const more = names.filter((name) => zoned.get(name) === zone && !folder.files.has(name)).length;
      if (more > 0 && !this.#context.zones.fits(zone, more, 0)) this.known.closeZone(zone);
    }
    await each(names, (name) => this.known.compare(folder, name, zoned.get(name), touched.has(name)));
  }

  async #readChild(folder: Folder, name: string, renew: boolean): Promise<void> {
    const path = join(folder.path, name);
    const zone = this.#zoneOf(folder, name, true);
    const before = this.known.get(path);
    // What is ignored now and was not, or the other way round, is another folder to us.
    const child = before && before.zone !== zone && !before.alone ? undefined : before;
    if (before && !child) this.known.dropAll(before);
    if (zone?.closed) return;
    const rules = folder.rules.inner();
    if (!child && zone && !folder.zone) this.#open(path, rules, zone);
    else if (!child) await this.#enter(path, rules, zone);
    else if (renew) await this.#renew(child, rules);
  }

  /** Whether something is never looked at. */
  #isOut(folder: Folder, name: string, isFolder: boolean): boolean {
    return (isFolder && SKIPPED.has(name)) || this.#context.isDenied(join(folder.path, name), isFolder);
  }

  /** The ignored part that something in a folder belongs to; undefined when git does not ignore it. */
  #zoneOf(folder: Folder, name: string, isFolder: boolean): Zone | undefined {
    if (folder.zone) return folder.zone;
    const path = join(folder.path, name);
    const isIgnored = (isFolder && DEPENDENCIES.has(name)) || folder.rules.ignores(path, isFolder);
    if (!isIgnored) return undefined;
    const { zones } = this.#context;
    return isFolder ? zones.at(path, "folder") : zones.at(folder.path, "files");
  }
}

/** Runs over items, a few at a time. */
export async function each<T>(items: readonly T[], run: (item: T) => Promise<void>): Promise<void> {
  for (let start = 0; start < items.length; start += 32) {
    await Promise.all(items.slice(start, start + 32).map(run));
  }
}

/** Waits for some work, but not for ever. */
export async function atMost(work: Promise<unknown>, waitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const bound = new Promise<void>((done) => {
    timer = setTimeout(done, waitMs);
  });
  await Promise.race([work, bound]).finally(() => clearTimeout(timer));
}
