/** How a server is installed on this system, as the catalogue says it. */
import type { PresetFacts } from "../config/preset-index.js";

const systems: { readonly [platform: string]: "linux" | "macos" | "windows" } = {
  linux: "linux",
  darwin: "macos",
  win32: "windows",
};

/** The line for a platform: its own where there is one, else the line for all. */
export function installLine(
  { install, install_on: lines }: Pick<PresetFacts, "install" | "install_on">,
  platform: string = process.platform,
): string {
  const system = systems[platform];
  return (system && lines?.[system]) ?? install ?? "";
}

/** The words of a line that can be run, or undefined where it only names a page. */
export function installWords(line: string): string[] | undefined {
  if (line === "" || line.startsWith("see ")) return undefined;
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    (match) => match[1] ?? match[2] ?? match[3] ?? "",
  );
}
