/** Adds COUNT lines to a file, each by a separate edit: `node … FOLDER NAME COUNT`. */
import { Refusal } from "../../../src/base/problem.js";
import { benchAt } from "./bench.js";

const [top = "", name = "", count = "0"] = process.argv.slice(2);
const bench = benchAt(top);
const edits = await bench.open({ lockWaitMs: 60_000 });
let refused = 0;
for (let done = 0; done < Number(count); ) {
  try {
    const preview = await edits.preview([
      bench.change("log.txt", "end", `${name} ${done}\nend`),
      bench.change("copy.txt", "end", `${name} ${done}\nend`),
    ]);
    await edits.apply(preview);
    done++;
  } catch (error) {
    if (!(error instanceof Refusal) || !["edit/changed", "edit/refused"].includes(error.code)) throw error;
    refused++;
  }
}
console.log(refused);
