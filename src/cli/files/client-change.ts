/** A client's files changed: all of them or none. What is written is remembered; what another client still needs stays. */
import { relative } from "node:path";
import type { HttpPlan } from "../../abi/plan.js";
import { codes } from "../../base/codes.js";
import { ConfigError, Refusal } from "../../base/problem.js";
import type { ClientFacts } from "../../config/catalogue/clients.js";
import {
  entryIn,
  lacksList,
  type Stanza,
  withoutPlace,
  withoutStanza,
  withStanza,
} from "../../config/edit/stanza.js";
import { listWritten, noteWritten, openWritten, type Written } from "../../config/edit/written.js";
import { hasCode } from "../../config/files.js";
import { homeOf, type Input, isOn, type Surroundings } from "../command.js";
import { workspaceOf } from "../compile.js";
import { type Change, changeFile, changeWords, currentText } from "./change-file.js";
import { isOurEntry, knownClients, reachOf, sharersOf } from "./client-files.js";
import { whileLocked } from "./state-lock.js";
import { tellingWhy, userFileTarget } from "./user-file.js";

/** One of a client's files, and what belongs there. */
export interface Part {
  path: string;
  stanza: Stanza;
  /** The folder that the file must lie in, if any. */
  within: string | undefined;
}

/** Whose files are changed, and for which project. */
export interface Occasion {
  client: ClientFacts;
  /** The client's name for the server. */
  name: string;
  http: HttpPlan;
  /** What entries for this very project lead to. */
  project: readonly string[];
}

/** What earlier runs wrote into a file under a name, for whichever client. */
export function writtenBefore(path: string, name: string, io: Surroundings): Written[] {
  const file = realFile(path);
  return listWritten(openWritten(io.env, homeOf(io))).filter(
    (written) => written.file === file && written.name === name,
  );
}

/** Changes all files or, where one of them would be refused, none. */
export async function changeParts(
  parts: readonly Part[],
  occasion: Occasion,
  input: Input,
  io: Surroundings,
): Promise<void> {
  const isRemoval = isOn(input, "remove");
  const make = (part: Part, text: string) => {
    checkOwner(part, occasion.http, text, input);
    return (isRemoval ? withoutStanza : withStanza)(part.path, text, part.stanza);
  };
  const pending = parts.filter((part) => !isRemoval || !isStillNeeded(part, occasion, input, io));
  const remarks = pending.flatMap((part) => {
    const text = currentText(part.path, part.within);
    make(part, text);
    return isRemoval ? [] : remarksOn(part, text, occasion);
  });
  for (const remark of remarks) io.stderr.write(`${remark}\n`);
  for (const part of pending) {
    if (!isRemoval && lacksList(part.path, currentText(part.path, part.within), part.stanza)) continue;
    const done = changeFile(part.path, (text) => make(part, text), {
      within: part.within,
      isNothing: (text) => isRemoval && isEmpty(text),
      keepsCopy: (text) => !isAllOurs(part, text),
      isUndone: (kept, after) => isRemoval && isUndone(part, kept, after),
    });
    io.stdout.write(`${changeWords[done]} ${shown(part.path, io)}\n`);
    if (isRemoval) tellSharers(part, done, occasion, input, io);
  }
  await remember(parts, occasion, isRemoval, io);
}

/** Whether another client's entry is the same one; says so where it is. */
function isStillNeeded(part: Part, { client, name }: Occasion, input: Input, io: Surroundings): boolean {
  if (part.stanza.entry === undefined || isOn(input, "force")) return false;
  const others = writtenBefore(part.path, name, io).filter((written) => written.client !== client.id);
  if (
    others.length === 0 ||
    entryIn(part.path, currentText(part.path, part.within), part.stanza) === undefined
  )
    return false;
  const ids = others.map((other) => other.client);
  const titles = knownClients()
    .filter(({ id }) => ids.includes(id))
    .map(({ title }) => title);
  io.stdout.write(
    `left ${shown(part.path, io)}: ${titles.join(", ")} has the same entry; --force takes it out all the same\n`,
  );
  return true;
}

