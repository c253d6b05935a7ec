/** Where it is said that a large message comes in: whoever looks after the memory of the whole program may make room for it. */
import { channel } from "node:diagnostics_channel";

/** Is told the size of a message, in bytes, when its beginning has come. */
export const largeMessages = channel("lsp-proxy:large-message");
