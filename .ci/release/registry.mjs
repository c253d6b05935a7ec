/** `server.json` for the MCP Registry, checked against the registry's published schema and its rules for npm packages. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";

const PART = "MCP Registry";

export async function mcpRegistry({ root, out, report, write, unpacked }) {
  write("mcp-registry", out);
  await report.check(PART, "server.json is valid", () => {
    const wrong = registryProblems(
      read(join(out, "server.json")),
      read(join(root, "test", "fixtures", "release", "server.schema.json")),
      read(join(unpacked, "package.json")),
    );
    if (wrong.length > 0) throw new Error(wrong.join("; "));
  });
}

/** The errors for which the registry would refuse the manifest. */
export function registryProblems(server, schema, manifest) {
  const ajv = new Ajv({ strict: false, allErrors: true, formats: { uri: (text) => URL.canParse(text) } });
  if (!ajv.validate(schema, server))
    return ajv.errors.map(({ instancePath, message }) => `${instancePath || "/"} ${message}`);
  const wrong = [];
  if (server.$schema !== schema.$id) wrong.push(`$schema is not ${schema.$id}`);
  if (server.name !== manifest.mcpName) wrong.push("name is not the `mcpName` of the package");
  for (const { identifier, version } of server.packages ?? [])
    if (identifier !== manifest.name || version !== manifest.version)
      wrong.push(
        `it names ${identifier}@${version}, but the package is ${manifest.name}@${manifest.version}`,
      );
  return wrong;
}

function read(file) {
  return JSON.parse(readFileSync(file, "utf8"));
}
