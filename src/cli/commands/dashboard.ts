/** `dashboard`: opens the page of the hub or the gateway that serves the workspace. */
import { type Command, exitCodes, failure } from "../command.js";
import { findDashboard } from "../dashboard/find-dashboard.js";
import { bundleFlags, configFlags, toggle } from "../flags.js";
import { untrustedWorkspaceFolders } from "../presets.js";

export const dashboard: Command = {
  name: "dashboard",
  summary: "Opens a page with the servers, sessions and calls of this workspace.",
  usage: "[--no-open]",
  description:
    "Opens the dashboard of the hub (`serve --shared`) or the gateway (`serve --http`) that runs for the workspace.\n" +
    "If there is none, a hub is started. The link works once, within two minutes; then the browser has a cookie.",
  flags: {
    ...configFlags,
    ...bundleFlags,
    "no-open": toggle("Prints the address instead of opening a browser."),
  },
  examples: ["lsp-proxy dashboard", "lsp-proxy dashboard --no-open"],
  async run(input, io) {
    const found = await findDashboard(input, io);
    if ("problem" in found) return failure(io, found.problem);
    if (!input.isOn("no-open")) {
      const { openBrowser } = await import("../dashboard/open-browser.js");
      if (await openBrowser(found.url, io, untrustedWorkspaceFolders(input, io))) {
        io.stderr.writeLine("opened in the browser; if nothing appears: `lsp-proxy dashboard --no-open`");
        return exitCodes.ok;
      }
      io.stderr.writeLine("no browser could be started; open this address within two minutes:");
    }
    io.stdout.writeLine(found.url);
    return exitCodes.ok;
  },
};
