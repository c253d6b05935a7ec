/**
 * Finds the file that a wrong name means: `main.ts` for `src/main.ts`, a name with the workspace's folder in front or
 * with a line behind it. Only names that the gate admits are suggested.
 */
import { basename, dirname, join } from "node:path";
import { namesIn } from "../../base/disk.js";
import { nearest } from "../../base/nearest.js";
import { sortBy, sortedSet } from "../../base/order.js";
import { Refusal } from "../../base/problem.js";
import { MissingFile, pathOfName, realPathOf } from "../../workspace/gate.js";
import type { CallState } from "../call-state.js";

/** More are not listed: the name says too little. */
const MOST_SUGGESTED = 3;
const MAX_FOLDERS = 32;

/** `src/main.ts:5:6`, `src/main.ts#L5`. */
const placeAfter = /^(.+?)(?::\d+(?::\d+)?|#L\d+(?:-L?\d+)?)$/;

/** The refusal of a file that a call named, with the files that it may have meant. */
export async function withMeantFile(call: CallState, name: string, error: unknown): Promise<unknown> {
  const isWrong = error instanceof Refusal && /^guard\/(?:outside-root|bad-uri)$/.test(error.code);
  if (!(error instanceof MissingFile) && !isWrong) return error;
  const [, withoutPlace] = placeAfter.exec(name) ?? [];
  const meant = await filesMeant(call, withoutPlace ?? name);
  if (meant.length === 0) return error;
  const { document, position } = call.plan.dialect;
  const fields =
    position.form === "object" ? "`position`" : `\`${position.line}\` and \`${position.character}\``;
  const place =
    withoutPlace === undefined ? "" : ` The place is given in ${fields}, not in \`${document.field}\`.`;
  const message = `${error.message} Did you mean ${meant.join(", ")}?${place}`;
  return new Refusal(error.code, message, { cause: error });
}

async function filesMeant(call: CallState, name: string): Promise<string[]> {
  for (const one of spellings(name)) {
    const there = await shownFile(call, one);
    if (there !== undefined) return [there];
  }
  // A `file:` URI was converted to a path already, and another scheme is no path.
  if (name.includes("://")) return nearbyFiles(call, name);
  const found = await filesNamed(call, name);
  return found.length > 0 ? found : nearbyFiles(call, name);
}

/** The name in other spellings, and each without its first folders. */
function spellings(name: string): string[] {
  const slashed = name.replaceAll("\\", "/");
  const plain = sortedSet([name, slashed, decoded(slashed)]);
  return plain.flatMap((one) => {
    const parts = one.split("/").filter((part) => part !== "");
    return parts.slice(0, MAX_FOLDERS).map((_, index) => (index === 0 ? one : parts.slice(index).join("/")));
  });
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** How a file is shown; undefined where there is none, or none that may be shown. */
async function shownFile({ gate }: CallState, name: string): Promise<string | undefined> {
  try {
    const admitted = await gate.admitFile(name.startsWith("/") ? name.replace(/^\/+/, "") : name);
    return admitted.writable ? admitted.shown : undefined;
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/** The files of that base name, those with the most folders in common with the name. */
async function filesNamed(call: CallState, name: string): Promise<string[]> {
  const asked = decoded(name.replaceAll("\\", "/"))
    .split("/")
    .filter((part) => part !== "")
    .reverse();
  const found = await call.samples.named(asked[0] ?? "");
  const shown = found.flatMap((path) => {
    const admitted = call.gate.check(path);
    return admitted instanceof Refusal ? [] : [admitted.shown];
  });
  const common = (path: string) => {
    const parts = path.split("/").reverse();
    const other = parts.findIndex((part, index) => part !== asked[index]);
    return other < 0 ? parts.length : other;
  };
  const most = Math.max(0, ...shown.map(common));
  const best = sortBy(
    shown.filter((path) => common(path) === most),
    (path) => [path],
  );
  return best.length > MOST_SUGGESTED ? [] : best;
}

/** The most similar name in the named folder. */
function nearbyFiles({ gate }: CallState, name: string): string[] {
  try {
    const path = pathOfName(name, gate.roots[0] ?? "");
    const folder = gate.check(realPathOf(dirname(path)));
    if (folder instanceof Refusal) return [];
    const near = nearest(basename(path), sortedSet(namesIn(folder.path)));
    const found = near === undefined ? undefined : gate.check(join(folder.path, near));
    // A denied path is not named.
    return found === undefined || found instanceof Refusal ? [] : [found.shown];
  } catch (error) {
    if (error instanceof Refusal) return [];
    throw error;
  }
}
