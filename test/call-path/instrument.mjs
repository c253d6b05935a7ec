/** Transpiles a source file so that each of its functions records who called it, across `await`. For `run.mjs`. */
import { transformSync } from "esbuild";
import ts from "typescript-5";

/** The JavaScript of a TypeScript file, whose functions call `__trace` first. esbuild removes the types. */
export function instrument(text, file) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true);
  const insertions = [];
  const visit = (node) => {
    if (isTraced(node)) {
      const isAsync = node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.AsyncKeyword) === true;
      const call = `__trace(${JSON.stringify(`${file}#${nameOf(node, source)}`)}, ${isAsync ? "async " : ""}() => `;
      const [start, end] = [node.body.getStart(source), node.body.end];
      if (ts.isBlock(node.body)) insertions.push([start + 1, `return ${call}{`], [end - 1, "});"]);
      else insertions.push([start, call], [end, ")"]);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  insertions.sort(([one], [other]) => one - other);
  const ends = [...insertions.slice(1).map(([at]) => at), text.length];
  const parts = insertions.map(([at, inserted], index) => inserted + text.slice(at, ends[index]));
  const whole = text.slice(0, insertions[0]?.[0]) + parts.join("");
  return transformSync(whole, { loader: "ts", target: "es2022" }).code;
}

/** Generators cannot be wrapped, nor the constructors of derived classes, in which `super` must come first. */
function isTraced(node) {
  const kinds = [
    ts.SyntaxKind.FunctionDeclaration,
    ts.SyntaxKind.MethodDeclaration,
    ts.SyntaxKind.GetAccessor,
    ts.SyntaxKind.Constructor,
    ts.SyntaxKind.ArrowFunction,
  ];
  return (
    kinds.includes(node.kind) &&
    node.body !== undefined &&
    node.asteriskToken === undefined &&
    !node.parameters.some(({ name }) => name.text === "this") &&
    !(node.kind === ts.SyntaxKind.Constructor && node.parent.heritageClauses?.some(isExtends))
  );
}

function isExtends({ token }) {
  return token === ts.SyntaxKind.ExtendsKeyword;
}

/** A function without a name is told from others by its line. */
function nameOf(node, source) {
  const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
  const anonymous = `(anonymous, line ${line + 1})`;
  if (node.kind === ts.SyntaxKind.Constructor) return `new ${node.parent.name?.text ?? anonymous}`;
  const named = node.name ?? node.parent?.name;
  return named?.text ?? named?.escapedText ?? anonymous;
}
