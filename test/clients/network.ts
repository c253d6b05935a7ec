/** Clients have no network but this machine's own: in a namespace that `run.mjs` made, or by a proxy that leads nowhere. */

/** How the network is kept away: `loopback` in a namespace, else by the variables. */
export const network = process.env.CLIENTS_NETWORK;

/** Nothing listens there. */
const NOWHERE = "http://127.0.0.1:9";

/** What a client's environment says of the network. */
export const networkEnv: { [name: string]: string } =
  network === "loopback"
    ? {}
    : Object.fromEntries(
        ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"]
          .flatMap((name) => [name, name.toLowerCase()])
          .map((name) => [name, NOWHERE])
          .concat([
            ["NO_PROXY", "127.0.0.1,localhost,::1"],
            ["no_proxy", "127.0.0.1,localhost,::1"],
          ]),
      );
