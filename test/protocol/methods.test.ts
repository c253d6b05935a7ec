import { describe, expect, it } from "vitest";
import * as protocol from "vscode-languageserver-protocol";
import { methods } from "../../src/protocol/methods.js";

interface MessageType {
  method: string;
  messageDirection: string;
  capabilities?: { server?: string };
}

const types = Object.values(protocol).filter(
  (value): value is typeof value & MessageType =>
    typeof value === "object" && value !== null && "method" in value && "messageDirection" in value,
) as unknown as MessageType[];

const byMethod = new Map(types.map((type) => [type.method, type]));

describe("the table of methods", () => {
  it.each(Object.entries(methods))(
    "%s is a request of the protocol with that capability",
    (method, facts) => {
      const type = byMethod.get(method);
      expect(type, `${method} is in the protocol package`).toBeDefined();
      expect(type?.messageDirection).not.toBe("serverToClient");
      const promised = type?.capabilities?.server;
      // The package names no capability for the type hierarchy's follow-ups, and only the provider for full tokens.
      if (promised === undefined) expect(facts.capability).toBe("typeHierarchyProvider");
      else expect(facts.capability.startsWith(promised)).toBe(true);
    },
  );
});
