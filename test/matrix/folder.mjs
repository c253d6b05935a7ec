/** Where the matrix keeps what it fetches. */
import { tmpdir } from "node:os";
import { join } from "node:path";

export const matrixFolder = process.env.MATRIX_FOLDER ?? join(tmpdir(), "lsp-proxy-matrix");

/** The folder of a list of packages. */
export const folderOf = (packages) => join(matrixFolder, packages.join("+").replaceAll(/[^\w.+@-]/g, "_"));
