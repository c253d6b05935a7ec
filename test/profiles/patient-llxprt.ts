/** The profile `llxprt` with the time that a busy machine needs, instead of 1.2 seconds for a call. */
const names = ["goto_definition", "find_references", "hover", "document_symbols", "workspace_symbols"];

export const patientTools = names.map((name) => ({ name: `lsp_${name}`, timeout_ms: 30_000 }));

/** The same as TOML, to stand after other tables. */
export const patientToolsText = patientTools
  .map(({ name, timeout_ms }) => `[[tools]]\nname = "${name}"\ntimeout_ms = ${timeout_ms}\n`)
  .join("");
