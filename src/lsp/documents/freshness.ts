/**
 * Keeps one server's view equal to the disk: before it is asked, it hears of every file that anyone changed, in the
 * way it needs: its open documents, the watched files, and an open for servers that see nothing else.
 */
import type { ServerPlan } from "../../abi/plan.js";
import { sortBy } from "../../base/order.js";
import type { Capabilities } from "../capabilities.js";
import { claims } from "../route.js";
import type { WorkspaceWatch } from "../watch/watch.js";
import { wantedChanges, watchedFilesParams } from "../watch/watched-files.js";
import type { Documents } from "./documents.js";
import { LastLook } from "./last-look.js";

const DELETED = 3;
/** Files tried when any one of a language is to be opened. */
const CANDIDATES = 5;

export interface FreshnessContext {
  plan: ServerPlan;
  /** The folders that the server serves. */
  own: () => readonly string[];
  roots: readonly string[];
  watch: WorkspaceWatch;
  documents: Documents;
  capabilities: Capabilities;
  /** Most files opened for one look at what changed. */
  maxOpened: number;
  notify: (method: string, params: unknown) => void;
  /** Hears of the files that changed and are not open. */
  onOthersChanged: (paths: readonly string[]) => void;
}

export class Freshness {
  readonly #context: FreshnessContext;
  readonly #looked = new LastLook();
  #cursor: number;
  #queue: Promise<void> = Promise.resolve();

  constructor(context: FreshnessContext) {
    this.#context = context;
    this.#cursor = context.watch.cursor;
  }

  /** Notifies the server of all that changed on disk. A check that began after `since` and has just ended will do. */
  renew(since?: number): Promise<void> {
    if (this.#looked.covers(since)) return Promise.resolve();
    const renewed = this.#queue.then(() => this.#renew(since));
    this.#queue = renewed.catch(() => undefined);
    return renewed;
  }

  async #renew(since: number | undefined): Promise<void> {
    const { watch, documents } = this.#context;
    // Whoever was waited for may have done all of it.
    if (this.#looked.covers(since)) return;
    const own = this.#context.own();
    const began = await watch.refresh(since);
    await documents.refresh(watch);
    await this.#tell(own);
    this.#looked.ended(began);
  }

  async #tell(own: readonly string[]): Promise<void> {
    const { watch, documents, capabilities, notify } = this.#context;
    const changes = watch.since(this.#cursor, own);
    this.#cursor = watch.cursor;
    const wanted = wantedChanges(changes, capabilities, own, (path) => this.#isOwn(path));
    if (wanted.length === 0) return;
    notify("workspace/didChangeWatchedFiles", watchedFilesParams(wanted));
    const others = wanted.filter(({ path }) => documents.get(path) === undefined);
    if (others.length > 0) this.#context.onOthersChanged(others.map(({ path }) => path));
    if (!this.#context.plan.openOnChange) return;
    const unseen = others.filter(
      ({ path, type, ignored }) => type !== DELETED && !ignored && this.#isOwn(path),
    );
    for (const { path } of unseen.slice(0, this.#context.maxOpened)) await this.#tryOpen(path);
  }

  /** Opens one file of the server's kind when none is open: half of all servers know no workspace symbols before. */
  async openOne(): Promise<void> {
    const { documents, watch } = this.#context;
    if (documents.count > 0) return;
    const own = [...watch.files(this.#context.own())].filter((path) => this.#isOwn(path));
    for (const path of sortBy(own, (file) => [file.split(/[\\/]/).length, file]).slice(0, CANDIDATES)) {
      if (await this.#tryOpen(path)) return;
    }
  }

  #isOwn(path: string): boolean {
    return claims(this.#context.plan, path, this.#context.roots);
  }

  /** A file that is no text is of no interest to a server either. */
  async #tryOpen(path: string): Promise<boolean> {
    const opened = await this.#context.documents.sync(path).catch(() => undefined);
    return opened !== undefined;
  }
}
