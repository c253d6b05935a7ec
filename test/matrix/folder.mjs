/** Where the matrix keeps what it fetches. */
import { tmpdir } from "node:os";
import { join } from "node:path";

export const matrixFolder = process.env.MATRIX_FOLDER ?? join(tmpdir(), "lsp-proxy-matrix");

/** What a Vue 3 project needs for the shipped stack. */
export const vuePackages = [
  "@vue/language-server",
  "@vtsls/language-server",
  "@vue/typescript-plugin",
  "vue",
  "typescript@5",
];

/** The folder of a list of packages. */
export const folderOf = (packages) => join(matrixFolder, packages.join("+").replaceAll(/[^\w.+@-]/g, "_"));

export const vueModules = join(folderOf(vuePackages), "node_modules");
