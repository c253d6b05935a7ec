/**
 * A process that changes files while others read and edit them: `fork(files.mjs, [FOLDER, SETTINGS])`. The named changes
 * run until it is told to stop. `{ saves }` makes it save files now, as editors do, and answers when they are written.
 * `files.mjs --list` prints the names of the changes.
 */
import { execFileSync } from "node:child_process";
import {
  closeSync,
  constants,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { generator } from "../generator.mjs";

let random;
let folder;
const pick = (list) => list[Math.floor(random() * list.length)];
const name = () => `n${Math.floor(random() * 6)}`;
const anywhere = () => join(folder, ...Array.from({ length: 1 + Math.floor(random() * 3) }, name));
const file = () => `${anywhere()}.fake`;

/** Writes a file. Without O_NONBLOCK a pipe in its place would block this process for ever. */
function put(path, text) {
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NONBLOCK } = constants;
  const opened = openSync(path, O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK);
  try {
    writeFileSync(opened, text);
  } finally {
    closeSync(opened);
  }
}

function ignore(text) {
  const target = pick([
    join(folder, "..", ".gitignore"),
    join(folder, ".gitignore"),
    join(anywhere(), ".gitignore"),
  ]);
  put(target, text);
}

const patterns = [
  "race/n1",
  "*.tmp",
  "!n2",
  "**/n3/**",
  "/n4",
  "n5/",
  "race/**/n0.fake",
  "#",
  "\\",
  "[a-",
  "***",
];

const changes = {
  files: () =>
    pick([
      () => put(file(), `BUG ${random()}\n`),
      () => renameSync(file(), file()),
      () => unlinkSync(file()),
      () => put(file(), Buffer.from([0xff, 0xfe, 0, 0xd8, 0x41])),
    ])(),
  folders: () =>
    pick([
      () => mkdirSync(anywhere(), { recursive: true }),
      () => renameSync(anywhere(), anywhere()),
      () => rmSync(anywhere(), { recursive: true }),
      () => {
        const path = anywhere();
        rmSync(path, { recursive: true, force: true });
        put(path, "a file where a folder was\n");
      },
    ])(),
  links: () => {
    const path = anywhere();
    rmSync(path, { recursive: true, force: true });
    // Absolute targets only: a relative one that is renamed could lead these changes out of the test's own folders.
    symlinkSync(pick([join(folder, "..", "..", "elsewhere"), folder, path, join(folder, "nowhere")]), path);
  },
  pipes: () => {
    if (random() > 0.1) return;
    const path = file();
    rmSync(path, { recursive: true, force: true });
    execFileSync("mkfifo", [path], { stdio: "ignore" });
  },
  gitignore: () => {
    const lines = Array.from({ length: Math.floor(random() * 8) }, () => pick(patterns));
    if (random() < 0.2) rmSync(join(folder, "..", ".gitignore"), { force: true });
    else ignore(`${lines.join("\n")}\n`);
  },
  "gitignore-backtracking": () => {
    const deep = join(folder, ...Array.from({ length: 40 }, () => "a"));
    mkdirSync(deep, { recursive: true });
    put(join(deep, "x.fake"), `${random()}\n`);
    ignore(pick([`${"a/**/".repeat(14)}b\n`, `${"*a".repeat(30)}b\n`, `race/${"**/a/".repeat(20)}b\n`]));
  },
  "gitignore-huge": () => {
    if (random() > 0.05) return;
    if (random() < 0.5) return ignore("some/pattern/*.x\n".repeat(180_000));
    const target = join(folder, ".gitignore");
    const opened = openSync(target, "w");
    ftruncateSync(opened, 400 * 1_048_576);
    closeSync(opened);
  },
};

/** Saves a file as an editor does: over the old one, or beside it and renamed. */
function save({ path, text, how }) {
  if (how === "in-place") return writeFileSync(path, text);
  writeFileSync(`${path}.saving`, text);
  renameSync(`${path}.saving`, path);
}

function spin(microseconds) {
  const end = performance.now() + microseconds / 1000;
  while (performance.now() < end);
}

async function run(settings) {
  random = generator(settings.seed);
  mkdirSync(folder, { recursive: true });
  let stopped = false;
  process.on("disconnect", () => process.exit(0));
  process.on("message", ({ saves, pause }) => {
    if (pause !== undefined) {
      stopped = pause;
      return process.send({ paused: pause });
    }
    for (const one of saves) {
      spin(one.delay);
      save(one);
    }
    process.send({ saved: saves.length });
  });
  process.send({ ready: true });
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, random() * 30));
    if (stopped || settings.changes.length === 0) continue;
    try {
      changes[pick(settings.changes)]();
    } catch (error) {
      // Changes race with each other: a file may be gone, or a folder where a file was.
      if (error.code === undefined && error.status === undefined) throw error;
    }
    if (!existsSync(folder)) mkdirSync(folder, { recursive: true });
  }
}

if (process.argv[2] === "--list") console.log(JSON.stringify(Object.keys(changes)));
else {
  folder = process.argv[2];
  await run(JSON.parse(process.argv[3]));
}
