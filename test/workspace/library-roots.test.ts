/** Folders of dependencies: which paths lie in one, and what the gate lets a call do with them. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openGate } from "../../src/workspace/gate.js";
import { libraryRoots } from "../../src/workspace/library-roots.js";

describe("library folders", () => {
  const context = { env: { GOPATH: "/g1:/g2", EMPTY: "" }, home: "/home/me", roots: ["/home/me/code/app"] };
  it.each([
    ["/usr/include", "/usr/include/a/b.h", "/usr/include"],
    ["/usr/include", "/usr/includes/b.h", undefined],
    ["/usr/lib/go*/src", "/usr/lib/go-1.22/src/fmt/print.go", "/usr/lib/go-1.22/src"],
    ["/usr/lib/go*/src", "/usr/lib/go-1.22/other/x.go", undefined],
    ["/usr/lib/g*-*.2/src", "/usr/lib/go-1.22/src/x.go", undefined],
    ["/usr/lib/g*-*.2*/src", "/usr/lib/go-1.22/src/x.go", "/usr/lib/go-1.22/src"],
    ["/usr/*", "/usr", undefined],
    // Only `*` is special, not what the folders of users are called.
    ["/app/[id]/{a,b}/lib*", "/app/[id]/{a,b}/lib-1/x.go", "/app/[id]/{a,b}/lib-1"],
    ["/app/[id]/{a,b}/lib*", "/app/i/a/lib-1/x.go", undefined],
    ["/app/!new/x(1)/a?b*", "/app/!new/x(1)/a?b1/x.go", "/app/!new/x(1)/a?b1"],
    ["**/lib*(1)", "/opt/lib-2(1)/x.go", "/opt/lib-2(1)"],
    ["**/site-packages", "/opt/x/lib/site-packages/flask/app.py", "/opt/x/lib/site-packages"],
    ["**/site-packages", "/opt/site-packages-old/app.py", undefined],
    ["~/.cargo/registry/src", "/home/me/.cargo/registry/src/x/lib.rs", "/home/me/.cargo/registry/src"],
    ["~/.cargo/registry/src", "/home/me/.cargo/credentials.toml", undefined],
    [`${"$"}{GOPATH:-~/go}/pkg/mod`, "/g2/pkg/mod/x.go", "/g2/pkg/mod"],
    [`${"$"}{EMPTY:-~/go}/pkg/mod`, "/home/me/go/pkg/mod/x.go", "/home/me/go/pkg/mod"],
    [`${"$"}{NOWHERE}/src`, "/src/x.go", undefined],
    ["<parents>/node_modules", "/home/me/node_modules/x/index.d.ts", "/home/me/node_modules"],
    ["<parents>/node_modules", "/home/other/node_modules/x.d.ts", undefined],
    // A folder with the user's own files is no library, whatever a variable says.
    ["/home/me", "/home/me/letter.txt", undefined],
    ["/", "/etc/passwd", undefined],
    ["relative/folder", "/relative/folder/x", undefined],
  ])("%s has %s: %s", (pattern, path, folder) => {
    expect(libraryRoots([pattern], context)(path)).toBe(folder);
  });
});

describe("the gate", () => {
  let top = "";
  beforeEach(() => {
    top = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-library-")));
    for (const name of ["work/a.py", "lib/site-packages/x/b.py", "lib/site-packages/x/.env", "secret/c.py"]) {
      mkdirSync(dirname(join(top, name)), { recursive: true });
      writeFileSync(join(top, name), "");
    }
    symlinkSync(join(top, "secret"), join(top, "lib/site-packages/out"));
  });
  afterEach(() => rmSync(top, { recursive: true, force: true }));

  it("shows files of libraries by absolute paths, read-only, and nothing else outside", async () => {
    const roots = [join(top, "work")];
    const context = { env: {}, home: "/nobody", roots };
    const gate = await openGate({
      roots,
      extraRoots: [],
      deny: ["**/.env"],
      libraryOf: libraryRoots(["**/site-packages"], context),
    });
    const library = join(top, "lib/site-packages/x/b.py");
    expect(await gate.admitFile(library)).toMatchObject({ shown: library, writable: false, isLibrary: true });
    expect(await gate.admitFile("a.py")).not.toHaveProperty("isLibrary");
    await expect(gate.admitFile(join(top, "lib/site-packages/x/.env"))).rejects.toThrow("workspace.deny");
    // A link out of the library leads outside.
    for (const path of ["secret/c.py", "lib/site-packages/out/c.py", "lib/site-packages/../../secret/c.py"])
      await expect(gate.admitFile(join(top, path))).rejects.toMatchObject({ code: "guard/outside-root" });
  });
});
