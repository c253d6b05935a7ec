/**
 * The edits of one workspace: preview, apply, undo. Applying drafts the edit anew under the workspace's lock, so every
 * check of the preview is made again on the files as they are then, and a preview that no longer holds is refused.
 */
import { mkdir, realpath } from "node:fs/promises";
import { sha256 } from "../../base/hash.js";
import { Refusal } from "../../base/problem.js";
import type { Gate } from "../types.js";
import { openWard, type Ward } from "../ward.js";
import { backupsOf } from "./backups.js";
import type { Disk } from "./disk.js";
import { draftEdit } from "./draft.js";
import { changesSince, expectationsOf } from "./expected.js";
import { Journal } from "./journal.js";
import { clearLeftovers } from "./let-go.js";
import { defaultEditLimits } from "./limits.js";
import { takeLock } from "./lock.js";
import { pruneOthers, recoverAll, recoverOthers } from "./others.js";
import { outcomeOf } from "./outcome.js";
import { previewDraft, shownAs } from "./preview.js";
import { Previews } from "./previews.js";
import { realDisk } from "./real-disk.js";
import { refuseEdit, sortReasons } from "./reasons.js";
import type { Surroundings } from "./scene.js";
import { inWords, systemWords, unlessSystem } from "./system-words.js";
import { imageBytes, perform } from "./transaction.js";
import type { Applied, ApplyOptions, Asker, Change, Edits, EditsOptions, Preview, Undone } from "./types.js";
import { undoOf } from "./undo.js";
import { workOf } from "./work.js";
import type { Workshop } from "./workshop.js";

/** Opens the edits of a workspace; what a dead process left unfinished is finished or rolled back first. */
export async function openEdits(options: EditsOptions, disk: Disk = realDisk): Promise<Edits> {
  const edits = new WorkspaceEdits(options, disk, await wardOf(options));
  await edits.settle();
  return edits;
}

/** Finishes or rolls back what a dead process left, where there is something; for those who do not edit themselves. */
export async function recoverEdits(options: EditsOptions, disk: Disk = realDisk): Promise<void> {
  const edits = new WorkspaceEdits(options, disk, await wardOf(options));
  if (await edits.isUnsettled()) await edits.settle();
}

function wardOf({ gate, stateFolder, ownFiles = [] }: EditsOptions): Promise<Ward> {
  return openWard(gate.roots, [stateFolder, ...ownFiles]);
}

