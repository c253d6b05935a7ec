import { homedir, tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { folderNamedBy, homeOf, temporaryFolder } from "../../src/base/home.js";
import { platforms } from "../../src/base/platform.js";
import { configFolder, serversFolder, stateFolder } from "../../src/config/state-folder.js";

const { linux, win32 } = platforms;
const relative = ["", ".", "..", "folder", "./folder", "~", "~/folder"];

describe("the home", () => {
  it("is HOME, and what the system says where HOME is not absolute", () => {
    expect(homeOf({ HOME: "/home/me" })).toBe("/home/me");
    for (const HOME of [undefined, ...relative]) expect(homeOf({ HOME })).toBe(homedir());
  });
});

describe("a folder that a variable names", () => {
  it("is absolute, as the system has it", () => {
    expect(folderNamedBy({ X: "/x" }, "X", linux)).toBe("/x");
    expect(folderNamedBy({ X: "C:\\x" }, "X", linux)).toBeUndefined();
    expect(folderNamedBy({ X: "C:\\x" }, "X", win32)).toBe("C:\\x");
    for (const X of [undefined, ...relative])
      for (const platform of [linux, win32]) expect(folderNamedBy({ X }, "X", platform)).toBeUndefined();
  });

  it("counts for none of our own folders where it is relative", () => {
    for (const name of relative) {
      const env = { XDG_STATE_HOME: name, XDG_CONFIG_HOME: name, XDG_DATA_HOME: name, LOCALAPPDATA: name };
      expect(stateFolder(env, "/home/me")).toBe("/home/me/.local/state/lsp-proxy");
      expect(configFolder(env, "/home/me")).toBe("/home/me/.config/lsp-proxy");
      for (const platform of [linux, win32])
        expect(serversFolder(env, "/home/me", platform)).toBe("/home/me/.local/share/lsp-proxy/servers");
      expect(temporaryFolder({ TMPDIR: name })).toBe(tmpdir());
    }
  });
});
