/** Where servers come from: for each kind of registry how to get packages into a folder, and which version that was. */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

/** How long one step may take; a build from source takes longest. */
const STEP_MS = 900_000;

/** Each puts the programs into `bin` of the folder; npm's stand in `node_modules/.bin`. */
export const sources = {
  npm: {
    get(own, packages, { overrides, script, scripts }, id) {
      writeFileSync(join(own, "package.json"), JSON.stringify({ private: true, overrides }));
      const words = ["install", "--no-audit", "--no-fund", "--prefer-offline"];
      // Where there is no registry, that is known in seconds instead of minutes.
      words.push("--fetch-retries=2", "--fetch-retry-mintimeout=500", "--fetch-retry-maxtimeout=3000");
      if (scripts === false) words.push("--ignore-scripts");
      must("npm", [...words, ...packages], { cwd: own });
      if (script === undefined) return;
      rmSync(join(own, "node_modules", ".bin", id), { force: true });
      launcher(own, id, `exec node "${join(own, "node_modules", script)}" "$@"`);
    },
    version: (own, [first]) =>
      JSON.parse(readFileSync(join(own, "node_modules", nameOf(first), "package.json"), "utf8")).version,
  },
  pip: {
    get(own, packages) {
      const venv = join(own, "venv");
      must("python3", ["-m", "venv", "--without-pip", venv]);
      const words = ["install", "--quiet", "--disable-pip-version-check", "--prefer-binary", "--no-compile"];
      must("python3", ["-m", "pip", "--python", join(venv, "bin", "python"), ...words, ...packages]);
      for (const name of readdirSync(join(venv, "bin")))
        launcher(own, name, `exec "${join(venv, "bin", name)}" "$@"`);
    },
    version(own, [first]) {
      const [lib] = under(own, "venv/lib");
      const name = first
        .replace(/[=[<>].*/, "")
        .replaceAll(/[-.]/g, "_")
        .toLowerCase();
      const found = under(lib, "site-packages")
        .map((path) => basename(path).toLowerCase())
        .find((path) => path.startsWith(`${name}-`) && path.endsWith(".dist-info"));
      return found?.slice(name.length + 1, -".dist-info".length) ?? null;
    },
  },
  deb: {
    get(own, packages, { runs }) {
      const archives = join(own, "archives");
      must("mkdir", ["-p", join(archives, "partial")]);
      const words = ["install", "--download-only", "--yes", "--no-install-recommends"];
      must("apt-get", [
        ...words,
        "-o",
        `Dir::Cache::archives=${archives}`,
        "-o",
        "Debug::NoLocking=1",
        ...packages,
      ]);
      const root = join(own, "root");
      for (const name of readdirSync(archives))
        if (name.endsWith(".deb")) must("dpkg-deb", ["-x", join(archives, name), root]);
      const interpreter = runs === undefined ? [] : [`/usr/bin/${runs}`];
      for (const program of [...programsUnder(root), ...interpreter])
        launcher(own, basename(program), underRoot(root, program));
    },
    version(own, [first]) {
      const name = readdirSync(join(own, "archives")).find((file) => file.startsWith(`${first}_`));
      return name === undefined ? null : decodeURIComponent(name.split("_")[1] ?? "");
    },
  },
  cargo: {
    get(own, packages) {
      must("cargo", ["install", "--quiet", "--locked", "--root", own, ...packages], {
        env: { ...process.env, CARGO_TARGET_DIR: join(own, "target") },
      });
      rmSync(join(own, "target"), { recursive: true, force: true });
    },
    version: (own) => /"\S+ (\S+) \(/.exec(readFileSync(join(own, ".crates.toml"), "utf8"))?.[1] ?? null,
  },
  go: {
    get(own, packages) {
      must("go", ["install", ...packages], {
        env: { ...process.env, GOBIN: join(own, "bin"), GOFLAGS: "-modcacherw" },
      });
    },
    version(own) {
      const [program] = readdirSync(join(own, "bin"));
      return (
        /\tmod\t\S+\tv?(\S+)/.exec(must("go", ["version", "-m", join(own, "bin", program)]))?.[1] ?? null
      );
    },
  },
  maven: {
    get(own, [coordinates], { main }, id) {
      const [group, artifact, version] = coordinates.split(":");
      const dependency = `<groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version>`;
      writeFileSync(
        join(own, "pom.xml"),
        `<project><modelVersion>4.0.0</modelVersion><groupId>x</groupId><artifactId>x</artifactId><version>1</version>` +
          `<dependencies><dependency>${dependency}</dependency></dependencies></project>`,
      );
      must("mvn", ["-q", "-B", "dependency:copy-dependencies", `-DoutputDirectory=${join(own, "lib")}`], {
        cwd: own,
      });
      launcher(own, id, `exec java -cp "${join(own, "lib")}/*" ${main} "$@"`);
    },
    version: (_own, [coordinates]) => coordinates.split(":")[2],
  },
};

/** Runs one program to its end; throws with what it complained of. */
function must(command, words, options = {}) {
  const run = spawnSync(command, words, {
    ...{ encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], timeout: STEP_MS, maxBuffer: 1 << 28 },
    ...options,
  });
  if (run.status === 0) return run.stdout;
  const complaints = `${run.stderr ?? ""}\n${run.stdout ?? ""}`
    .split("\n")
    .filter((line) => /error|ERR!|E:|not found|no matching/i.test(line));
  throw new Error(
    (run.error?.message ?? complaints[0] ?? `${command} ended with ${run.status}`).trim().slice(0, 160),
  );
}

/** A program that starts another with what it needs. */
function launcher(own, name, text) {
  const file = join(own, "bin", name);
  writeFileSync(file, `#!/bin/sh\n${text}\n`);
  chmodSync(file, 0o755);
}

/** The package's name without its version. */
const nameOf = (spec) => spec.replace(/(?<=.)@[^/]*$/, "");

const programsUnder = (root) =>
  ["usr/bin", "usr/games", "usr/libexec", "usr/lib/qt6/bin"].flatMap((folder) => under(root, folder));

/** What stands in a folder of a root. */
function under(root, folder) {
  const path = join(root, folder);
  return existsSync(path) ? readdirSync(path).map((name) => join(path, name)) : [];
}

/** Starts a program of Debian's packages that were unpacked elsewhere: it finds its libraries and modules there. */
function underRoot(root, program) {
  const places = {
    LD_LIBRARY_PATH: ["usr/lib", "lib"].flatMap((folder) => under(root, folder)),
    PERL5LIB: [
      join(root, "usr/share/perl5"),
      ...under(root, "usr/lib").flatMap((folder) => under(folder, "perl5")),
    ],
    PYTHONPATH: [join(root, "usr/lib/python3/dist-packages")],
    GI_TYPELIB_PATH: under(root, "usr/lib").map((folder) => join(folder, "girepository-1.0")),
    XDG_DATA_DIRS: [join(root, "usr/share"), "/usr/share"],
  };
  const lines = Object.entries(places).map(
    ([name, paths]) => `export ${name}="${paths.filter((path) => existsSync(path)).join(":")}"`,
  );
  return [...lines, `exec "${program}" "$@"`].join("\n");
}
