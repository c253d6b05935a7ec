/** `token`: the tokens that clients of the gateway show. Each is printed once, and then only its digest is kept. */
import { addToken, listTokens, removeToken, revealToken } from "../../mcp/http/token-store.js";
import { type Command, exitCodes, isOn, textFlag } from "../command.js";
import { whileLocked } from "../files/state-lock.js";
import { tokenStore } from "../gateway.js";

export const token: Command = {
  name: "token",
  summary: "Prints the gateway's token once; makes, lists and removes tokens.",
  usage: "[--new | --list | --remove NAME]",
  description:
    "Prints the token that `serve --http` made, or makes the first one. After that only its digest is kept: a token that was\n" +
    "lost is replaced with --new and --remove. A gateway that runs takes the change at once.",
  flags: {
    new: { type: "boolean", description: "Makes another token and prints it; up to 32 count side by side." },
    list: { type: "boolean", description: "Lists the tokens by name and date." },
    remove: {
      type: "string",
      value: "NAME",
      description: "Removes a token: whoever has it gets in no more.",
    },
  },
  words: { min: 0, max: 0 },
  examples: [
    "export LSP_PROXY_TOKEN=$(lsp-proxy token)",
    "lsp-proxy token --new",
    "lsp-proxy token --remove 1f0c9a3e",
  ],
  async run(input, io) {
    const store = tokenStore(io);
    if (isOn(input, "list")) {
      for (const { name, created, secret } of listTokens(store))
        io.stdout.write(`${name}  ${created}${secret === undefined ? "" : "  not printed yet"}\n`);
      return exitCodes.ok;
    }
    const name = textFlag(input, "remove");
    if (name !== undefined) {
      const isKnown = await whileLocked(io, () => removeToken(store, name));
      io.stderr.write(isKnown ? `${name} counts no more\n` : `there is no token ${name}\n`);
      return isKnown ? exitCodes.ok : exitCodes.no;
    }
    const secret = await whileLocked(io, () => {
      const isMade = isOn(input, "new") || listTokens(store).length === 0;
      return revealToken(store, isMade ? addToken(store).name : undefined);
    });
    if (secret === undefined) {
      io.stderr.write("every token was printed already; --new makes another\n");
      return exitCodes.no;
    }
    io.stdout.write(`${secret}\n`);
    return exitCodes.ok;
  },
};
