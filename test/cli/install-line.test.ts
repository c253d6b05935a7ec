/** Which install line a person is shown: one that their system can run. */
import { expect, it } from "vitest";
import { installLine } from "../../src/cli/installed.js";

const debian = { platform: "linux", has: () => true, isRoot: true };

it("is the system's own where its package manager is there, else the general one", () => {
  const preset = { install: "npm install x", install_on: { linux: "apt install x" } };
  expect(installLine(preset, debian)).toBe("apt install x");
  expect(installLine(preset, { ...debian, isRoot: false })).toBe("sudo apt install x");
  expect(installLine(preset, { ...debian, has: () => false })).toBe("npm install x");
  expect(installLine(preset, { ...debian, platform: "darwin" })).toBe("npm install x");
  expect(installLine({ install_on: { linux: "apt install x" } }, { ...debian, has: () => false })).toBe(
    "apt install x",
  );
});
