/**
 * Opens one file of each project in a server that knows only the projects of open files. Without it, TypeScript's
 * servers find no uses in a folder with a `tsconfig.json` of its own. The files stay open: with its last open file a
 * server unloads a project. Also finds the files that belong to no project.
 */
import { basename, dirname, relative, sep } from "node:path";
import type { ProjectQueryPlan, ServerPlan } from "../../abi/plan.js";
import { fromPointer, getAt, type Json } from "../../base/json.js";
import { type KeyPart, sortBy, sortedSet } from "../../base/order.js";
import { fileUri, isInside } from "../../base/paths.js";
import { withDocument } from "../../base/placeholders.js";
import { Refusal } from "../../base/problem.js";
import { forEachInParallel } from "../../base/timing.js";
import { fileChangeTypes } from "../../protocol/lsp-constants.js";
import { languageIdOf } from "../route.js";
import type { OpenDocument } from "../types.js";
import type { FileChange } from "../watch/workspace-changes.js";
import { OutsideFiles, type TextFilter } from "./outside-files.js";

/** More projects are not loaded: each takes memory and time. */
const MAX_PROJECTS = 20;
/** How many files are tried: a script or a config may belong to no project. */
const MAX_TRIED = 6;
const MAX_TRIED_WITHOUT_MARKER = 12;
/** How many questions about files the server gets at a time. */
const QUERIES_AT_ONCE = 16;
const MAX_QUERIES = 2_000;
/** Folders that mostly hold a project's own code. */
const SOURCE_FOLDERS: ReadonlySet<string> = new Set(["src", "source", "sources", "lib", "app", "packages"]);
/** Folders that mostly hold build output or other people's code: a file in one is the last choice. */
const OUTPUT_FOLDERS: ReadonlySet<string> = new Set([
  "target",
  "dist",
  "build",
  "out",
  "vendor",
  "venv",
  "__pycache__",
]);

export function isInOutput(folders: readonly string[]): boolean {
  return folders.some((folder) => OUTPUT_FOLDERS.has(folder));
}

/**
 * Sorts files by their folders: those in the main language and in source folders first, those in output folders last.
 */
export function likelyKey(folders: readonly string[], isMain: boolean): KeyPart[] {
  const isSource = folders.some((folder) => SOURCE_FOLDERS.has(folder));
  return [isInOutput(folders), !isMain, !isSource, folders.length];
}

export interface OpenedProjects {
  /** Whether a file of a project is open, or there is no file that could be. */
  hasProject: boolean;
  /** The files that belong to no project, or to one that was not opened. */
  outside: OutsideFiles;
}

/** How much of the workspace a server knows. */
export interface SearchableFiles extends Pick<OpenedProjects, "hasProject"> {
  /** How many files that belong to no project were not opened, and so are not searched. */
  notSearched: number;
}

interface ProjectFilesContext {
  plan: ServerPlan;
  query: ProjectQueryPlan;
  /** How many files may be opened at a time. */
  maxOpened: number;
  /** The folders that the server was started for. */
  folders(): readonly string[];
  /** Files in these folders, of any language. */
  files(): Iterable<string>;
  isOwn(path: string): boolean;
  /** Opens a file; undefined when it is no text. */
  open(path: string): Promise<OpenDocument | undefined>;
  opened(path: string): OpenDocument | undefined;
  /** Keeps a file open. */
  hold(path: string): Promise<void>;
  release(path: string): void;
  textOf(path: string): Promise<string | undefined>;
  request(method: string, params: unknown): Promise<{ value: unknown }>;
}

export class ProjectFiles {
  /** The file that is kept open, by the name of its project. */
  readonly #held = new Map<string, string>();
  #outside: OutsideFiles | undefined;
  /** Whether a new file may be the first of a project. */
  #awaitsFirstFile = true;

  constructor(private readonly context: ProjectFilesContext) {}

