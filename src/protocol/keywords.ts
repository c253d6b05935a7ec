/**
 * Keywords of many languages. When a position is moved to a nearby symbol, it is never moved to a keyword: many servers
 * have a hover text for keywords, and the answer would be about the wrong thing.
 */
const words = `
abstract and as asm assert async auto await bool boolean break byte case catch char class const constexpr continue
crate debugger decltype declare def default defer del delete do double dyn elif else elseif elsif end endif enum esac
except explicit export extends extern fallthrough false fi final finally float fn for foreach friend from fun func
function go goto if impl implements import in inline inout instanceof int interface is lambda let long match mut
mutable namespace new nil noexcept nonlocal not null nullptr operator or override package pass priv private protected
protocol pub public raise readonly rescue restrict return sealed self short signed sizeof static struct super switch
synchronized then this throw throws trait transient true try type typedef typename typeof uint union unless unsafe
unsigned until use using var virtual void volatile when where while with xor yield`;

const known: ReadonlySet<string> = new Set(words.split(/\s+/).filter((word) => word !== ""));

/** Whether a word is a keyword in most languages. */
export function isKeyword(word: string): boolean {
  return known.has(word);
}
