/** The user's own folders of programs besides PATH: installed servers, and what package managers install. */
import { readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { homeOf } from "../base/home.js";
import { sortedSet } from "../base/order.js";
import { serversFolder } from "../config/state-folder.js";
import type { ProgramFolders } from "../lsp/process/search.js";
import type { Io } from "./command.js";

export function programFolders(io: Pick<Io, "env">): Required<ProgramFolders> {
  const home = homeOf(io.env);
  return { serversFolder: serversFolder(io.env, home), toolFolders: toolFolders(io.env, home) };
}

/** Editors and other graphical programs are started without the PATH of a login shell, which has these folders. */
function toolFolders(env: Io["env"], home: string): string[] {
  const goPath = env.GOPATH?.split(delimiter).filter((folder) => folder !== "") ?? [join(home, "go")];
  return [
    ...(env.GOBIN ? [env.GOBIN] : []),
    ...goPath.map((folder) => join(folder, "bin")),
    join(env.CARGO_HOME || join(home, ".cargo"), "bin"),
    join(home, ".local", "bin"),
    join(home, ".dotnet", "tools"),
    ...[join(home, ".local", "share", "gem", "ruby"), join(home, ".gem", "ruby")].flatMap(gemFolders),
  ];
}

/** RubyGems has one folder for each version of Ruby; the newest comes first. */
function gemFolders(folder: string): string[] {
  try {
    return sortedSet(readdirSync(folder))
      .toReversed()
      .map((version) => join(folder, version, "bin"));
  } catch {
    return [];
  }
}
