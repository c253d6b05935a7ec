/** The installed servers that a person names. */
import { didYouMean, UsageError } from "../command.js";
import { openCatalogue, presetNamed } from "../presets.js";
import { managedServers } from "./managed.js";

/** The ids of installed servers, given by id or alias. Throws a UsageError for a name that is not installed. */
export function managedNamed(words: readonly string[], folder: string): string[] {
  const known = managedServers(folder).map(({ id }) => id);
  const facts = openCatalogue().facts();
  const ids = words.map((word) => {
    const id = known.includes(word) ? word : (presetNamed(word, facts)?.id ?? word);
    if (known.includes(id)) return id;
    const hint = didYouMean(word, known) || "; see `lsp-proxy install --list`";
    throw new UsageError(`\`${word}\` is not installed by \`lsp-proxy install\`${hint}`);
  });
  return [...new Set(ids)];
}
