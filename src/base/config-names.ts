/** The names of our config files in a workspace: where they are searched for, and which files no edit may touch. */

/** Where a workspace's config may be, in the order of the search. */
export const CONFIG_NAMES = [".lspi/config.toml", ".lspi/config.json", "lspi.toml", "lspi.json"] as const;

/** Matches the lower-case name of a config file or folder of ours. No edit may touch one, in any folder. */
export const PROTECTED_CONFIG_NAME = /^(?:\.lspi.*|lspi\.(?:.*\.)?(?:toml|json|jsonc))$/;
