/** Runs one operation on a workspace and is killed at the nth disk write: `node … FOLDER OPERATION N`. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { benchAt } from "./bench.js";
import { killingDisk } from "./killing-disk.js";
import { everything } from "./scenario.js";

const [top = "", act = "", moment = "0"] = process.argv.slice(2);
const bench = benchAt(top);
const edits = await bench.open({}, killingDisk(Number(moment)));
if (act === "apply") {
  const preview = await edits.preview(everything(bench));
  await edits.apply(preview, { backupSuffix: ".bak" });
}
if (act === "undo") {
  const [workspace = ""] = readdirSync(join(top, "state/edits"));
  const entry = readdirSync(join(top, "state/edits", workspace)).find(
    (name) => name.includes("-") && name.length > 20,
  );
  await edits.undo(`undo-${entry}`);
}
