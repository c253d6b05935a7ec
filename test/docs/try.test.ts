import { fileURLToPath } from "node:url";
import { it } from "vitest";
import { keyFacts } from "../../.ci/print/config-keys.js";
import { readKeyTexts } from "../../.ci/print/key-texts.js";
import { configJsonSchema } from "../../src/config/schema.js";
it("x", () => { for (const k of keyFacts(configJsonSchema(), readKeyTexts(fileURLToPath(new URL("../../.ci/print/", import.meta.url))))) if (!k.required && k.words===undefined && k.value===undefined) console.log("NODEF", k.path, "|", k.schemas[0].description); });