  /** Applies a change; returns whether the projects must be searched again. */
  apply(change: FileChange): boolean {
    const { path, type } = change;
    if (this.context.query.markers?.includes(basename(path))) return true;
    if (!this.context.isOwn(path)) return false;
    if (type === fileChangeTypes.Deleted && [...this.#held.values()].includes(path)) return true;
    if (type === fileChangeTypes.Created && this.#awaitsFirstFile) return true;
    this.#outside?.apply(change);
    return false;
  }

  /** Opens a file of each project. Files of a project that is gone are released. */
  async open(): Promise<OpenedProjects> {
    const { maxOpened, release, textOf } = this.context;
    const before = [...this.#held.values()];
    const { groups, hasMarkers } = this.#groups();
    this.#held.clear();
    for (const candidates of groups.slice(0, Math.min(MAX_PROJECTS, maxOpened)))
      await this.#openOneOf(candidates);
    for (const path of before) release(path);
    this.#awaitsFirstFile = this.#held.size === 0 && (hasMarkers || this.context.query.markers === undefined);
    this.#outside = new OutsideFiles(await this.#outsidePaths(), textOf);
    return { hasProject: this.#held.size > 0 || groups.length === 0, outside: this.#outside };
  }

  /** Opens the files outside of all projects that contain a name. Returns how many files are not searched. */
  async openMatching(outside: OutsideFiles, hasName: TextFilter): Promise<number> {
    const { maxOpened, open, opened } = this.context;
    const { paths, notSearched } = await outside.matching(hasName);
    const closed = paths.filter((path) => opened(path) === undefined);
    for (const path of closed.slice(0, maxOpened)) await open(path);
    let left = 0;
    // Opening a file loads its project, which may include others of them.
    for (const path of closed.slice(maxOpened)) if (!(await this.#isInProject(path))) left++;
    return notSearched + left;
  }

  /** Whether the server knows the project of a file, which need not be open. */
  async #isInProject(path: string): Promise<boolean> {
    try {
      return (await this.#projectOf({ path, uri: fileUri(path) })) !== undefined;
    } catch (error) {
      // TypeScript 5 refuses the question for a file that it does not know.
      if (error instanceof Refusal) return false;
      throw error;
    }
  }

  /** Opens files until one belongs to a project. It is kept open, unless another file of that project is. */
  async #openOneOf(candidates: readonly string[]): Promise<void> {
    for (const path of candidates) {
      const document = await this.context.open(path);
      const project = document && (await this.#projectOf(document).catch(assumed(path)));
      if (project === undefined) continue;
      if (!this.#held.has(project)) {
        await this.context.hold(path);
        this.#held.set(project, path);
      }
      return;
    }
  }

  /** The name of a file's project. */
  async #projectOf(file: Pick<OpenDocument, "path" | "uri">): Promise<string | undefined> {
    const { method, params, field, none } = this.context.query;
    const { value } = await this.context.request(method, withDocument(params, file));
    const project = getAt(value as Json, fromPointer(field));
    const isProject = typeof project === "string" && project !== "";
    return isProject && !none.some((text) => project.includes(text)) ? project : undefined;
  }

  /**
   * Files that no open project includes. One file of each folder and kind of name (`.spec.ts`) stands for the others.
   */
  async #outsidePaths(): Promise<string[]> {
    const { files, isOwn } = this.context;
    const alike = new Map<string, string[]>();
    for (const path of files()) {
      if (!isOwn(path) || this.#isOutput(path)) continue;
      const key = dirname(path) + sep + basename(path).replace(/^[^.]*/, "");
      alike.set(key, [...(alike.get(key) ?? []), path]);
    }
    const outside: string[] = [];
    await forEachInParallel([...alike.values()], QUERIES_AT_ONCE, async (paths, index) => {
      const isAsked = this.#held.size > 0 && index < MAX_QUERIES;
      if (!isAsked || !(await this.#isInProject(paths[0] ?? ""))) outside.push(...paths);
    });
    return sortedSet(outside);
  }

  /** Likely files by the folder of their nearest marker, outer folders first; one group if there is no marker. */
  #groups(): { groups: string[][]; hasMarkers: boolean } {
    const { query, folders, files, isOwn } = this.context;
    const marked = new Set<string>();
    const ofFolder = new Map<string, string>();
    for (const path of files()) {
      const folder = dirname(path);
      if (query.markers?.includes(basename(path))) marked.add(folder);
      if (isOwn(path) && this.#isBetter(path, ofFolder.get(folder))) ofFolder.set(folder, path);
    }
    const groups = new Map<string, string[]>();
    for (const path of sortBy([...ofFolder.values()], (file) => this.#keyOf(file))) {
      const project = marked.size === 0 ? "" : nearestMarked(path, marked, folders());
      if (project !== undefined) groups.set(project, [...(groups.get(project) ?? []), path]);
    }
    const most = marked.size === 0 ? MAX_TRIED_WITHOUT_MARKER : MAX_TRIED;
    const sorted = sortBy([...groups], ([folder]) => [folder.split(sep).length, folder]);
    return { groups: sorted.map(([, paths]) => paths.slice(0, most)), hasMarkers: marked.size > 0 };
  }

  #isMain(path: string): boolean {
    const { plan } = this.context;
    return languageIdOf(plan, path, "") === plan.languageId;
  }

  /** One file of each folder is enough: one in the server's main language, the first by name. */
  #isBetter(path: string, known: string | undefined): boolean {
    if (known === undefined) return true;
    const isMain = this.#isMain(path);
    return isMain === this.#isMain(known) ? path < known : isMain;
  }

  #keyOf(path: string): KeyPart[] {
    return [...likelyKey(this.#foldersOf(path), this.#isMain(path)), path];
  }

  #isOutput(path: string): boolean {
    return isInOutput(this.#foldersOf(path));
  }

  /** The names of the folders between the server's folder and a file. */
  #foldersOf(path: string): string[] {
    const root = this.context.folders().find((folder) => isInside(path, folder)) ?? "";
    return relative(root, dirname(path)).split(sep);
  }
}

/** If the server cannot answer about an open file, the file is assumed to be a project of its own. */
function assumed(path: string): (error: unknown) => string {
  return (error) => {
    if (error instanceof Refusal) return path;
    throw error;
  };
}

/** The nearest folder around a path that is marked, inside of the outer folders. */
function nearestMarked(
  path: string,
  marked: ReadonlySet<string>,
  outer: readonly string[],
): string | undefined {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (marked.has(folder)) return folder;
    if (outer.includes(folder) || dirname(folder) === folder) return undefined;
  }
}
