/**
 * `token`: manages the access tokens of the HTTP gateway. Each is printed once; after that only its digest is stored.
 */
import { addToken, listTokens, removeToken, revealToken } from "../../mcp/http/token-store.js";
import { type Command, exitCodes, failure } from "../command.js";
import { withStateLock } from "../files/state-lock.js";
import { option, toggle } from "../flags.js";
import { tokenStore } from "../gateway.js";

export const token: Command = {
  name: "token",
  summary: "Prints the gateway's token once; creates, lists and removes tokens.",
  usage: "[--new | --list | --remove NAME]",
  description:
    "Prints the token that `serve --http` created, or creates the first one. After that only its digest is stored: a lost\n" +
    "token is replaced with --new and --remove. A running gateway applies the change at once.",
  flags: {
    new: toggle("Creates another token and prints it; up to 32 tokens are valid at a time."),
    list: toggle("Lists the tokens by name and date."),
    remove: option("NAME", "Revokes a token."),
  },
  examples: ["export LSP_PROXY_TOKEN=$(lsp-proxy token)", "lsp-proxy token --remove 1f0c9a3e"],
  async run(input, io) {
    const store = tokenStore(io);
    if (input.isOn("list")) {
      const tokens = listTokens(store);
      if (tokens.length === 0) io.stderr.writeLine("no tokens; `lsp-proxy token` creates the first");
      for (const { name, created, secret } of tokens)
        io.stdout.writeLine(`${name}  ${created}${secret === undefined ? "" : "  not printed yet"}`);
      return exitCodes.ok;
    }
    const name = input.text("remove");
    if (name !== undefined) {
      const isKnown = await withStateLock(io, () => removeToken(store, name));
      io.stderr.writeLine(isKnown ? `${name} is no longer valid` : `there is no token ${name}`);
      return isKnown ? exitCodes.ok : exitCodes.no;
    }
    const secret = await withStateLock(io, () => {
      const isNew = input.isOn("new") || listTokens(store).length === 0;
      return revealToken(store, isNew ? addToken(store).name : undefined);
    });
    if (secret === undefined)
      return failure(io, "every token has already been printed; --new creates another");
    io.stdout.writeLine(secret);
  },
};
