import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { parse } from "smol-toml";
import { describe, expect, test } from "vitest";
import { Catalogue } from "../../src/config/catalogue/catalogue.js";
import { shippedLayers } from "../../src/config/extends.js";
import { diskFiles } from "../../src/config/files.js";
import { loadConfig } from "../../src/config/load.js";
import { configJsonSchema } from "../../src/config/schema.js";
import { overShipped, request, SHIPPED } from "./memory-files.js";

const catalogue = new Catalogue(SHIPPED, diskFiles);

describe("shipped configs", () => {
  test("are all valid", () => {
    const layers = catalogue.names().flatMap((name) => shippedLayers(name, catalogue));
    expect(layers.length).toBeGreaterThan(20);
    expect(catalogue.problems).toEqual([]);
  });

  test("a config that extends presets by name loads", () => {
    const names = catalogue.names().filter((name) => name.startsWith("servers/"));
    const text = `extends = ${JSON.stringify(names.slice(0, 90))}\n`;
    const { config } = loadConfig(
      request({ shipped: SHIPPED, configPath: "/w/c.toml" }),
      overShipped({ "/w/c.toml": text }),
    );
    expect(config.servers?.length).toBe(90);
    expect(config.tools?.length).toBeGreaterThan(0);
  });
});

describe("the JSON Schema", () => {
  const ajv = new Ajv2020({ strict: false });
  const isValid = ajv.compile(configJsonSchema());

  test("is the same each time and closed", () => {
    expect(JSON.stringify(configJsonSchema())).toBe(JSON.stringify(configJsonSchema()));
    expect(isValid({ servers: [{ id: "x", comand: "x" }] })).toBe(false);
    expect(isValid({ $schema: "x", servers: [{ id: "x", command: "x" }] })).toBe(true);
  });

  test("accepts every shipped tool config and profile", () => {
    for (const name of catalogue.names().filter((known) => !known.startsWith("servers/"))) {
      const tree = parse(readFileSync(join(SHIPPED, `${name}.toml`), "utf8"));
      expect(isValid(tree), `${name}: ${ajv.errorsText(isValid.errors)}`).toBe(true);
    }
  });

  test("every key has a description", () => {
    const bare: string[] = [];
    const walk = (schema: unknown, path: string): void => {
      if (typeof schema !== "object" || schema === null) return;
      const { properties } = schema as { properties?: { [key: string]: { description?: string } } };
      for (const [key, value] of Object.entries(properties ?? {}))
        if (!value.description) bare.push(`${path}/${key}`);
      for (const [key, value] of Object.entries(properties ?? {})) walk(value, `${path}/${key}`);
      for (const [key, value] of Object.entries(schema))
        if (key !== "properties") walk(value, `${path}/${key}`);
    };
    walk(configJsonSchema(), "");
    expect(bare).toEqual([]);
  });
});
