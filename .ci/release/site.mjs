/** The site of the docs: it builds, which it does only when every link leads somewhere. */
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { mustRun } from "./tools.mjs";

export async function site({ root, report }) {
  await report.check("site of the docs", "`npm run docs` builds it, without broken links", () => {
    const built = join(root, "docs", ".vitepress", "dist");
    rmSync(built, { recursive: true, force: true });
    mustRun("npm", ["run", "--silent", "docs"], { cwd: root, timeout: 300_000 });
    const pages = existsSync(built) ? readdirSync(built).filter((name) => name.endsWith(".html")) : [];
    if (!pages.includes("config.html")) throw new Error(`there is no page in ${built}`);
    return `${pages.length} pages`;
  });
}
