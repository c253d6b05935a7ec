/** The names under which a workspace keeps its own config: what is looked for, and what no edit may touch. */

/** Where a workspace's config may stand, in the order in which it is looked for. */
export const CONFIG_NAMES = [".lspi/config.toml", ".lspi/config.json", "lspi.toml", "lspi.json"] as const;

/** A file or folder that is ours by its name, in lower case, in whatever folder it stands. */
export const OWN_NAME = /^(?:\.lspi.*|lspi\.(?:.*\.)?(?:toml|json|jsonc))$/;
