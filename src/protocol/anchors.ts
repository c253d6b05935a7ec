/** Input anchors: what a call may point at. */
import type { Anchor } from "../abi/plan.js";

export const anchors: {
  [anchor in Anchor]: {
    document: "required" | "optional" | "none";
    description: string;
  };
} = {
  workspace: {
    document: "none",
    description: "The whole workspace; takes no pointing arguments.",
  },
  document: { document: "required", description: "One file." },
  position: {
    document: "required",
    description: "A line and a character in one file.",
  },
  range: {
    document: "required",
    description: "A start and an end in one file.",
  },
  symbol: {
    document: "optional",
    description: "A symbol by its name, in a file or anywhere.",
  },
  text: {
    document: "required",
    description: "A line of one file by its own text, with a mark before the symbol.",
  },
  query: { document: "none", description: "A search text." },
};

export const anchorNames = Object.keys(anchors) as Anchor[];
