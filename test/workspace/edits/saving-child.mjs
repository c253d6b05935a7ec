/** Saves a file when its parent says so, in the way and at the time that it says: `{ path, way, texts, waitMs }`. */
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  renameSync,
  writeFileSync,
  writeSync,
} from "node:fs";

const ways = {
  truncate: (path, text) => writeFileSync(path, text),
  rename(path, text) {
    writeFileSync(`${path}~`, text);
    renameSync(`${path}~`, path);
  },
  "in place"(path, text) {
    // A file that lost its last name while it was written is saved again, as by every careful editor.
    for (let hasName = false; !hasName; ) {
      const file = openSync(path, constants.O_RDWR | constants.O_CREAT);
      writeSync(file, text, 0);
      ftruncateSync(file, Buffer.byteLength(text));
      hasName = fstatSync(file).nlink > 0;
      closeSync(file);
    }
  },
};

process.on("message", ({ path, way, texts, waitMs }) => {
  for (const text of texts) {
    const end = performance.now() + waitMs;
    while (performance.now() < end);
    ways[way](path, text);
  }
  process.send("saved");
});
process.send("ready");
