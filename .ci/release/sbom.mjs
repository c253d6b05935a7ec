/** The software bill of materials: npm's, in CycloneDX, of the packages whose code is in the package. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { bundledPackages } from "./package.mjs";
import { fetchTool, mustRun } from "./tools.mjs";

const PART = "SBOM";

export async function sbom({ root, out, report, facts, unpacked }) {
  const file = join(out, `${facts.name}-${facts.version}.cdx.json`);
  const bundled = bundledPackages(readFileSync(join(unpacked, "dist", "THIRD_PARTY_NOTICES.txt"), "utf8"));
  const isMade = await report.check(PART, "has every bundled package, with licence and digest", () => {
    const words = ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only"];
    const bill = ofBundled(JSON.parse(mustRun("npm", words, { cwd: root })), bundled, facts);
    writeFileSync(file, `${JSON.stringify(bill, null, 2)}\n`);
    return `${bill.components.length} packages`;
  });
  if (!isMade) return;
  await report.check(PART, "is valid CycloneDX", () => {
    const { require } = fetchTool("cyclonedx");
    const schemas = join(require.resolve("@cyclonedx/cyclonedx-library/package.json"), "..", "res", "schema");
    const read = (name) => JSON.parse(readFileSync(join(schemas, name), "utf8"));
    const bill = JSON.parse(readFileSync(file, "utf8"));
    const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
    for (const name of ["spdx.SNAPSHOT.schema.json", "jsf-0.82.SNAPSHOT.schema.json"])
      ajv.addSchema(read(name), new URL(name, "http://cyclonedx.org/schema/").href);
    if (!ajv.validate(read(`bom-${bill.specVersion}.SNAPSHOT.schema.json`), bill))
      throw new Error(ajv.errorsText(ajv.errors));
    return `version ${bill.specVersion}`;
  });
}

/** npm's list without what only the build and the tests use. Everything is a development dependency: the package has no other. */
export function ofBundled(bill, bundled, { name, version }) {
  const refs = new Set(bundled.map((entry) => `${entry.name}@${entry.version}`));
  const components = bill.components
    .filter((component) => refs.has(component["bom-ref"]))
    .map(({ properties: _, ...component }) => ({ ...component, scope: "required" }));
  const found = new Set(components.map((component) => component["bom-ref"]));
  const missing = [...refs].filter((ref) => !found.has(ref));
  if (missing.length > 0) throw new Error(`not in npm's list: ${missing.join(", ")}`);
  const bare = components.filter(({ licenses, hashes }) => !(licenses?.length && hashes?.length));
  if (bare.length > 0)
    throw new Error(`without licence or digest: ${bare.map((entry) => entry["bom-ref"]).join(", ")}`);
  const own = bill.metadata.component["bom-ref"];
  const dependencies = bill.dependencies
    .filter(({ ref }) => ref !== own && found.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((other) => found.has(other)) }));
  // Without the time and the random number of npm's list, so that a release can be made again.
  const { serialNumber: _, metadata, ...rest } = bill;
  const { timestamp: __, ...about } = metadata;
  const component = { ...about.component, type: "application", name, version };
  return {
    ...rest,
    metadata: { ...about, lifecycles: [{ phase: "build" }], component },
    components,
    dependencies: [{ ref: own, dependsOn: [...found] }, ...dependencies],
  };
}
