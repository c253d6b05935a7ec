/**
 * The profile `gateway` with the time that a busy machine needs. Its own two seconds are sealed, so this is a config that
 * takes the profile's file as its own; `gateway.test.ts` holds that it has the same surface.
 */
export const patientGateway = {
  extends: ["profiles/gateway"],
  mcp: {
    tools: {
      allow: [
        "definition",
        "diagnostics.document",
        "diagnostics.workspace",
        "documentSymbols",
        "hover",
        "references",
        "workspaceSymbols",
      ].map((name) => `vscode.lsp.${name}`),
    },
  },
  limits: { timeout_ms: 60_000 },
};

/** The same as TOML, to stand before other tables. */
export const patientGatewayText = `extends = ["profiles/gateway"]
[mcp.tools]
allow = ${JSON.stringify(patientGateway.mcp.tools.allow)}
[limits]
timeout_ms = 60000
`;
