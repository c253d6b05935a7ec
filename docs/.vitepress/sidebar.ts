/** The pages of the site, by reader. A test compares this list with the files in `docs`. */

export interface Group {
  text: string;
  /** The name of each page in `docs`, without `.md`, and its title in the sidebar. */
  pages: { [page: string]: string };
}

export const groups: readonly Group[] = [
  {
    text: "Start",
    pages: {
      index: "What it is",
      tutorial: "Tutorial: ten minutes",
    },
  },
  {
    text: "Guides",
    pages: {
      clients: "Set up a client",
      installing: "Install servers",
      "adding-a-language": "Add a language",
      "adding-a-tool": "Add a tool",
      edits: "Edit safely",
      "edits-reference": "Edits: all rules",
      sharing: "Share servers",
      dashboard: "Dashboard",
      editors: "Editors",
      security: "Trust and security",
      "security-model": "Security model",
    },
  },
  {
    text: "Run it for a team",
    pages: {
      http: "HTTP gateway",
      "http-reference": "HTTP: all rules",
      scaling: "Scaling",
      metrics: "Metrics",
    },
  },
  {
    text: "Help",
    pages: {
      troubleshooting: "Troubleshooting",
      faq: "FAQ",
    },
  },
  {
    text: "Config authors",
    pages: {
      config: "Config reference",
      cli: "Command line",
      tools: "Tools",
      problems: "Problems and refusals",
      languages: "Languages",
      profiles: "Profiles",
      "profile-rows": "Profiles: all rows",
      "mapping-tutorial": "Mapping: a tutorial",
      "mapping-language": "Mapping language",
    },
  },
  {
    text: "Contributors",
    pages: {
      architecture: "Architecture",
      contributing: "Contributing",
      determinism: "Determinism",
      performance: "Performance",
      versioning: "Versions",
      "decisions/README": "Decisions",
    },
  },
];
