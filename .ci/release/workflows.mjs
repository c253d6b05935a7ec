/** The workflows of GitHub Actions, checked by actionlint: an installed one, or one that Go builds at a pinned version. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { Skipped } from "./report.mjs";
import { isInstalled, mustRun } from "./tools.mjs";

const ACTIONLINT = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.9";

export async function workflows({ root, report }) {
  await report.check("GitHub Actions", "actionlint finds nothing", () => {
    const folder = join(root, ".github", "workflows");
    const files = readdirSync(folder).map((name) => join(folder, name));
    const [program, ...words] = actionlint();
    mustRun(program, [...words, "-no-color", ...files], { cwd: root });
    return `${files.length} files`;
  });
}

function actionlint() {
  if (isInstalled("actionlint", ["-version"])) return ["actionlint"];
  if (isInstalled("go", ["version"])) return ["go", "run", ACTIONLINT];
  throw new Skipped("neither actionlint nor Go is installed");
}
