/**
 * Opens one file of each project in a server that knows only the projects of open files. Without it, TypeScript's servers
 * find no uses in a folder with a `tsconfig.json` of its own. The files stay open: with its last open file a server
 * unloads a project.
 */
import { basename, dirname, relative, sep } from "node:path";
import type { ProjectQueryPlan, ServerPlan } from "../../abi/plan.js";
import { fromPointer, getAt, type Json } from "../../base/json.js";
import { type KeyPart, sortBy } from "../../base/order.js";
import { isInside } from "../../base/paths.js";
import { withDocument } from "../../base/placeholders.js";
import { Refusal } from "../../base/problem.js";
import { fileChangeTypes } from "../../protocol/lsp-numbers.js";
import { languageIdOf } from "../route.js";
import type { OpenDocument } from "../types.js";
import type { FileChange } from "../watch/workspace-changes.js";

/** More projects are not loaded: each takes memory and time. */
export const MAX_PROJECTS = 20;
/** How many files are tried: a script or a config may belong to no project. */
const MAX_TRIED = 6;
const MAX_TRIED_WITHOUT_MARKER = 12;
/** Folders that mostly hold a project's own code. */
export const sources: ReadonlySet<string> = new Set(["src", "source", "sources", "lib", "app", "packages"]);
/** Folders that mostly hold build output or other people's code: a file in one is the last choice. */
export const secondary: ReadonlySet<string> = new Set([
  "target",
  "dist",
  "build",
  "out",
  "vendor",
  "venv",
  "__pycache__",
]);

export interface OpenedProjects {
  /** Whether a file of a project is open, or there is no file that could be. */
  isLoaded: boolean;
  /** How many folders with a marker of a project were left out. */
  leftOut: number;
}

export interface ProjectFilesContext {
  plan: ServerPlan;
  query: ProjectQueryPlan;
  maxProjects: number;
  /** The folders that the server was started for. */
  folders(): readonly string[];
  /** Files in these folders, of any language. */
  files(): Iterable<string>;
  isOwn(path: string): boolean;
  /** Opens a file and keeps it open; undefined when it is no text. */
  open(path: string): Promise<OpenDocument | undefined>;
  release(path: string): void;
  request(method: string, params: unknown): Promise<{ value: unknown }>;
}

export class ProjectFiles {
  /** The file that is kept open, by the name of its project. */
  readonly #held = new Map<string, string>();
  /** Whether a file was found in no project, so that another file may be in one. */
  #hasUnknown = false;

  constructor(private readonly context: ProjectFilesContext) {}

  /** Whether projects must be looked for again after a change. */
  isAffectedBy({ path, type }: FileChange): boolean {
    if (this.context.query.markers?.includes(basename(path))) return true;
    if (type === fileChangeTypes.Deleted) return [...this.#held.values()].includes(path);
    return type === fileChangeTypes.Created && this.#hasUnknown;
  }

  /** Opens a file of each project. What is open for a project that is gone is released. */
  async open(): Promise<OpenedProjects> {
    const { maxProjects } = this.context;
    const before = [...this.#held.values()];
    const groups = this.#groups();
    this.#held.clear();
    this.#hasUnknown = groups.length === 0;
    for (const candidates of groups.slice(0, maxProjects)) {
      if (!(await this.#openOneOf(candidates))) this.#hasUnknown = true;
    }
    for (const path of before) this.context.release(path);
    const isLoaded = this.#held.size > 0 || groups.length === 0;
    return { isLoaded, leftOut: Math.max(0, groups.length - maxProjects) };
  }

  /** Whether one of these files belongs to a project. It is kept open, unless another file of that project is. */
  async #openOneOf(candidates: readonly string[]): Promise<boolean> {
    for (const path of candidates) {
      const document = await this.context.open(path);
      const project = document && (await this.#projectOf(document));
      if (project !== undefined && !this.#held.has(project)) this.#held.set(project, path);
      else this.context.release(path);
      if (project !== undefined) return true;
    }
    return false;
  }

  /** The name of a document's project. If the server cannot answer, the file is assumed to belong to one. */
  async #projectOf(document: OpenDocument): Promise<string | undefined> {
    const { method, params, field, none } = this.context.query;
    try {
      const { value } = await this.context.request(method, withDocument(params, document));
      const project = getAt(value as Json, fromPointer(field));
      const isProject = typeof project === "string" && project !== "";
      return isProject && !none.some((text) => project.includes(text)) ? project : undefined;
    } catch (error) {
      if (error instanceof Refusal) return document.path;
      throw error;
    }
  }

  /** Likely files by the folder of their nearest marker, outer folders first; one group if there is no marker. */
  #groups(): string[][] {
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
      const project = marked.size === 0 ? "" : nearest(path, marked, folders());
      if (project !== undefined) groups.set(project, [...(groups.get(project) ?? []), path]);
    }
    const most = marked.size === 0 ? MAX_TRIED_WITHOUT_MARKER : MAX_TRIED;
    return sortBy([...groups], ([folder]) => [folder.split(sep).length, folder]).map(([, paths]) =>
      paths.slice(0, most),
    );
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
    const root = this.context.folders().find((folder) => isInside(path, folder)) ?? "";
    const folders = relative(root, dirname(path)).split(sep);
    const isSecondary = folders.some((folder) => secondary.has(folder));
    const isSource = folders.some((folder) => sources.has(folder));
    return [isSecondary, !this.#isMain(path), !isSource, folders.length, path];
  }
}

/** The nearest folder around a path that is marked, inside of the outer folders. */
function nearest(path: string, marked: ReadonlySet<string>, outer: readonly string[]): string | undefined {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (marked.has(folder)) return folder;
    if (outer.includes(folder) || dirname(folder) === folder) return undefined;
  }
}
