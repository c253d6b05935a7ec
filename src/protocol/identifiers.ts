/**
 * The syntax of identifiers, for the languages that agree on it. Other languages (Lisp, CSS, LaTeX and more) allow
 * other characters and are not listed.
 */

const javascript = "javascript javascriptreact typescript typescriptreact".split(" ");
const alike = [
  ...javascript,
  ..."c cpp cuda csharp dart go java kotlin lua objective-c objective-cpp php python rust swift zig".split(
    " ",
  ),
];

const javaScriptReserved = `
break case catch class const continue debugger default delete do else enum export extends false finally for function
if import in instanceof new null return super switch this throw true try typeof var void while with`;
const cReserved = `
break case char const continue default do double else enum extern float for goto if int long register return short
signed sizeof static struct switch typedef union unsigned void volatile while`;

const reserved: { readonly [languageId: string]: string } = {
  ...Object.fromEntries(javascript.map((languageId) => [languageId, javaScriptReserved])),
  c: cReserved,
  cpp: `${cReserved} bool catch class constexpr delete explicit export false friend inline mutable namespace new operator
private protected public template this throw true try typename using virtual`,
  csharp: `
abstract as base bool break byte case catch char checked class const continue decimal default delegate do double else
enum event explicit extern false finally fixed float for foreach goto if implicit in int interface internal is lock
long namespace new null object operator out override params private protected public readonly ref return sbyte sealed
short sizeof static string struct switch this throw true try typeof uint ulong unchecked unsafe ushort using virtual
void volatile while`,
  go: `
break case chan const continue default defer else fallthrough for func go goto if import interface map package range
return select struct switch type var`,
  java: `
abstract assert boolean break byte case catch char class const continue default do double else enum extends false final
finally float for goto if implements import instanceof int interface long native new null package private protected
public return short static strictfp super switch synchronized this throw throws transient true try void volatile while`,
  python: `
False None True and as assert async await break class continue def del elif else except finally for from global if
import in is lambda nonlocal not or pass raise return try while with yield`,
  rust: `
as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub
ref return self Self static struct super trait true type unsafe use where while`,
};

/** With the marks that some of the languages put before one (`#private`, `$php`, `@class`, `'lifetime`, `r#type`). */
const identifier = /^(?:r#|[#@$'])?[\p{ID_Start}_$][\p{ID_Continue}$\u200c\u200d]*$/u;
/** Kotlin and Swift allow any text in backticks. */
const quoted = /^`[^`]+`$/;

/** Whether a text can be an identifier of a language; true for languages that are not known. */
export function canBeIdentifier(text: string, languageId: string): boolean {
  return !alike.includes(languageId) || identifier.test(text) || quoted.test(text);
}

/** Whether a word is reserved in a language: `always`, or, in JavaScript and TypeScript, except as a member's name. */
export function reservedIn(word: string, languageId: string): "always" | "except-members" | undefined {
  if (!Object.hasOwn(reserved, languageId)) return undefined;
  if (!reserved[languageId]?.split(/\s+/).includes(word)) return undefined;
  return javascript.includes(languageId) ? "except-members" : "always";
}
