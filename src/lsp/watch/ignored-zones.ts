/**
 * The parts of a workspace that git ignores: an ignored folder with all in it, or the ignored files of one folder. Generated
 * code lives there, and so do dependencies and build outputs of any size. A zone is followed file by file up to its share
 * and what is left for all of them; one that grows past that is closed, and only swept from then on.
 */
import { isInside } from "../../base/paths.js";

/** How much of what git ignores is followed. */
export interface ZoneLimits {
  zoneFiles: number;
  zoneFolders: number;
  allFiles: number;
  allFolders: number;
}

export interface Zone {
  readonly path: string;
  readonly what: "folder" | "files";
  files: number;
  folders: number;
  closed: boolean;
  /** Whether it was there at the start and is being read for the first time. */
  first: boolean;
}

export class IgnoredZones {
  readonly #limits: ZoneLimits;
  readonly #zones = new Map<string, Zone>();
  #files = 0;
  #folders = 0;

  constructor(limits: ZoneLimits) {
    this.#limits = limits;
  }

  /** The zone of an ignored folder, or of a folder's ignored files. */
  at(folder: string, what: Zone["what"]): Zone {
    const key = `${what} ${folder}`;
    const known = this.#zones.get(key);
    if (known) return known;
    const zone = { path: folder, what, files: 0, folders: 0, closed: false, first: false };
    this.#zones.set(key, zone);
    return zone;
  }

  /** Those that are too large to be followed. */
  get closed(): Zone[] {
    return [...this.#zones.values()].filter(({ closed }) => closed);
  }

  /** Whether the zone may hold so many files and folders more. */
  fits(zone: Zone, files: number, folders: number): boolean {
    const { zoneFiles, zoneFolders, allFiles, allFolders } = this.#limits;
    return (
      !zone.closed &&
      zone.files + files <= zoneFiles &&
      zone.folders + folders <= zoneFolders &&
      this.#files + files <= allFiles &&
      this.#folders + folders <= allFolders
    );
  }

  /** Counts files and folders that came, or (negative) went. */
  add(zone: Zone, files: number, folders: number): void {
    zone.files += files;
    zone.folders += folders;
    this.#files += files;
    this.#folders += folders;
  }

  /** Zones at or in a folder begin anew: it was replaced, or what is ignored there has changed. */
  reopen(folder: string): void {
    for (const [key, zone] of this.#zones) {
      if (!isInside(zone.path, folder)) continue;
      if (zone.closed || (zone.files === 0 && zone.folders === 0)) this.#zones.delete(key);
    }
  }
}
