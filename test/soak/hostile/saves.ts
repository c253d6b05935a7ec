/**
 * Edits of many files that race with saves of the same files. Whatever the edit's answer says: afterwards each save is
 * on disk, alone or with the edit made on top of it, or in a file that an answer has named.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { JsonObject } from "../../../src/base/json.js";
import type { GoodClient } from "./good-client.js";
import { MARK } from "./proxy.js";
import { END_MS, type Run, within } from "./run.js";

const program = fileURLToPath(new URL("./files.mjs", import.meta.url));

/** The names of the ways to save that are raced. */
export const saveKinds = ["saves-by-rename", "saves-in-place"] as const;
export type SaveKind = (typeof saveKinds)[number];

/** A process that makes these changes, and saves on demand. */
export async function startWriter(run: Run, changes: string[], seed: number): Promise<ChildProcess> {
  const settings = JSON.stringify({ changes, seed });
  const child = fork(program, [join(run.work, "race"), settings], {
    env: { ...process.env, [MARK]: run.id },
  });
  await once(child, "message");
  return child;
}

/** Stops or resumes the changes of a writer. */
export async function pauseWriter(child: ChildProcess, isPaused: boolean): Promise<void> {
  const answered = once(child, "message");
  child.send({ pause: isPaused });
  if ((await within(END_MS, answered)) === undefined)
    throw new Error("a process that changes files is blocked");
}

const names = Array.from({ length: 6 }, (_, index) => `e${index}.fake`);

/** Edits six files of a folder and saves some of them meanwhile, round after round. */
export async function raceSaves(
  run: Run,
  client: GoodClient,
  kinds: SaveKind[],
  seed: number,
): Promise<void> {
  const folder = join(run.work, `saved-${client.name}`);
  mkdirSync(folder, { recursive: true });
  const writer = await startWriter(run, [], seed);
  for (let round = 0; await run.goOn(); round++) {
    for (const name of names) writeFileSync(join(folder, name), `start of ${name} in round ${round}\n`);
    await raceOnce(run, client, writer, folder, run.pick(kinds), round);
    run.count("racing edits");
  }
  writer.disconnect();
  await once(writer, "exit");
}

async function raceOnce(
  run: Run,
  client: GoodClient,
  writer: ChildProcess,
  folder: string,
  kind: SaveKind,
  round: number,
): Promise<void> {
  const path = (name: string) => `saved-${client.name}/${name}`;
  const edit = { line: 1, character: 1, end_line: 1, end_character: 1, new_text: "edited " };
  const preview = await client.call("apply_workspace_edit", {
    files: names.map((name) => ({ path: path(name), edits: [edit] })),
  });
  if (preview === undefined) return;
  const { edit_token } = preview;
  if (edit_token === undefined) return run.fail(`no preview: ${JSON.stringify(preview).slice(0, 300)}`);
  const saves = names
    .filter(() => run.random() < 0.4)
    .map((name) => ({
      ...{ path: join(folder, name), name, text: `saved ${name} ${kind} ${round}\n` },
      ...{ how: kind.replace("saves-", ""), delay: run.random() * 3_000 },
    }));
  const applied = client.call("apply_workspace_edit", { edit_token, dry_run: false });
  const saved = once(writer, "message");
  // The edit takes some ten milliseconds: the saves begin anywhere within.
  await new Promise((resolve) => setTimeout(resolve, run.random() * 40));
  writer.send({ saves });
  const [answer] = await Promise.all([applied, saved]);
  if (answer === undefined) return;
  run.count(answer.ok === true ? "applied racing edits" : "refused racing edits");
  for (const { name, text } of saves) checkSave(run, folder, name, text.trim(), answer);
}

function checkSave(run: Run, folder: string, name: string, text: string, answer: JsonObject): void {
  run.count("racing saves");
  const holding = readdirSync(folder).filter((file) =>
    readFileSync(join(folder, file), "utf8").includes(text),
  );
  const told = JSON.stringify(answer);
  if (holding.includes(name) || holding.some((file) => told.includes(file))) return;
  const now = readFileSync(join(folder, name), "utf8").trim();
  run.fail(
    `a save is lost: "${text}"; the file has "${now}", ${holding.join()}; answer ${told.slice(0, 500)}`,
  );
}
