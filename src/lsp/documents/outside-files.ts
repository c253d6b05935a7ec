/**
 * Files that belong to no project, such as tests that no `tsconfig.json` includes. A server that knows only the projects
 * of open files does not search them, so those that contain the name in question have to be opened.
 */
import { sortBy } from "../../base/order.js";
import { fileChangeTypes } from "../../protocol/lsp-constants.js";
import type { FileChange } from "../watch/workspace-changes.js";

/** More text is not kept in memory: files past it are not searched. */
const MAX_CHARACTERS = 8_000_000;

/** Whether a text contains the name in question. */
export type TextFilter = (text: string) => boolean;
/** Makes the filter when there are files to search; undefined when the call is about no name. */
export type MakeTextFilter = () => TextFilter | undefined;

/** A file; its text is read when it is needed, and again after a change. */
interface Entry {
  text?: string;
}

export class OutsideFiles {
  readonly entries: Map<string, Entry>;

  constructor(
    paths: readonly string[],
    private readonly read: (path: string) => Promise<string | undefined>,
  ) {
    this.entries = new Map(paths.map((path) => [path, {}]));
  }

  /** Takes note of a change. A new file counts as outside: opening one that is not does no harm. */
  apply({ path, type }: FileChange): void {
    if (type === fileChangeTypes.Deleted) this.entries.delete(path);
    else if (type === fileChangeTypes.Created || this.entries.has(path)) this.entries.set(path, {});
  }

  /** The files that contain the name, sorted, and how many files were not searched. */
  async matching(hasName: TextFilter): Promise<{ paths: string[]; notSearched: number }> {
    const paths: string[] = [];
    let characters = 0;
    let notSearched = 0;
    for (const [path, entry] of [...this.entries]) {
      if (characters > MAX_CHARACTERS) {
        notSearched++;
        continue;
      }
      entry.text ??= (await this.read(path)) ?? "";
      characters += entry.text.length;
      if (hasName(entry.text)) paths.push(path);
    }
    return { paths: sortBy(paths, (path) => [path]), notSearched };
  }
}
