/**
 * The names of the proxy's own config files in a workspace: where they are looked for, and what no edit may
 * touch.
 */

/** Where a workspace's config may be, in the order of the search. */
export const CONFIG_NAMES = [".lspi/config.toml", ".lspi/config.json", "lspi.toml", "lspi.json"] as const;

/** Matches a file or folder of ours by its lower-case name, in any folder. */
export const OWN_NAME = /^(?:\.lspi.*|lspi\.(?:.*\.)?(?:toml|json|jsonc))$/;