class WorkspaceEdits implements Edits {
  readonly #around: Surroundings;
  readonly #options: EditsOptions;
  readonly #previews: Previews;
  /** Ends when everything that was asked for before has. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: EditsOptions, disk: Disk, ward: Ward) {
    const limits = { ...defaultEditLimits, ...options.limits };
    this.#options = options;
    this.#around = { disk, gate: options.gate, ward, limits };
    this.#previews = new Previews(limits);
  }

  /** Whether a process may have died in the middle of an edit; looks only. */
  async isUnsettled(): Promise<boolean> {
    const { disk, limits } = this.#around;
    try {
      return await Journal.isUnfinished(disk, await realpath(this.#options.stateFolder), this.#key, limits);
    } catch (error) {
      // Without a state folder, or with one that is not ours to read, there is nothing that we could take back.
      if (systemWords(error) === undefined) throw error;
      return false;
    }
  }

  /** Recovers what can be recovered now, and waits for whoever edits only if there may be something. */
  async settle(): Promise<void> {
    const isUnsettled = await this.isUnsettled();
    const wait = isUnsettled ? undefined : 0;
    try {
      await this.#exclusively(async (shop) => {
        // Whoever has died since then is seen by the lock.
        const others = isUnsettled ? await recoverOthers(shop) : [];
        for (const recovery of [...others, ...(await clearLeftovers(shop))])
          this.#options.recovered?.(recovery);
        await shop.journal.prune();
        await unlessSystem(pruneOthers(shop));
      }, wait);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
  }

  async preview(changes: Change[], gate?: Gate): Promise<Preview> {
    const around = this.#seenBy(gate);
    const draft = await draftEdit(around, changes);
    const preview = await inWords(
      "guard/not-a-file",
      "The files cannot be read",
      previewDraft(around, changes, draft),
    );
    this.#previews.keep(changes, preview);
    return { ...preview, reasons: sortReasons(preview.reasons) };
  }

  apply(token: string, options: ApplyOptions = {}): Promise<Applied> {
    return this.#exclusively(async (shop) => {
      const remembered = this.#previews.find(token);
      if (remembered === undefined)
        throw new Refusal("edit/unknown-token", "There is no preview with this token any more.");
      const around = this.#seenBy(options.gate);
      const draft = await draftEdit(around, remembered.changes);
      const preview = await previewDraft(around, remembered.changes, draft);
      const reasons = [...draft.reasons, ...expectationsOf(preview, options.expected)];
      if (reasons.length === 0 && preview.token !== token) reasons.push(...changesSince(remembered, preview));
      if (reasons.length > 0) throw refuseEdit(reasons);
      const work = await workOf(shop.disk, draft);
      const { backupSuffix } = options;
      const backups =
        backupSuffix === undefined
          ? { work: [], paths: [] }
          : await backupsOf({ ...around, journal: shop.journal }, work, backupSuffix);
      const whole = [...backups.work, ...work];
      if (imageBytes(whole.map(({ step }) => step)) > around.limits.journalBytes)
        throw new Refusal("edit/too-large", "The edit is too large to be undone. Nothing was changed.");
      const { id, bared } = await perform(shop, whole, {
        undoes: null,
        backups: backups.paths,
        holder: options.holder,
      });
      this.#previews.drop(token);
      await unlessSystem(shop.journal.prune());
      const counts = new Map(preview.files.map((file) => [file.path, file.changes.length]));
      const steps = work.map(({ step }) => step);
      const shown = backups.paths.map((path) => shownAs(around.gate, path));
      const lost = bared.map((path) => shownAs(around.gate, path));
      const outcome = outcomeOf(around.gate, steps, counts);
      return { ...outcome, backups: shown, bared: lost, undoToken: `undo-${id}` };
    });
  }

  previewUndo(undoToken: string, asker: Asker = {}): Promise<Undone> {
    return this.#takeBack(undoToken, asker, false);
  }

  undo(undoToken: string, asker: Asker = {}): Promise<Undone> {
    return this.#takeBack(undoToken, asker, true);
  }

  /** What an undo does; done as well when that is asked for. */
  #takeBack(undoToken: string, { gate, holder }: Asker, isDone: boolean): Promise<Undone> {
    return this.#exclusively(async (shop) => {
      const around = this.#seenBy(gate);
      const id = undoToken.replace(/^undo-/, "");
      const known = undoToken !== id && (await shop.journal.stage(id)) === "done";
      const entry = known ? await shop.journal.read(id) : undefined;
      // A process of the user's own has no holder, and all of it is the user's.
      const isTheirs = holder === undefined || entry?.holder === holder;
      if (entry === undefined || entry.undoes !== null || !isTheirs)
        throw new Refusal("edit/unknown-undo", "There is nothing to undo under this token any more.");
      const { work, reasons } = await undoOf({ ...shop, ...around }, entry);
      if (reasons.length > 0) throw refuseEdit(reasons, "edit/undo-conflict");
      if (isDone) await perform(shop, work, { undoes: id, backups: [] });
      const steps = work.map(({ step }) => step);
      return outcomeOf(around.gate, steps, new Map());
    });
  }

  async close(): Promise<void> {
    await this.#last;
  }

  #seenBy(gate: Gate | undefined): Surroundings {
    return gate === undefined ? this.#around : { ...this.#around, gate };
  }

  /** Does something as the only editor of the workspace, in this process and among all. */
  #exclusively<T>(act: (shop: Workshop) => Promise<T>, waitMs?: number): Promise<T> {
    const turn = this.#last.then(async () => {
      const { disk, gate, limits } = this.#around;
      const journal = await inWords("edit/no-journal", "The journal cannot be opened", this.#openJournal());
      const wait = waitMs ?? limits.lockWaitMs;
      const lock = await inWords(
        "edit/no-journal",
        "The journal cannot be locked",
        takeLock(disk, journal.lockFolder, wait),
      );
      try {
        const shop = { disk, gate, journal, lock };
        for (const recovery of await inWords(
          "edit/no-journal",
          "The journal cannot be read",
          recoverAll(shop),
        ))
          this.#options.recovered?.(recovery);
        return await inWords("edit/failed", "The edit cannot begin", act(shop));
      } finally {
        await unlessSystem(lock.release());
      }
    });
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /** What names the workspace among journals. */
  get #key(): string {
    return sha256(this.#options.gate.roots[0] ?? "").slice(0, 16);
  }

  async #openJournal(): Promise<Journal> {
    const { disk, limits } = this.#around;
    const { stateFolder } = this.#options;
    await mkdir(stateFolder, { recursive: true, mode: 0o700 });
    return Journal.open(disk, await realpath(stateFolder), this.#key, limits);
  }
}
