/** Takes absolute paths out of texts that servers wrote: inside the roots they become relative, outside they go. */
import { isAbsolute, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

const PATHS = /file:\/\/[^\s"'`<>()[\]]+|(?<![\w.:/\\<-])(?:[A-Za-z]:[\\/]|\/)[^\s"'`<>()[\]:,;]+/g;

/** The text without paths outside the roots. */
export function redact(text: string, roots: readonly string[]): string {
  return text.replace(PATHS, (found) => {
    const path = toPath(found);
    if (path === undefined || !isAbsolute(path)) return found;
    for (const root of roots) {
      const inside = relative(root, path);
      if (inside === "") return ".";
      if (inside !== ".." && !inside.startsWith(`..${sep}`) && !isAbsolute(inside)) {
        return inside.split(sep).join("/");
      }
    }
    return "<path>";
  });
}

function toPath(found: string): string | undefined {
  if (!found.startsWith("file:")) return found;
  try {
    return fileURLToPath(found);
  } catch {
    return "/";
  }
}