function tellSharers(part: Part, done: Change, { client }: Occasion, input: Input, io: Surroundings): void {
  if (part.stanza.entry === undefined || done === "unchanged") return;
  const titles = sharersOf(part.path, client.id, workspaceOf(input, io), io).map(({ title }) => title);
  if (titles.length > 0)
    io.stderr.write(
      `${titles.join(", ")} would read ${shown(part.path, io)} too, and has no entry there now\n`,
    );
}

/** What a person would not expect of the change: another project's entry replaced, or a list that could not be joined. */
function remarksOn({ path, stanza }: Part, text: string, { project }: Occasion): string[] {
  const [old, now] = [text, stanza.text].map((of) => reachOf(entryIn(path, of, stanza)));
  const isOther = old !== undefined && now !== undefined && !project.includes(old);
  const name = stanza.entry?.at(-1);
  return [
    ...(isOther ? [`\`${name}\` in ${path} was for ${old} and is for ${now} now; --name keeps both`] : []),
    ...(lacksList(path, text, stanza)
      ? [
          `${path} has no list \`${stanza.joins?.join(".")}\`, and none is made: it would replace another; without --write what belongs there is printed`,
        ]
      : []),
    ...withoutPlace(path, text, stanza).map(
      (key) =>
        `\`${key}\` in ${path} is a value of its own and stays: which tools run unasked and which ask is decided by it`,
    ),
  ];
}

/** Notes what stands in the files now, for the runs to come. */
async function remember(
  parts: readonly Part[],
  { client, name }: Occasion,
  isRemoval: boolean,
  io: Surroundings,
): Promise<void> {
  const store = openWritten(io.env, homeOf(io));
  const news = parts.flatMap(({ path, stanza, within }) => {
    const known = writtenBefore(path, name, io).find((written) => written.client === client.id);
    const isThere = !isRemoval && !lacksList(path, currentText(path, within), stanza);
    const text = isThere ? stanza.text : undefined;
    return known?.text === text ? [] : [{ file: realFile(path), name, client: client.id, text }];
  });
  if (news.length === 0) return;
  try {
    await whileLocked(io, () => {
      for (const written of news) noteWritten(store, written);
    });
  } catch (error) {
    // The client's files are as they should be; only a later change will know less of them.
    if (!(error instanceof Refusal) && !hasCode(error)) throw error;
    io.stderr.write(`what was written could not be noted in ${store.file}\n`);
  }
}

function realFile(path: string): string {
  return tellingWhy(path, () => userFileTarget(path));
}

function isEmpty(text: string): boolean {
  return /^\s*(\{\s*\}\s*)?$/.test(text);
}

/** A file that has nothing but what we wrote was not there before. */
function isAllOurs({ path, stanza }: Part, text: string): boolean {
  const rest = withoutStanza(path, text, stanza);
  return rest !== text && isEmpty(rest);
}

/** Whether a file is again what it was, but for what writing and removing cannot know: empty tables, and how it ended. */
function isUndone({ path, stanza }: Part, kept: string, after: string): boolean {
  try {
    if (withoutStanza(path, kept, stanza) !== kept) return false;
    return withoutStanza(path, withStanza(path, kept, stanza), stanza) === after;
  } catch (error) {
    // A copy that cannot be read, or has no place for the entry, is none of what was written into.
    if (error instanceof ConfigError) return false;
    throw error;
  }
}

/** An entry of that name that somebody made for something else is not touched unasked. */
function checkOwner({ path, stanza }: Part, http: HttpPlan, text: string, input: Input): void {
  const entry = entryIn(path, text, stanza);
  if (entry === undefined || isOn(input, "force") || isOurEntry(entry, http)) return;
  const code = "client/taken";
  const message = `\`${stanza.entry?.at(-1)}\` in ${path} is something else`;
  throw new ConfigError([{ code, severity: "error", message, pointer: "", fix: codes[code].fix }]);
}

/** A path as a person at this folder would say it. */
export function shown(path: string, io: Surroundings): string {
  const way = relative(io.cwd, path);
  return way.startsWith("..") ? path : way;
}
