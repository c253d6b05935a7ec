/** Downloads an archive, compares its SHA-256, and unpacks it. */
import { createHash } from "node:crypto";
import { chmodSync, createReadStream, createWriteStream, mkdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { createGunzip } from "node:zlib";
import type { InstallConfig } from "../../config/schema/install.js";
import { InstallFailure, type Steps } from "./step.js";

type Archive = NonNullable<InstallConfig["archive"]>[number];

/** A download that brings nothing for so long has failed. A slow one may take as long as it needs. */
const IDLE_MS = 60_000;
const MEGABYTE = 1_000_000;

/** Unpacks the archive into `files` of the folder. Returns the program's path. */
export async function installArchive(
  { url, sha256, bin }: Omit<Archive, "os" | "cpu" | "version">,
  folder: string,
  steps: Steps,
  idleMs = IDLE_MS,
): Promise<string> {
  const name = basename(new URL(url).pathname);
  const download = join(folder, "download");
  const found = await steps.working(`downloading ${name}`, (update) => save(url, download, update, idleMs));
  if (found !== sha256)
    throw new InstallFailure(
      `${url} has the SHA-256 ${found}, not ${sha256}`,
      [],
      "The download was changed or damaged. Try again; if it stays so, do not use it.",
    );
  const files = join(folder, "files");
  const program = join(files, bin);
  mkdirSync(dirname(program), { recursive: true });
  const options = { cwd: folder };
  if (/\.(?:tar\.\w+|tgz|txz|tar)$/.test(name))
    await steps.must("tar", ["-xf", download, "-C", files], options);
  else if (name.endsWith(".zip")) {
    // The `tar` of macOS and Windows reads zip files too.
    if (steps.find("unzip") === undefined) await steps.must("tar", ["-xf", download, "-C", files], options);
    else await steps.must("unzip", ["-q", download, "-d", files], options);
  } else if (name.endsWith(".gz"))
    await pipeline(createReadStream(download), createGunzip(), createWriteStream(program));
  else await pipeline(createReadStream(download), createWriteStream(program));
  try {
    chmodSync(program, 0o755);
  } catch {
    throw new InstallFailure(`${url} does not contain ${bin}`);
  }
  return program;
}

/** Saves what is at an address. Returns its SHA-256. */
async function save(
  url: string,
  file: string,
  update: (message: string) => void,
  idleMs: number,
): Promise<string> {
  const hash = createHash("sha256");
  const idle = new AbortController();
  const timer = setTimeout(() => idle.abort(), idleMs);
  let bytes = 0;
  try {
    const isFile = url.startsWith("file:");
    const source = isFile ? createReadStream(fileURLToPath(url)) : await body(url, idle.signal);
    await pipeline(
      source,
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          timer.refresh();
          hash.update(chunk);
          bytes += chunk.length;
          update(`downloading ${basename(new URL(url).pathname)}: ${(bytes / MEGABYTE).toFixed(1)} MB`);
          yield chunk;
        }
      },
      createWriteStream(file),
    );
  } catch (error) {
    if (error instanceof InstallFailure) throw error;
    if (idle.signal.aborted)
      throw new InstallFailure(
        `${url} cannot be downloaded: nothing came for ${idleMs / 1000} s`,
        [],
        "Check the network, then try again.",
      );
    throw new InstallFailure(`${url} cannot be downloaded: ${reasonOf(error)}`);
  } finally {
    clearTimeout(timer);
  }
  return hash.digest("hex");
}

async function body(url: string, signal: AbortSignal): Promise<Readable> {
  const response = await fetch(url, { signal });
  if (!response.ok || response.body === null)
    throw new InstallFailure(`${url} cannot be downloaded: the server answered ${response.status}`);
  return Readable.fromWeb(response.body as import("node:stream/web").ReadableStream);
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message} (${cause.message})` : message;
}
